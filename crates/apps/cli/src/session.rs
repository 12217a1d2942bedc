//! A robot that is commanded while it lives: by people in a browser, or by programs.

use std::path::{Path, PathBuf};

use clap::Args;
use regrasp::Kit;
use regrasp::api::{CancelToken, Planner};
use regrasp::scene::{RobotFile, builtin_scene_names, builtin_task_names, find_task, load_scene};
use regrasp_session::Session;
use regrasp_station::{LiveOptions, LiveWorkshop, PlannerMaker, StartScene};

use super::agent::AgentArguments;
use super::error::CliError;
use super::own_words::own_words;
use super::render::looks_like_task;
use super::values::RobotArguments;

#[derive(Args, Debug)]
pub(super) struct SessionArguments {
    /// A built-in scene or task by name, or a file of either, to begin with.
    #[arg(default_value = "tabletop")]
    scene: String,
    /// Seed of everything random.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Folder in which a folder is made for every run.
    #[arg(long, default_value = "runs")]
    runs_dir: PathBuf,
    #[command(flatten)]
    agent: AgentArguments,
    #[command(flatten)]
    robot: RobotArguments,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[command(flatten)]
    eyes: super::real::EyeArguments,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[command(flatten)]
    connection: super::real::ConnectionArguments,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[command(flatten)]
    bounds: super::real::BoundArguments,
}

impl SessionArguments {
    /// Puts the robot into its scene, where time passes so many times as fast as real time.
    pub(super) fn open(&self, speed: f64) -> Result<Session, CliError> {
        #[cfg(all(feature = "franka", target_os = "linux"))]
        if let Some(name) = self.robot.real() {
            return self.open_real(name);
        }
        let robot = self.robot.load()?;
        let mut options = self.options(&robot)?;
        options.scenes.extend(own_scene(&self.scene, &robot)?);
        let workshop = LiveWorkshop::new(Kit::new(robot)?, options);
        let session = Session::start(Box::new(workshop), &self.scene, self.seed, speed)?;
        Ok(session)
    }

    fn options(&self, robot: &RobotFile) -> Result<LiveOptions, CliError> {
        let mut options = LiveOptions {
            agent: self.agent.options(robot)?,
            runs_dir: Some(self.runs_dir.clone()),
            args: own_words(),
            skills: Box::new(super::skills::skills),
            exports: regrasp_export::exports(),
            ..LiveOptions::default()
        };
        put_first(&mut options, self)?;
        Ok(options)
    }

    /// Connects to a real arm; nothing moves.
    #[cfg(all(feature = "franka", target_os = "linux"))]
    fn open_real(&self, name: &str) -> Result<Session, CliError> {
        use super::real::{CELL, RealArguments, RealWorkshop, Target};

        let file = regrasp::scene::builtin_robot()?;
        let options = self.options(&file)?;
        let arguments = RealArguments {
            target: Target::named(name)?,
            connection: self.connection.clone(),
            bounds: self.bounds.clone(),
            eyes: self.eyes.clone(),
            seed: self.seed,
        };
        let workshop = RealWorkshop::open(&Kit::new(file)?, arguments, options)?;
        Ok(Session::start(Box::new(workshop), CELL, self.seed, 1.0)?)
    }
}

/// The planner that the command line asks for is the first to choose from.
fn put_first(options: &mut LiveOptions, arguments: &SessionArguments) -> Result<(), CliError> {
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
