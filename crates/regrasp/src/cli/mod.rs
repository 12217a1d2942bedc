//! Commands, their arguments, and how their errors are shown.

mod bench;
mod check;
mod error;
mod ik;
mod lists;
#[cfg(feature = "models")]
mod models;
mod output;
mod person;
mod plan;
mod plan_file;
mod planner;
mod plans;
mod reach;
mod recovery;
mod run;
mod settings;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use regrasp::scene::{RobotFile, SceneError, builtin_robot, load_robot};
use regrasp::{EXIT_CODES, ExitCode, Fault, FaultSpecError};

/// A robot-manipulation agent with its own simulator.
#[derive(Debug, Parser)]
#[command(name = "regrasp", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Carry out one command in a simulated scene.
    Run(RunArguments),
    /// Run tasks with many seeds and judge each episode by the world's truth.
    Bench(BenchArguments),
    /// Show the agent's settings and where they can be set.
    Config {
        #[command(flatten)]
        agent: AgentArguments,
    },
    /// Show how the plan of a run changed, and why.
    Plans {
        /// A run folder.
        run: PathBuf,
        /// Show what changed from one version to the next.
        #[arg(long)]
        diff: bool,
    },
    /// List the built-in tasks.
    Tasks,
    /// List the skills.
    Skills {
        /// Print names, descriptions and JSON schemas as JSON.
        #[arg(long)]
        json: bool,
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
struct PlanArguments {
    /// Problems as JSON, in the format of the MotionBenchMaker data sets.
    problems: PathBuf,
    /// Only problems of this family.
    #[arg(long)]
    only: Option<String>,
    /// How often each problem is solved; times are medians over that.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Print the result as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    robot: RobotArguments,
}

#[derive(Args, Debug)]
struct IkArguments {
    /// Where the tool should be in the frame of the arm's base, metres.
    #[arg(long, required = true, num_args = 3, value_names = ["X", "Y", "Z"],
          allow_hyphen_values = true, value_parser = finite)]
    xyz: Vec<f64>,
    /// How it should be turned: about the base's x, then y, then z axis, radians, as in
    /// URDF. 3.14159 0 0 points it straight down.
    #[arg(long, required = true, num_args = 3, value_names = ["R", "P", "Y"],
          allow_hyphen_values = true, value_parser = finite)]
    rpy: Vec<f64>,
    #[command(flatten)]
    robot: RobotArguments,
    /// Print JSON, and nothing else, on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct ReachArguments {
    /// File to write, a table: its name ends in .csv.
    #[arg(long, value_parser = csv_path)]
    out: PathBuf,
    /// Height of the tool in the frame of the arm's base, metres.
    #[arg(long, default_value_t = 0.02, allow_hyphen_values = true, value_parser = finite)]
    z: f64,
    #[command(flatten)]
    robot: RobotArguments,
}

#[derive(Args, Debug)]
struct RunArguments {
    /// What to do, such as "put the red cube on the plate". With --task it may be
    /// left out: the task has a text of its own.
    text: Option<String>,
    /// A built-in task by name, or a task file.
    #[arg(long, conflicts_with = "scene")]
    task: Option<String>,
    /// A scene file. Without --task and --scene, a table with a few things on it.
    #[arg(long)]
    scene: Option<PathBuf>,
    #[command(flatten)]
    agent: AgentArguments,
    #[command(flatten)]
    robot: RobotArguments,
    /// Seed of everything random.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    #[command(flatten)]
    faults: FaultArguments,
    /// A file in which failures, fixes and approvals are remembered; made if need be.
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Keep the run in the store under this key, so that it can be resumed.
    #[arg(long, requires = "store")]
    run_key: Option<String>,
    /// Go on with the run that has the key already, or show its result.
    #[arg(long, requires = "run_key")]
    resume: bool,
    /// Folder in which a folder for this run is made.
    #[arg(long, default_value = "runs")]
    runs_dir: PathBuf,
    /// Print the result as JSON, and nothing else, on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
struct BenchArguments {
    /// Tasks by name, or task files; all built-in ones if left out.
    #[arg(long, num_args = 1.., value_delimiter = ',')]
    tasks: Vec<String>,
    /// Run a suite in place of tasks.
    #[arg(long, value_enum, conflicts_with_all = ["tasks", "fault"])]
    suite: Option<Suite>,
    /// Of the suite, only classes of faults whose name contains one of these.
    #[arg(long, requires = "suite", value_delimiter = ',')]
    classes: Vec<String>,
    /// Of the suite, only the planner that is measured, without the baselines.
    #[arg(long, requires = "suite")]
    no_baselines: bool,
    /// Episodes of the suite that run at the same time; the results do not depend on it.
    #[arg(long, requires = "suite", default_value_t = 2)]
    jobs: usize,
    #[command(flatten)]
    faults: FaultArguments,
    /// Seeds a task, counted from 0.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: u64,
    #[command(flatten)]
    agent: AgentArguments,
    #[command(flatten)]
    robot: RobotArguments,
    /// Write the report as JSON to this file.
    #[arg(long)]
    out: Option<PathBuf>,
    /// End with exit code 13 if any task succeeds less often than this, 0 to 1.
    #[arg(long, value_parser = fraction)]
    fail_under: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Suite {
    /// Every class of faults, and whether the agent recovers or says why it cannot.
    Recovery,
}

#[derive(Args, Debug)]
struct FaultArguments {
    /// Let something go wrong, such as `nudged: {object: red_cube, distance_m: 0.05}`; may
    /// be given several times.
    #[arg(long, value_name = "SPEC", value_parser = fault)]
    fault: Vec<Fault>,
}

fn fault(text: &str) -> Result<Fault, FaultSpecError> {
    text.parse()
}

#[derive(Args, Debug)]
struct RobotArguments {
    /// A robot file; the built-in Franka Panda if left out.
    #[arg(long = "robot", value_name = "FILE")]
    robot_file: Option<PathBuf>,
}

impl RobotArguments {
    fn load(&self) -> Result<RobotFile, SceneError> {
        match &self.robot_file {
            Some(path) => load_robot(path),
            None => builtin_robot(),
        }
    }
}

#[derive(Args, Debug)]
struct AgentArguments {
    /// Which planner is in charge.
    #[arg(long, value_enum, default_value_t = PlannerArgument::Feedback)]
    planner: PlannerArgument,
    #[cfg(feature = "models")]
    #[command(flatten)]
    model: models::ModelArguments,
    /// How often the planner may be asked again after a failure; 3 if nothing else says so.
    #[arg(long)]
    max_replans: Option<usize>,
    /// Which steps wait for approval; critical ones if nothing else says so.
    #[arg(long, value_enum)]
    approve: Option<ApproveArgument>,
    /// Let the planner repeat a call that failed although the world is unchanged.
    #[arg(long)]
    repeat_calls: bool,
    /// A file with settings of the agent; `regrasp config` shows them all.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ApproveArgument {
    /// Every step.
    Always,
    /// None.
    Never,
    /// Those that the robot file or the settings call critical.
    Critical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PlannerArgument {
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

fn csv_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension.eq_ignore_ascii_case("csv") => Ok(path),
        _ => Err("expected a name that ends in .csv".into()),
    }
}

fn fraction(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("expected a number from 0 to 1".into()),
    }
}

/// Carries out a command; every error ends here, as one message and an exit code.
pub(crate) fn execute(arguments: Arguments) -> ExitCode {
    let outcome = match arguments.command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Bench(arguments) if arguments.suite == Some(Suite::Recovery) => {
            recovery::recovery(&arguments)
        }
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Config { agent } => settings::show(&agent),
        Command::Plans { run, diff } => plans::plans(&run, diff),
        Command::Tasks => lists::tasks(),
        Command::Skills { json } => lists::skills(json),
        #[cfg(feature = "models")]
        Command::Models(arguments) => models::models(&arguments),
        Command::Plan(arguments) => plan::plan(&arguments),
        Command::Check { file, seed, robot } => check::check(&file, seed, &robot),
        Command::Ik(arguments) => ik::ik(&arguments),
        Command::Reach(arguments) => reach::reach(&arguments),
    };
    outcome.unwrap_or_else(|error| {
        output::complain(&format!("error: failed to {error}"));
        error.exit_code()
    })
}
