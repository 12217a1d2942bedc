//! The commands.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue};
use clap::{ArgGroup, ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::arguments::{
    IkArguments, PerceiveArguments, PlanArguments, ReachArguments, RenderArguments,
    ReplayArguments, ShowArguments, VideoArguments,
};
use crate::bench::arguments::BenchArguments;
use crate::exit::EXIT_CODES;
use crate::scope::SCOPES;
use crate::{AgentArguments, RobotArguments, RunArguments, models};

/// A robot-manipulation agent with its own simulator.
#[derive(Debug, Parser)]
#[command(name = "regrasp", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
}

impl Arguments {
    /// Command line with the scopes of its options.
    pub(super) fn scoped() -> clap::Command {
        fn declare(command: clap::Command) -> clap::Command {
            let scopes = SCOPES.iter().map(|s| ArgGroup::new(*s).multiple(true));
            command.groups(scopes).mut_subcommands(declare)
        }
        declare(Self::command())
    }

    /// Parses a command line, including the program's name.
    pub(super) fn read(
        words: impl Iterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Self, clap::Error> {
        let words: Vec<OsString> = words.map(Into::into).collect();
        Self::from_arg_matches(&Self::matches(&words)?)
    }

    pub(super) fn matches(words: &[OsString]) -> Result<ArgMatches, clap::Error> {
        let matches = Self::scoped().try_get_matches_from(words);
        matches.map_err(|error| with_variable(error, words))
    }
}

/// Adds the name of the environment variable that a bad value came from: clap only names the flag.
fn with_variable(mut error: clap::Error, words: &[OsString]) -> clap::Error {
    fn variable_of(command: &clap::Command, flag: &str) -> Option<OsString> {
        let mut own = command.get_arguments();
        let own = own.find(|arg| arg.get_long() == Some(flag));
        let variable = own.and_then(|arg| arg.get_env()).map(OsString::from);
        variable.or_else(|| command.get_subcommands().find_map(|c| variable_of(c, flag)))
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let flag = flag.split([' ', '=']).next().unwrap_or_default().to_owned();
    let is_given = |word: &OsString| word.to_string_lossy().split('=').next() == Some(&flag);
    if let Some(variable) = variable_of(&Arguments::command(), flag.trim_start_matches('-'))
        && std::env::var_os(&variable).is_some()
        && !words.iter().any(is_given)
    {
        let tip = format!(
            "the value comes from the environment variable {}",
            variable.display()
        );
        let tip = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tip);
    }
    error
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Carry out one command, with a simulated or a real arm.
    Run(RunArguments),
    /// Operate a real arm, as the person who stands at it.
    #[cfg(all(feature = "franka", target_os = "linux"))]
    Arm {
        #[command(subcommand)]
        what: crate::real::arm::ArmCommand,
    },
    /// Compute the pose of a camera from its sightings of a marker.
    Calibrate(crate::calibrate::CalibrateArguments),
    /// Run tasks with many seeds and judge each episode by ground truth.
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
    /// Repeat a recorded run and report whether the world ends in the same state.
    Replay(ReplayArguments),
    /// Show the course of a run: plans, steps, reasons, times.
    Show(ShowArguments),
    /// Make a video of a run.
    Video(VideoArguments),
    /// Export recorded runs for other programs.
    Export {
        #[command(subcommand)]
        what: crate::dataset::Export,
    },
    /// Make data sets of demonstrations.
    Dataset {
        #[command(subcommand)]
        what: crate::dataset::Dataset,
    },
    /// Serve the skills as tools of the Model Context Protocol, for any agent.
    #[cfg(feature = "mcp")]
    Mcp(crate::mcp::McpArguments),
    /// Serve the scripted skills as a policy behind a WebSocket, for any control loop.
    #[cfg(feature = "openpi")]
    PolicyServer(crate::policy_server::PolicyServerArguments),
    /// Offer the robot to ROS 2 programs: its state as topics, motions and commands as actions.
    #[cfg(feature = "ros2")]
    Ros(crate::ros::RosArguments),
    /// Serve a web page for commanding and watching a robot.
    #[cfg(feature = "serve")]
    Serve(crate::serve::ServeArguments),
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
        /// The kind of file or line.
        #[arg(value_parser = PossibleValuesParser::new(crate::lists::schemas()))]
        of: String,
    },
    /// Create a project of your own.
    New {
        #[command(subcommand)]
        what: crate::new::New,
    },
    /// Check a task, scene or robot file, and the reach of the arm in it; or list the supported
    /// parts of MuJoCo's models.
    Check {
        /// A built-in task or scene by name, a YAML file, a model (.xml), or a folder with models.
        file: PathBuf,
        /// Seed of the instance that is checked.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        #[command(flatten)]
        robot: RobotArguments,
    },
    /// Measure how accurately the objects of tasks are perceived.
    Perceive(PerceiveArguments),
    /// Print a file with models of the objects in a scene, for perception to recognise them.
    ModelsOf(crate::catalogue::ModelsOfArguments),
    /// Render a picture of a scene.
    Render(RenderArguments),
    /// Write a scene file to start from.
    Scene(crate::scene::SceneArguments),
    /// Render the start of every built-in task into one picture.
    Gallery(crate::gallery::GalleryArguments),
    /// Probe the features that a model's server supports, and choose the form of requests.
    Models(models::ModelsArguments),
    /// Solve motion-planning problems from a file, and measure success, cost and time.
    Plan(PlanArguments),
    /// Convert another program's model to a scene file.
    Import {
        #[command(subcommand)]
        what: crate::mjcf::Import,
    },
    /// List the configurations that bring the tool to a pose.
    Ik(IkArguments),
    /// Map where the tool can point straight down.
    Reach(ReachArguments),
}
