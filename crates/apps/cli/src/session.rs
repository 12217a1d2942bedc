//! Sessions with a robot, commanded by people in a browser or by programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use regrasp::LoadedRobot;
use regrasp::api::{CancelToken, Planner};
use regrasp::scene::{RobotFile, builtin_scene_names, builtin_task_names, find_task, load_scene};
use regrasp_session::{PlannerMaker, Session, SimBackend, StartScene, StationOptions};

use crate::catalogue::catalogue;
use crate::find_scene::looks_like_task;
use crate::scope;
use crate::{AgentArguments, LiberoArguments, Result, RobotArguments, given_words};

#[derive(Args, Debug)]
pub(super) struct SessionArguments {
    /// The scene to start with: a built-in scene or task by name, or a file of either.
    #[arg(default_value = "tabletop", group = scope::WORLD)]
    scene: String,
    /// Seed of all random values.
    #[arg(long, default_value_t = 0, group = scope::ALWAYS)]
    seed: u64,
    /// Parent folder of the run folders.
    #[arg(long, default_value = "runs", group = scope::ALWAYS)]
    runs_dir: PathBuf,
    /// A file with models of objects that may be in the scene, for perception from pixels; `regrasp
    /// models-of` prints one.
    #[arg(long, value_name = "FILE", group = scope::WORLD)]
    models: Option<PathBuf>,
    #[command(flatten)]
    agent: AgentArguments,
    #[command(flatten)]
    robot: RobotArguments,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[command(flatten)]
    eyes: crate::real::arguments::EyeArguments,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[command(flatten)]
    connection: crate::real::arguments::ConnectionArguments,
    #[cfg(all(feature = "franka", target_os = "linux"))]
    #[command(flatten)]
    bounds: crate::real::arguments::BoundArguments,
}

impl SessionArguments {
    /// Starts a session with a real arm, or in the scene with simulated time that runs at `speed`
    /// relative to real time.
    pub(super) fn open(&self, speed: f64) -> Result<Session> {
        #[cfg(all(feature = "franka", target_os = "linux"))]
        if let Some(name) = self.robot.real() {
            return self.open_real(name);
        }
        let robot = self.robot.load()?;
        let mut options = self.options(&robot)?;
        options.scenes.extend(own_scene(&self.scene, &robot)?);
        if let Some(path) = &self.models {
            options.models = Arc::new(catalogue(path, &LiberoArguments::default())?);
        }
        let backend = SimBackend::new(LoadedRobot::new(robot)?, options);
        let session = Session::start(Box::new(backend), &self.scene, self.seed, speed)?;
        Ok(session)
    }

    #[cfg(feature = "ros2")]
    pub(super) fn loaded(&self) -> Result<LoadedRobot> {
        let file = match self.robot.real() {
            Some(_) => regrasp::scene::builtin_robot()?,
            None => self.robot.load()?,
        };
        Ok(LoadedRobot::new(file)?)
    }

    fn options(&self, robot: &RobotFile) -> Result<StationOptions> {
        let mut options = StationOptions {
            agent: self.agent.options(robot)?,
            runs_dir: Some(self.runs_dir.clone()),
            args: given_words(),
            skills: Box::new(crate::skills::skills),
            exports: regrasp_export::exports(),
            ..StationOptions::default()
        };
        put_first(&mut options, self)?;
        Ok(options)
    }

    /// Connects to a real arm; nothing moves.
    #[cfg(all(feature = "franka", target_os = "linux"))]
    fn open_real(&self, name: &str) -> Result<Session> {
        use regrasp_session::real::{CELL, RealBackend, RealOptions};

        let file = regrasp::scene::builtin_robot()?;
        let options = self.options(&file)?;
        let address = crate::real::arguments::address(name)?;
        let real = RealOptions {
            connection: self.connection.to(address, None, Some(&self.bounds)),
            approve_motion: self.bounds.approve_motion,
            eyes: self.eyes.source()?,
            seed: self.seed,
        };
        let backend = RealBackend::open(&LoadedRobot::new(file)?, real, options)?;
        Ok(Session::start(Box::new(backend), CELL, self.seed, 1.0)?)
    }
}

/// Makes the planner of the command line the session's default.
fn put_first(options: &mut StationOptions, arguments: &SessionArguments) -> Result<()> {
    // Nobody cancels this token: a request that runs when the server ends is abandoned.
    let source = arguments.agent.planner(&CancelToken::new())?;
    let name = source.name();
    options.planners.retain(|(known, _)| *known != name);
    let make: PlannerMaker = Box::new(move || -> Box<dyn Planner> { source.build() });
    options.planners.insert(0, (name, make));
    Ok(())
}

/// Scene or task of a file; `None` for a built-in name.
fn own_scene(name: &str, robot: &RobotFile) -> Result<Option<(String, StartScene)>> {
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
