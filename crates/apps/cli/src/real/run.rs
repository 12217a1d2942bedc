//! `regrasp run --robot franka:HOST`: one command before a real arm.

use std::io;

use regrasp::agent::{Agent, AgentOptions};
use regrasp::api::{CancelToken, EventSink, World};
use regrasp::record::{ConsoleSink, EpisodeInfo, RunFolder};
use regrasp::scene::builtin_robot;
use regrasp::{Backend, Kit, verdict_block};
use regrasp_record::RECORDING_FILE;
use regrasp_store::SqliteStore;

use super::Target;
use super::eyes::Eyes;
use super::recording::{Noted, Recording, Seen};
use crate::ExitCode;
use crate::arguments::RunArguments;
use crate::error::CliError;
use crate::output::{complain, say};
use crate::own_words::own_words;
use crate::person::Terminal;

/// Carries out one command before a real arm and keeps what happened in a run folder.
pub(crate) fn run(arguments: &RunArguments, target: &Target) -> Result<ExitCode, CliError> {
    let goal = arguments.goal.as_ref().map(|goal| format!("goal: {goal}"));
    let text = arguments.text.clone().or(goal);
    let text = text.ok_or(CliError::NothingToDo)?;
    let file = builtin_robot()?;
    let agent = arguments.agent.options(&file)?;
    let cancel = CancelToken::new();
    let planner = arguments.agent.watched().planner(&cancel)?;
    let kit = Kit::new(file)?;
    let mut eyes = Eyes::open(&arguments.eyes, &kit, arguments.seed)?;
    let mut arm = arguments
        .connection
        .connect(target, Some(&arguments.motion), &kit, &cancel)?;
    let kit = arguments
        .connection
        .kit_for(arm.report().kind, &kit, &arguments.motion)?;
    let info = EpisodeInfo {
        task: text.clone(),
        scene: None,
        seed: arguments.seed,
        planner: planner.name(),
        version: env!("CARGO_PKG_VERSION").into(),
        args: own_words(),
        settings: Some(serde_json::to_value(&agent)?),
    };
    let folder = RunFolder::create(&arguments.runs_dir, &info)?;
    let mut sinks: Vec<Box<dyn EventSink>> = vec![Box::new(folder.sink())];
    let mut recording = None;
    if arguments.record {
        let now = arm.observe().map_err(regrasp::SetupError::from)?;
        match eyes.perception.perceive(&now) {
            Ok(percept) => {
                let (path, rate_hz) = (
                    folder.path().join(RECORDING_FILE),
                    arguments.recording.options().rate_hz,
                );
                let begun = Recording::begin(&path, &kit, info, rate_hz, (&now, &percept))?;
                let seen = Seen::begin(percept);
                arm = arm.watched(rate_hz, begun.watcher(&kit, &seen));
                eyes.perception = Box::new(Noted::new(eyes.perception, &seen));
                sinks.push(Box::new(begun.recorder.clone()));
                recording = Some(begun);
            }
            // The run says itself what is wrong with its eyes.
            Err(error) => complain(&format!("not recorded: {error}")),
        }
    }
    let cell = kit.cell_with(Backend {
        world: Box::new(arm),
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
        ..agent
    };
    let mut agent = Agent::new(robot, crate::skills::skills(), planner.build(), options)
        .with_person(Box::new(Terminal));
    let result = match &arguments.store {
        None => agent.run(&text),
        Some(path) => {
            agent = agent
                .with_memory(Box::new(SqliteStore::open(path)?))
                .with_approvals(Box::new(SqliteStore::open(path)?));
            match &arguments.run_key {
                None => agent.run(&text),
                Some(key) => {
                    let mut store = SqliteStore::open(path)?;
                    agent.run_kept(&text, &mut store, key, arguments.resume)?
                }
            }
        }
    };
    match arguments.json {
        true => say(&serde_json::to_string_pretty(&result)?),
        false => {
            say(&verdict_block(&result));
            say(&format!("run folder: {}", folder.path().display()));
        }
    }
    // The arm goes, and with it the last who watched it.
    drop(agent);
    if let Some(recording) = recording {
        recording.finish()?;
    }
    if let Some(error) = folder.take_error() {
        return Err(error.into());
    }
    Ok(ExitCode::of(&result))
}
