//! The commands.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};

use super::agent::AgentArguments;
use super::arguments::{
    IkArguments, PerceiveArguments, PlanArguments, ReachArguments, RenderArguments,
    ReplayArguments, RunArguments, ShowArguments, VideoArguments,
};
use super::bench::BenchArguments;
use super::exit::EXIT_CODES;
#[cfg(feature = "models")]
use super::models;
use super::values::RobotArguments;

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
    /// Operate a real arm, as the person who stands at it.
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
    /// Repeat a recorded run and report whether the world ends in the same state.
    Replay(ReplayArguments),
    /// Tell the story of a run: plans, steps, reasons, times.
    Show(ShowArguments),
    /// Make a video of a run.
    Video(VideoArguments),
    /// Export recorded runs for other programs.
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
    /// Serve the scripted skills as a policy behind a WebSocket, for anybody's control loop.
    #[cfg(feature = "openpi")]
    PolicyServer(super::policy_server::PolicyServerArguments),
    /// Serve a web page for commanding and watching a robot.
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
        #[arg(value_parser = PossibleValuesParser::new(super::lists::schemas()))]
        of: String,
    },
    /// Create a project of your own.
    New {
        #[command(subcommand)]
        what: super::new::New,
    },
    /// Check a task, scene or robot file, and whether the arm reaches what is in it; or say what
    /// becomes of MuJoCo's models.
    Check {
        /// A built-in task by name, a YAML file, a model (.xml), or a folder with models.
        file: PathBuf,
        /// Seed of the instance that is looked at.
        #[arg(long, default_value_t = 0)]
        seed: u64,
        #[command(flatten)]
        robot: RobotArguments,
    },
    /// Measure how accurately a perception sees the objects of tasks.
    Perceive(PerceiveArguments),
    /// Render a picture of a scene.
    Render(RenderArguments),
    /// Write a scene file to start from.
    Scene(super::scene::SceneArguments),
    /// Render the start of every built-in task into one picture.
    Gallery(super::gallery::GalleryArguments),
    /// Probe which features a model's server supports and how it will be asked.
    #[cfg(feature = "models")]
    Models(models::ModelsArguments),
    /// Solve motion-planning problems from a file and measure how well and how fast.
    Plan(PlanArguments),
    /// Make a scene file of another program's model.
    Import {
        #[command(subcommand)]
        what: super::mjcf::Import,
    },
    /// List the configurations that bring the tool to a pose.
    Ik(IkArguments),
    /// Map where the tool can point straight down.
    Reach(ReachArguments),
}
