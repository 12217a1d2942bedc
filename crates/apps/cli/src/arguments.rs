//! Arguments of the commands.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use regrasp::bench::Seeds;
use regrasp::motion::search::SearchBudget;

use crate::agent::EpisodeArguments;
use crate::recording::RecordingArguments;
use crate::scope;
use crate::values::{CameraArguments, finite, mp4_size, text_of};
use crate::{
    FaultArguments, LiberoArguments, PerceptionArgument, RobotArguments, SuiteName, path_to,
    seconds,
};

#[derive(Args, Debug)]
pub(super) struct PerceiveArguments {
    /// Source of the objects that the robot perceives.
    #[arg(long, value_enum, default_value_t = PerceptionArgument::Rgbd)]
    pub(super) perception: PerceptionArgument,
    /// Tasks by name, task files, problem files of LIBERO (.bddl) or folders of those.
    #[arg(long, num_args = 1.., value_delimiter = ',', required_unless_present = "suite")]
    pub(super) tasks: Vec<String>,
    /// A named group of tasks, or a suite of LIBERO's (such as libero:goal).
    #[arg(long, value_parser = SuiteName::parse, conflicts_with = "tasks")]
    pub(super) suite: Option<SuiteName>,
    /// Number N of seeds per task: 0 to N - 1.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) seeds: u64,
    /// Seeds, or rows of LIBERO's initial states, such as 20-29.
    #[arg(long, value_name = "LIST", conflicts_with = "seeds", value_parser = Seeds::from_list)]
    pub(super) rows: Option<Seeds>,
    /// Summarise by the objects' categories instead of by task.
    #[arg(long)]
    pub(super) by_kind: bool,
    #[command(flatten)]
    pub(super) cameras: CameraArguments,
    #[command(flatten)]
    pub(super) libero: LiberoArguments,
    /// Print only JSON on standard output.
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) robot: RobotArguments,
}

#[derive(Args, Debug)]
pub(super) struct RenderArguments {
    /// A built-in scene or task by name, or a file of either.
    pub(super) scene: String,
    /// The camera: `scene`, `top`, `wrist`, or one that the scene file declares.
    #[arg(long, default_value = "scene")]
    pub(super) camera: String,
    /// Seed of a task's instance.
    #[arg(long, default_value_t = 0)]
    pub(super) seed: u64,
    /// Width and height of the picture, pixels. Default: those of the camera.
    #[arg(long, num_args = 2, value_names = ["WIDTH", "HEIGHT"],
          value_parser = clap::value_parser!(u32).range(16..=4096))]
    pub(super) size: Vec<u32>,
    /// Also write the depth in millimetres, beside the picture.
    #[arg(long)]
    pub(super) depth: bool,
    /// File to write, a PNG.
    #[arg(long, default_value = "scene.png", value_parser = path_to(&["png"]))]
    pub(super) out: PathBuf,
    #[command(flatten)]
    pub(super) robot: RobotArguments,
    #[command(flatten)]
    pub(super) libero: LiberoArguments,
}

#[derive(Args, Debug)]
pub(super) struct PlanArguments {
    /// Problems as JSON, in the format of the MotionBenchMaker data sets.
    pub(super) problems: PathBuf,
    /// Only problems of this family.
    #[arg(long)]
    pub(super) only: Option<String>,
    /// Repetitions of each problem; times are their medians.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) repeat: u32,
    /// Maximum number of samples of a search.
    #[arg(long, value_name = "N", default_value_t = SearchBudget::default().samples)]
    pub(super) max_samples: usize,
    /// Maximum time of a search, seconds. Results then depend on the speed of the machine. Default:
    /// no limit.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) max_secs: Option<Duration>,
    /// Print the result as JSON.
    #[arg(long)]
    pub(super) json: bool,
    /// Write every path to this file, as JSON: waypoints as found and simplified, the timed
    /// trajectory, and the reasons of failures.
    #[arg(long, value_name = "OUT.json")]
    pub(super) paths: Option<PathBuf>,
    #[command(flatten)]
    pub(super) robot: RobotArguments,
}

#[derive(Args, Debug)]
pub(super) struct IkArguments {
    /// Goal position of the tool in the frame of the arm's base, metres.
    #[arg(long, required = true, num_args = 3, value_names = ["X", "Y", "Z"],
          allow_hyphen_values = true, value_parser = finite)]
    pub(super) xyz: Vec<f64>,
    /// Goal orientation of the tool: rotations about the base's x, then y, then z axis, radians, as
    /// in URDF. 3.14159 0 0 points it straight down.
    #[arg(long, required = true, num_args = 3, value_names = ["R", "P", "Y"],
          allow_hyphen_values = true, value_parser = finite)]
    pub(super) rpy: Vec<f64>,
    #[command(flatten)]
    pub(super) robot: RobotArguments,
    /// Print only JSON on standard output.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
pub(super) struct ReachArguments {
    /// File to write: a picture if its name ends in .png, a table if it ends in .csv.
    #[arg(long, value_parser = path_to(&["png", "csv"]))]
    pub(super) out: PathBuf,
    /// Height of the tool in the frame of the arm's base, metres.
    #[arg(long, default_value_t = 0.02, allow_hyphen_values = true, value_parser = finite)]
    pub(super) z: f64,
    #[command(flatten)]
    pub(super) robot: RobotArguments,
}

#[derive(Args, Debug)]
pub(super) struct RunArguments {
    /// The command, such as "put the red cube on the plate". Default with --task: the text of the
    /// task.
    #[arg(group = scope::ALWAYS)]
    pub(super) text: Option<String>,
    /// A goal instead of a command: "on(red_cube, plate) and not on(all cubes, tray)". The docs of
    /// `regrasp_language::Formula` describe the notation.
    #[arg(long, value_name = "GOAL", conflicts_with = "text", group = scope::ALWAYS)]
    pub(super) goal: Option<String>,
    /// A file with the command: sentences, or one step per line.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "goal"],
          value_parser = text_of, group = scope::ALWAYS)]
    pub(super) prompt_file: Option<String>,
    /// A built-in task by name, or a task file.
    #[arg(long, conflicts_with = "scene", group = scope::WORLD)]
    pub(super) task: Option<String>,
    /// A built-in scene or task by name, or a file of either. Without --task and --scene, a
    /// table with a few objects on it.
    #[arg(long, group = scope::WORLD)]
    pub(super) scene: Option<String>,
    #[command(flatten)]
    pub(super) episode: EpisodeArguments,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[command(flatten)]
    pub(super) eyes: crate::real::arguments::EyeArguments,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[command(flatten)]
    pub(super) connection: crate::real::arguments::ConnectionArguments,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[command(flatten)]
    pub(super) motion: crate::real::arguments::MotionArguments,
    /// Seed of all random values.
    #[arg(long, default_value_t = 0, group = scope::ALWAYS)]
    pub(super) seed: u64,
    #[command(flatten)]
    pub(super) faults: FaultArguments,
    /// Record the world while it runs, into recording.mcap in the run folder.
    #[arg(long, group = scope::RECORD)]
    pub(super) record: bool,
    #[command(flatten)]
    pub(super) recording: RecordingArguments,
    /// A file that stores failures, fixes and approvals; created if it does not exist.
    #[arg(long, value_name = "FILE", group = scope::KEPT)]
    pub(super) store: Option<PathBuf>,
    /// Keep the run in the store under this key, so that it can be resumed.
    #[arg(long, requires = "store", group = scope::KEPT)]
    pub(super) run_key: Option<String>,
    /// Resume the run with the key --run-key; if it has ended, show its result.
    #[arg(long, requires = "run_key", group = scope::KEPT)]
    pub(super) resume: bool,
    /// Parent folder of this run's folder.
    #[arg(long, default_value = "runs", group = scope::KEPT)]
    pub(super) runs_dir: PathBuf,
    /// Print the interpretation of the text and the reasons for it, and move nothing.
    #[arg(long, group = scope::MOTION)]
    pub(super) dry_run: bool,
    /// Print the result as JSON, and nothing else, on standard output.
    #[arg(long, group = scope::ALWAYS)]
    pub(super) json: bool,
}

impl RunArguments {
    pub(super) fn own_text(&self) -> Option<String> {
        let goal = || Some(format!("goal: {}", self.goal.as_ref()?));
        let text = self.text.clone().or_else(|| self.prompt_file.clone());
        text.or_else(goal)
    }
}

#[derive(Args, Debug)]
pub(super) struct ShowArguments {
    /// A run folder, or a recording.
    pub(super) run: PathBuf,
    /// Also draw a film strip of the key moments, with captions. A run without a recording is
    /// simulated again for the pictures.
    #[arg(long, value_name = "FILE", value_parser = path_to(&["png"]))]
    pub(super) png: Option<PathBuf>,
    /// The camera of the film strip.
    #[arg(long, value_name = "NAME", default_value = "scene", requires = "png")]
    pub(super) camera: String,
}

#[derive(Args, Debug)]
pub(super) struct VideoArguments {
    /// A run folder, or a recording. A run without a recording is simulated again.
    pub(super) run: PathBuf,
    /// File to write, an MP4.
    #[arg(short, long, value_parser = path_to(&["mp4"]))]
    pub(super) out: PathBuf,
    /// The camera: `scene`, `top`, `wrist`, or one that the scene file declares.
    #[arg(long, default_value = "scene")]
    pub(super) camera: String,
    /// Pictures per second.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=240))]
    pub(super) fps: u32,
    /// Width and height of the video, pixels; both must be even.
    #[arg(long, num_args = 2, value_names = ["WIDTH", "HEIGHT"], value_parser = mp4_size)]
    pub(super) size: Vec<u32>,
    /// Do not write captions on the pictures.
    #[arg(long)]
    pub(super) no_captions: bool,
    /// Print the numbers of the video (frames, duration, speed) as JSON, and nothing else, on
    /// standard output.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args, Debug)]
pub(super) struct ReplayArguments {
    /// A run folder that `regrasp run` wrote.
    pub(super) run: PathBuf,
    /// Compare the run with this other run instead of repeating it: calls, outcomes and times, step
    /// by step. For runs of a real arm.
    #[arg(long, value_name = "RUN")]
    pub(super) against: Option<PathBuf>,
}
