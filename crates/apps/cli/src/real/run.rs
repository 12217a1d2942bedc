//! `regrasp run --robot franka:HOST` or `ros2:FILE`: one command with a real arm.

use std::io;

use regrasp::agent::{Agent, AgentOptions};
use regrasp::api::{CancelToken, EpisodeResult, EventSink, World};
use regrasp::record::{ConsoleSink, EpisodeInfo, RunFolder};
use regrasp::scene::{RobotFile, builtin_robot};
use regrasp::{Backend, LoadedRobot, SetupError};
use regrasp_franka::FrankaArm;
use regrasp_record::RECORDING_FILE;
use regrasp_session::real::{Eyes, Recording};
use regrasp_store::SqliteStore;

use super::arguments::{address, connect};
use crate::output::say_result;
use crate::{CliError, ExitCode, Result, RunArguments, Terminal, complain, given_words};

/// Prefix of an arm behind ROS.
const ROS: &str = "ros2:";

/// Arm that carries out a command, with its robot, perception and recording.
type Connected = (LoadedRobot, Box<dyn World>, Eyes, Option<Recording>);

/// Carries out one command with a real arm and stores its data in a run folder.
pub(crate) fn run(arguments: &RunArguments, robot: &str) -> Result<ExitCode> {
    let text = arguments.own_text().ok_or_else(CliError::nothing_to_do)?;
    let file = robot_file(robot)?;
    let options = arguments.episode.agent.options(&file)?;
    let cancel = CancelToken::new();
    let planner = arguments.episode.agent.watched().planner(&cancel)?;
    let loaded = LoadedRobot::new(file)?;
    let eyes = Eyes::open(&arguments.eyes.source()?, &loaded, arguments.seed)?;
    let info = EpisodeInfo {
        task: text.clone(),
        scene: None,
        seed: arguments.seed,
        planner: planner.name(),
        version: env!("CARGO_PKG_VERSION").into(),
        args: given_words(),
        settings: Some(serde_json::to_value(&options)?),
    };
    let folder = RunFolder::create(&arguments.runs_dir, &info)?;
    let mut sinks: Vec<Box<dyn EventSink>> = vec![Box::new(folder.sink())];
    let (loaded, world, eyes, recording) = match robot.strip_prefix(ROS) {
        #[cfg(feature = "ros2")]
        Some(path) => connect_ros(arguments, path, loaded, eyes, &cancel)?,
        _ => connect_franka(arguments, robot, &loaded, eyes, (&folder, info), &cancel)?,
    };
    if let Some(recording) = &recording {
        sinks.push(Box::new(recording.sink()));
    }
    let cell = loaded.cell_with(Backend {
        world,
        perception: eyes.perception,
        motion: None,
    })?;
    let mut robot = cell.robot;
    robot.info.tool_from_wrist_camera = eyes.tool_from_camera;
    robot.cancel = cancel;
    if !arguments.json {
        sinks.push(Box::new(ConsoleSink::new(io::stdout())));
    }
    robot.set_sink(Box::new(sinks));
    let options = AgentOptions {
        seed: arguments.seed,
        version: env!("CARGO_PKG_VERSION").into(),
        ..options
    };
    let agent = Agent::new(robot, crate::skills::skills(), planner.build(), options);
    // Consumes the agent and thereby drops the arm, before the recording is finished.
    let result = carry_out(agent, arguments, &text)?;
    say_result(&result, Some(folder.path()), None, arguments.json)?;
    if let Some(recording) = recording {
        recording.finish()?;
    }
    if let Some(error) = folder.take_error() {
        return Err(error.into());
    }
    Ok(ExitCode::of(&result))
}

fn robot_file(robot: &str) -> Result<RobotFile> {
    match robot.strip_prefix(ROS) {
        None => Ok(builtin_robot()?),
        #[cfg(feature = "ros2")]
        Some(path) => super::ros::robot_file(path),
        #[cfg(not(feature = "ros2"))]
        Some(_) => Err(CliError::usage(format_args!(
            "use the robot `{robot}`: not in this build; build with --features ros2 (or full)"
        ))),
    }
}

fn connect_franka(
    arguments: &RunArguments,
    robot: &str,
    loaded: &LoadedRobot,
    eyes: Eyes,
    (folder, info): (&RunFolder, EpisodeInfo),
    cancel: &CancelToken,
) -> Result<Connected> {
    let motion = &arguments.motion;
    let (given, address) = (&arguments.connection, address(robot)?);
    let connection = given.to(address, motion.speed, Some(&motion.bounds));
    let arm = connect(&connection, Some(motion), loaded, cancel)?;
    let loaded = connection.robot_for(arm.report().kind, loaded)?;
    let (recording, arm, eyes) = match arguments.record {
        true => record(arguments, &loaded, (folder, info), arm, eyes)?,
        false => (None, arm, eyes),
    };
    Ok((loaded, Box::new(arm), eyes, recording))
}

#[cfg(feature = "ros2")]
fn connect_ros(
    arguments: &RunArguments,
    path: &str,
    loaded: LoadedRobot,
    eyes: Eyes,
    cancel: &CancelToken,
) -> Result<Connected> {
    if arguments.record {
        complain(
            "the run is not recorded: --record cannot record an arm behind ROS; use `ros2 bag`",
        );
    }
    let world = super::ros::connect(path, &loaded, &arguments.motion, cancel)?;
    Ok((loaded, world, eyes, None))
}

/// Begins a recording, if perception works.
fn record(
    arguments: &RunArguments,
    loaded: &LoadedRobot,
    (folder, info): (&RunFolder, EpisodeInfo),
    mut arm: FrankaArm,
    mut eyes: Eyes,
) -> Result<(Option<Recording>, FrankaArm, Eyes)> {
    let now = arm.observe().map_err(SetupError::from)?;
    let percept = match eyes.perception.perceive(&now) {
        Ok(percept) => percept,
        Err(error) => {
            // The run itself reports the failure of perception.
            complain(&format!("the run is not recorded: failed to {error}"));
            return Ok((None, arm, eyes));
        }
    };
    let path = folder.path().join(RECORDING_FILE);
    let info = (info, arguments.recording.options().rate_hz);
    let (recording, arm, eyes) = Recording::begin(&path, loaded, info, arm, eyes, (&now, percept))?;
    Ok((Some(recording), arm, eyes))
}

/// Runs the agent, with memory and approvals if there is a store.
fn carry_out(agent: Agent, arguments: &RunArguments, text: &str) -> Result<EpisodeResult> {
    let mut agent = agent.with_person(Box::new(Terminal));
    let Some(path) = &arguments.store else {
        return Ok(agent.run(text));
    };
    agent = agent
        .with_memory(Box::new(SqliteStore::open(path)?))
        .with_approvals(Box::new(SqliteStore::open(path)?));
    Ok(match &arguments.run_key {
        None => agent.run(text),
        Some(key) => {
            let mut store = SqliteStore::open(path)?;
            agent.run_kept(text, &mut store, key, arguments.resume)?
        }
    })
}
