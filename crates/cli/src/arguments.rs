//! What commands take.

use std::path::PathBuf;
use std::time::Duration;

use crate::exit::EXIT_CODES;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use regrasp::api::Viewpoint;
use regrasp::motion::search::SearchBudget;
use regrasp::scene::{RobotFile, builtin_robot, fault_from_text, load_robot, schema_names};
use regrasp::truth::Fault;
use regrasp::{DepthNoise, PerceptionKind};

use super::BenchArguments;
use super::error::CliError;
use super::policy::PolicyArguments;
use super::recording::RecordingArguments;
#[cfg(feature = "models")]
use super::{models, pictures, pointing};

/// A robot-manipulation agent with its own simulator.
#[derive(Debug, Parser)]
#[command(name = "regrasp", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Carry out one command, in a simulated scene or before a real arm.
    Run(RunArguments),
    /// See to a real arm, as the person who stands at it.
    #[cfg(all(feature = "franka", target_os = "linux"))]
    Arm {
        #[command(subcommand)]
        what: super::real::ArmCommand,
    },
    /// Find where a camera is from poses that it saw.
    Calibrate(super::calibrate::CalibrateArguments),
    /// Run tasks with many seeds and judge each episode by the world's truth.
    Bench(BenchArguments),
    /// Show the agent's settings and where they can be set.
    Config {
        #[command(flatten)]
        agent: AgentArguments,
        #[command(flatten)]
        robot: RobotArguments,
    },
    /// Show how the plan of a run changed, and why.
    Plans {
        /// A run folder.
        run: PathBuf,
        /// Show what changed from one version to the next.
        #[arg(long)]
        diff: bool,
    },
    /// Do a run again, and say whether the world ends in the same state.
    Replay(ReplayArguments),
    /// Tell the story of a run: plans, steps, reasons, times.
    Show(ShowArguments),
    /// Make a video of a run.
    Video(VideoArguments),
    /// Hand recorded runs to other programs.
    Export {
        #[command(subcommand)]
        what: super::dataset::Export,
    },
    /// Make data sets of demonstrations.
    Dataset {
        #[command(subcommand)]
        what: super::dataset::Dataset,
    },
    /// Serve the skills as tools of the Model Context Protocol, for any agent.
    #[cfg(feature = "mcp")]
    Mcp(super::mcp::McpArguments),
    /// Serve a page on which a robot can be commanded and watched in a browser.
    #[cfg(feature = "serve")]
    Serve(super::serve::ServeArguments),
    /// List the built-in tasks.
    Tasks,
    /// List the skills.
    Skills {
        /// Print names, descriptions and JSON schemas as JSON.
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON schema of a kind of file or line, for editors and other programs.
    Schema {
        /// Of what.
        #[arg(value_parser = PossibleValuesParser::new(schema_names().chain(regrasp_sensors::schema_names())))]
        of: String,
    },
    /// Begin something of your own.
    New {
        #[command(subcommand)]
        what: super::new::New,
    },
    /// Check a task, scene or robot file, and whether the arm reaches what is in it.
    Check {
        /// A built-in task by name, or a YAML file.
        file: PathBuf,
        /// Seed of the instance that is looked at.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        #[command(flatten)]
        robot: RobotArguments,
    },
    /// Let a perception look at tasks, and say how far it is off.
    Perceive(PerceiveArguments),
    /// Make a picture of a scene.
    Render(RenderArguments),
    /// Make a scene file to begin with.
    Scene(super::scene::SceneArguments),
    /// Draw the start of every built-in task on one picture.
    Gallery(super::gallery::GalleryArguments),
    /// Find out what a model's server honours, and how it will be asked.
    #[cfg(feature = "models")]
    Models(models::ModelsArguments),
    /// Solve motion-planning problems from a file and measure how well and how fast.
    Plan(PlanArguments),
    /// List the configurations that bring the tool to a pose.
    Ik(IkArguments),
    /// Map where the tool can point straight down.
    Reach(ReachArguments),
}

#[derive(Args, Debug)]
pub(super) struct PerceiveArguments {
    /// Which perception looks.
    #[arg(long, value_enum, default_value_t = PerceptionArgument::Rgbd)]
    pub(super) perception: PerceptionArgument,
    /// Tasks by name, or task files.
    #[arg(long, num_args = 1.., value_delimiter = ',', required = true)]
    pub(super) tasks: Vec<String>,
    /// Seeds a task, counted from 0.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) seeds: u64,
    /// Standard deviation of the cameras' depth at 1 m, metres; it grows with the square of
    /// the depth.
    #[arg(long, default_value_t = 0.0, value_parser = not_negative)]
    pub(super) depth_noise: f64,
    /// Print JSON, and nothing else, on standard output.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) robot: RobotArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PerceptionArgument {
    /// Objects as they are.
    GroundTruth,
    /// Objects from colour and depth pictures; nothing is read from the truth.
    Rgbd,
    /// The same, and a model says which of them is meant: that of the planner, or of
    /// --pointer.
    #[cfg(feature = "models")]
    Pointer,
}

impl From<PerceptionArgument> for PerceptionKind {
    fn from(argument: PerceptionArgument) -> Self {
        match argument {
            PerceptionArgument::GroundTruth => Self::GroundTruth,
            PerceptionArgument::Rgbd => Self::Rgbd,
            #[cfg(feature = "models")]
            PerceptionArgument::Pointer => Self::Pointer,
        }
    }
}

impl PerceptionArgument {
    /// The noise of the cameras, if it looks through any.
    pub(super) fn depth_noise(self, std_at_1_m: f64) -> Result<DepthNoise, CliError> {
        if std_at_1_m > 0.0 && self == Self::GroundTruth {
            return Err(CliError::NoDepth);
        }
        Ok(DepthNoise {
            std_at_1_m,
            ..DepthNoise::default()
        })
    }
}

/// What somebody looks at who does not say, m: the middle of the table before the robot.
const USUALLY_LOOKED_AT: [f64; 2] = [0.5, 0.0];

fn viewpoint(text: &str) -> Result<Viewpoint, String> {
    if text == "robot" {
        return Ok(Viewpoint::Robot);
    }
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|n| n.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([x, y]) => Ok(Viewpoint::From {
            position: [*x, *y],
            look_at: USUALLY_LOOKED_AT,
        }),
        Ok([x, y, look_x, look_y]) => Ok(Viewpoint::From {
            position: [*x, *y],
            look_at: [*look_x, *look_y],
        }),
        _ => Err("expected `robot`, `X,Y` or `X,Y,LOOK_X,LOOK_Y`".to_owned()),
    }
}

pub(super) fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("expected a number that is 0 or greater".into()),
    }
}

#[derive(Args, Debug)]
pub(super) struct RenderArguments {
    /// A built-in scene or task by name, or a file of either.
    pub(super) scene: String,
    /// Which camera: `scene`, `top`, `wrist`, or one that the scene file declares.
    #[arg(long, default_value = "scene")]
    pub(super) camera: String,
    /// Seed of a task's instance.
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    /// Columns and rows, if not as the camera has them.
    #[arg(long, num_args = 2, value_names = ["WIDTH", "HEIGHT"],
          value_parser = clap::value_parser!(u32).range(16..=4096))]
    pub(super) size: Vec<u32>,
    /// Also write the depth in millimetres, beside the picture.
    #[arg(long)]
    pub(super) depth: bool,
    /// File to write, a PNG.
    #[arg(long, default_value = "scene.png", value_parser = png_path)]
    pub(super) out: PathBuf,
    #[command(flatten)]
    pub(super) robot: RobotArguments,
}

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|s| *s > 0.0);
    let duration = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
    duration.ok_or_else(|| "expected a number of seconds greater than 0".into())
}

pub(super) fn png_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("png") => Ok(path),
        _ => Err("expected a name that ends in .png".into()),
    }
}

#[derive(Args, Debug)]
pub(super) struct PlanArguments {
    /// Problems as JSON, in the format of the MotionBenchMaker data sets.
    pub(super) problems: PathBuf,
    /// Only problems of this family.
    #[arg(long)]
    pub(super) only: Option<String>,
    /// How often each problem is solved; times are medians over that.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) repeat: u32,
    /// Samples that a search may take before it gives up.
    #[arg(long, value_name = "N", default_value_t = SearchBudget::default().samples)]
    pub(super) max_samples: usize,
    /// Seconds that a search may take before it gives up: a limit for impatient users, since
    /// what is found then depends on the machine. No limit if left out.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) max_secs: Option<Duration>,
    /// Print the result as JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Write every path to this file, as JSON: waypoints as found and simplified, and the
    /// timed trajectory; and why the other problems failed.
    #[arg(long, value_name = "OUT.json")]
    pub(super) paths: Option<PathBuf>,
    #[command(flatten)]
    pub(super) robot: RobotArguments,
}

#[derive(Args, Debug)]
pub(super) struct IkArguments {
    /// Where the tool should be in the frame of the arm's base, metres.
    #[arg(long, required = true, num_args = 3, value_names = ["X", "Y", "Z"],
          allow_hyphen_values = true, value_parser = finite)]
    pub(super) xyz: Vec<f64>,
    /// How it should be turned: about the base's x, then y, then z axis, radians, as in
    /// URDF. 3.14159 0 0 points it straight down.
    #[arg(long, required = true, num_args = 3, value_names = ["R", "P", "Y"],
          allow_hyphen_values = true, value_parser = finite)]
    pub(super) rpy: Vec<f64>,
    #[command(flatten)]
    pub(super) robot: RobotArguments,
    /// Print JSON, and nothing else, on standard output.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
pub(super) struct ReachArguments {
    /// File to write: a picture if its name ends in .png, a table if it ends in .csv.
    #[arg(long, value_parser = map_path)]
    pub(super) out: PathBuf,
    /// Height of the tool in the frame of the arm's base, metres.
    #[arg(long, default_value_t = 0.02, allow_hyphen_values = true, value_parser = finite)]
    pub(super) z: f64,
    #[command(flatten)]
    pub(super) robot: RobotArguments,
}

#[derive(Args, Debug)]
pub(super) struct RunArguments {
    /// What to do, such as "put the red cube on the plate". With --task it may be
    /// left out: the task has a text of its own.
    pub(super) text: Option<String>,
    /// What should hold in the end, instead of what to do: "on(red_cube, plate) and not
    /// on(all cubes, tray)". The notation is in the docs of `regrasp_language::Formula`.
    #[arg(long, value_name = "GOAL", conflicts_with = "text")]
    pub(super) goal: Option<String>,
    /// A built-in task by name, or a task file.
    #[arg(long, conflicts_with = "scene")]
    pub(super) task: Option<String>,
    /// A built-in scene or task by name, or a file of either. Without --task and --scene, a
    /// table with a few things on it.
    #[arg(long)]
    pub(super) scene: Option<String>,
    /// What the robot sees with.
    #[arg(long, value_enum, default_value_t = PerceptionArgument::GroundTruth)]
    pub(super) perception: PerceptionArgument,
    /// Standard deviation of the cameras' depth at 1 m, metres, where perception looks through
    /// them; it grows with the square of the depth.
    #[arg(long, default_value_t = 0.0, value_parser = not_negative)]
    pub(super) depth_noise: f64,
    #[command(flatten)]
    pub(super) agent: AgentArguments,
    #[command(flatten)]
    pub(super) policy: PolicyArguments,
    #[command(flatten)]
    pub(super) robot: RobotArguments,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[command(flatten)]
    pub(super) eyes: super::real::EyeArguments,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[command(flatten)]
    pub(super) connection: super::real::ConnectionArguments,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[command(flatten)]
    pub(super) motion: super::real::MotionArguments,
    /// Seed of everything random.
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) faults: FaultArguments,
    /// Record the world while it runs, into recording.mcap in the run folder.
    #[arg(long)]
    pub(super) record: bool,
    #[command(flatten)]
    pub(super) recording: RecordingArguments,
    /// A file in which failures, fixes and approvals are remembered; made if need be.
    #[arg(long, value_name = "FILE")]
    pub(super) store: Option<PathBuf>,
    /// Keep the run in the store under this key, so that it can be resumed.
    #[arg(long, requires = "store")]
    pub(super) run_key: Option<String>,
    /// Go on with the run that has the key already, or show its result.
    #[arg(long, requires = "run_key")]
    pub(super) resume: bool,
    /// Folder in which a folder for this run is made.
    #[arg(long, default_value = "runs")]
    pub(super) runs_dir: PathBuf,
    /// Say what the text is taken for and why, and move nothing.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print the result as JSON, and nothing else, on standard output.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
pub(super) struct ShowArguments {
    /// A run folder, or a recording.
    pub(super) run: PathBuf,
    /// Draw the key moments, too: a film strip with captions. A run that was not recorded is
    /// done again for that.
    #[arg(long, value_name = "FILE", value_parser = png_path)]
    pub(super) png: Option<PathBuf>,
    /// The camera of the film strip.
    #[arg(long, value_name = "NAME", default_value = "scene", requires = "png")]
    pub(super) camera: String,
}

#[derive(Args, Debug)]
pub(super) struct VideoArguments {
    /// A run folder, or a recording. A run that was not recorded is done again.
    pub(super) run: PathBuf,
    /// File to write, an MP4.
    #[arg(short, long, value_parser = mp4_path)]
    pub(super) out: PathBuf,
    /// Which camera: `scene`, `top`, `wrist`, or one that the scene file declares.
    #[arg(long, default_value = "scene")]
    pub(super) camera: String,
    /// Pictures a second.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=240))]
    pub(super) fps: u32,
    /// Columns and rows, even.
    #[arg(long, num_args = 2, value_names = ["WIDTH", "HEIGHT"], value_parser = mp4_size)]
    pub(super) size: Vec<u32>,
    /// Do not write what is being done on the pictures.
    #[arg(long)]
    pub(super) no_captions: bool,
    /// Print figures as JSON, and nothing else, on standard output.
    #[arg(long)]
    pub(super) json: bool,
}

fn mp4_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("mp4") => Ok(path),
        _ => Err("expected a name that ends in .mp4".into()),
    }
}

/// H.264 halves colours in both directions.
pub(super) fn mp4_size(text: &str) -> Result<u32, String> {
    match text.parse::<u32>() {
        Ok(n) if (16..=2160).contains(&n) && n % 2 == 0 => Ok(n),
        _ => Err("expected an even number from 16 to 2160".into()),
    }
}

#[derive(Args, Debug)]
pub(super) struct ReplayArguments {
    /// A run folder that `regrasp run` wrote.
    pub(super) run: PathBuf,
    /// Do nothing again, and compare it with this other run, step by step: calls, outcomes and
    /// times. For runs of a real arm.
    #[arg(long, value_name = "RUN")]
    pub(super) against: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(super) struct FaultArguments {
    /// Let something go wrong, such as `nudged: {object: red_cube, distance_m: 0.05}`; may
    /// be given several times.
    #[arg(long, value_name = "SPEC", value_parser = fault_from_text)]
    pub(super) fault: Vec<Fault>,
}

#[derive(Args, Debug)]
pub(super) struct RobotArguments {
    /// A robot file; the built-in Franka Panda if left out. With the feature `franka`, `run` and
    /// `arm` take franka:HOST, too: a real arm.
    #[arg(long = "robot", value_name = "FILE")]
    pub(super) robot_file: Option<PathBuf>,
}

/// What a robot is called that is no file but a real arm.
pub(super) const REAL: &str = "franka:";

impl RobotArguments {
    pub(super) fn load(&self) -> Result<RobotFile, CliError> {
        if let Some(name) = self.real() {
            return Err(CliError::RealArm { name: name.into() });
        }
        Ok(match &self.robot_file {
            Some(path) => load_robot(path)?,
            None => builtin_robot()?,
        })
    }

    /// The name of a real arm, if it is one.
    pub(super) fn real(&self) -> Option<&str> {
        let name = self.robot_file.as_ref()?.to_str()?;
        name.starts_with(REAL).then_some(name)
    }
}

#[derive(Args, Clone, Debug)]
pub(super) struct AgentArguments {
    /// Which planner is in charge.
    #[arg(long, value_enum, default_value_t = PlannerArgument::Feedback)]
    pub(super) planner: PlannerArgument,
    #[cfg(feature = "models")]
    #[command(flatten)]
    pub(super) model: models::ModelArguments,
    #[cfg(feature = "models")]
    #[command(flatten)]
    pub(super) pictures: pictures::PictureArguments,
    #[cfg(feature = "models")]
    #[command(flatten)]
    pub(super) pointing: pointing::PointingArguments,
    /// How often the planner may be asked again after a failure; 3 if nothing else says so.
    #[arg(long)]
    pub(super) max_replans: Option<usize>,
    /// Which steps wait for approval; critical ones if nothing else says so.
    #[arg(long, value_enum)]
    pub(super) approve: Option<ApproveArgument>,
    /// From where left and right are meant: `robot`, or `X,Y` in World of a person or camera that
    /// looks at (0.5, 0), or `X,Y,LOOK_X,LOOK_Y`. The scene's own, else the robot's, if left out.
    #[arg(long, value_parser = viewpoint, allow_hyphen_values = true)]
    pub(super) viewpoint: Option<Viewpoint>,
    /// Let the planner repeat a call that failed although the world is unchanged.
    #[arg(long)]
    pub(super) repeat_calls: bool,
    /// A file with settings of the agent; `regrasp config` shows them all.
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ApproveArgument {
    /// Every step.
    Always,
    /// None.
    Never,
    /// Those that the robot file or the settings call critical.
    Critical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PlannerArgument {
    /// A grammar; ignores what failed before.
    Stub,
    /// A grammar and rules that read what failed before.
    Feedback,
    /// A model at OpenAI; needs --model, and the key in OPENAI_API_KEY.
    #[cfg(feature = "models")]
    Openai,
    /// A model in Ollama on this machine; needs --model.
    #[cfg(feature = "models")]
    Ollama,
    /// A model at Anthropic; needs --model, and the key in ANTHROPIC_API_KEY.
    #[cfg(feature = "models")]
    Anthropic,
    /// A model behind any server that speaks chat completions (vLLM, llama.cpp,
    /// OpenRouter …); needs --base-url and --model.
    #[cfg(feature = "models")]
    Custom,
}

fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err("expected a number".into()),
    }
}

/// Endings of the files that a map can be written to.
const MAPS: &[&str] = if cfg!(feature = "plot") {
    &["png", "csv"]
} else {
    &["csv"]
};

fn map_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_known = |e: &std::ffi::OsStr| MAPS.iter().any(|known| e.eq_ignore_ascii_case(known));
    match path.extension() {
        Some(extension) if is_known(extension) => Ok(path),
        _ => Err(format!(
            "expected a name that ends in .{}",
            MAPS.join(" or .")
        )),
    }
}
