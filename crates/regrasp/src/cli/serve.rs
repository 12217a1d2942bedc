//! The live page.

use std::env;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use regrasp::api::{CancelToken, Planner};
use regrasp::scene::{RobotFile, builtin_scene_names, builtin_task_names, find_task, load_scene};
use regrasp::serve::{ServerOptions, serve_blocking};
use regrasp::session::Session;
use regrasp::{ExitCode, Kit, LiveOptions, LiveWorkshop, PlannerMaker, StartScene};

use super::error::CliError;
use super::output::say;
use super::render::looks_like_task;
use super::{AgentArguments, RobotArguments};

#[derive(Args, Debug)]
pub(super) struct ServeArguments {
    /// A built-in scene or task by name, or a file of either, to begin with.
    #[arg(default_value = "tabletop")]
    scene: String,
    /// Seed of everything random.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Port; 0 lets the system choose one.
    #[arg(long, default_value_t = 8484)]
    port: u16,
    /// Address to listen on. Anything but loopback needs a token.
    #[arg(long, default_value = "127.0.0.1", value_name = "ADDRESS")]
    bind: IpAddr,
    /// What a browser has to bring (`/?token=…`): at least 16 letters and digits.
    #[arg(long, env = "REGRASP_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// A name that this machine may be called by; may be given several times.
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// How fast time passes: so many times as fast as real time; 0 is as fast as it can.
    #[arg(long, default_value_t = 1.0, value_parser = super::arguments::not_negative)]
    speed: f64,
    /// Folder in which a folder is made for every run.
    #[arg(long, default_value = "runs")]
    runs_dir: PathBuf,
    #[command(flatten)]
    agent: AgentArguments,
    #[command(flatten)]
    robot: RobotArguments,
}

/// Serves the live page until Ctrl-C, and stops the arm then.
pub(super) fn serve(arguments: &ServeArguments) -> Result<ExitCode, CliError> {
    let robot = arguments.robot.load()?;
    let mut options = LiveOptions {
        agent: arguments.agent.options(&robot)?,
        runs_dir: Some(arguments.runs_dir.clone()),
        args: env::args().skip(1).collect(),
        ..LiveOptions::default()
    };
    put_first(&mut options, arguments)?;
    options.scenes.extend(own_scene(&arguments.scene, &robot)?);
    let workshop = LiveWorkshop::new(Kit::new(robot)?, options);
    let session = Session::start(
        Box::new(workshop),
        &arguments.scene,
        arguments.seed,
        arguments.speed,
    )?;
    let server = ServerOptions {
        bind: arguments.bind,
        port: arguments.port,
        token: arguments.token.clone(),
        hosts: arguments.allow_host.clone(),
    };
    let mut caught = Ok(());
    serve_blocking(Arc::new(session), &server, |server| {
        say(&format!("the live page is at {}", server.url()));
        say("Ctrl-C stops the arm and ends it");
        let stopper = server.stopper();
        caught = ctrlc::set_handler(move || stopper.stop());
        if caught.is_err() {
            server.stopper().stop();
        }
    })?;
    caught?;
    say("the arm holds; the live page is closed");
    Ok(ExitCode::Ok)
}

/// The planner that the command line asks for is the first to choose from.
fn put_first(options: &mut LiveOptions, arguments: &ServeArguments) -> Result<(), CliError> {
    // A question that is under way when the server ends is not waited for.
    let source = arguments.agent.planner(&CancelToken::new())?;
    let name = source.name();
    options.planners.retain(|(known, _)| *known != name);
    let make: PlannerMaker = Box::new(move || -> Box<dyn Planner> { source.build() });
    options.planners.insert(0, (name, make));
    Ok(())
}

/// A scene or task file, if it is none of the built-in names.
fn own_scene(name: &str, robot: &RobotFile) -> Result<Option<(String, StartScene)>, CliError> {
    if builtin_scene_names().contains(&name) || builtin_task_names().contains(&name) {
        return Ok(None);
    }
    let scene = if Path::new(name).is_file() && !looks_like_task(name) {
        StartScene::Scene(Box::new(load_scene(name, robot)?))
    } else {
        StartScene::Task(Box::new(find_task(name, robot)?))
    };
    Ok(Some((name.to_owned(), scene)))
}
