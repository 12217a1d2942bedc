//! `regrasp replay`: repetition of a recorded run.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use regrasp::api::{
    Approval, ApprovalRequest, CancelToken, Event, FinalReason, Person, StampedEvent,
};
use regrasp::record::{Run, episode_result, read_run};
use regrasp::scene::Scene;
use regrasp::{EpisodeOptions, LoadedRobot};
use regrasp_export::RecordOptions;
use regrasp_record::RECORDING_FILE;
use serde_json::Value;

use crate::arguments::ReplayArguments;
use crate::commands::{Arguments, Command};
use crate::recording::{Footage, recording_of, scratch};
use crate::run::assignment;
use crate::{CliError, ExitCode, Result, RunArguments, complain, say};

/// Repeats the run of a folder and compares the final states.
pub(super) fn replay(arguments: &ReplayArguments) -> Result<ExitCode> {
    if let Some(other) = &arguments.against {
        return crate::compare::compare(&arguments.run, other);
    }
    let dir = &arguments.run;
    let recorded = read_run(dir)?;
    let Some(result) = &recorded.result else {
        let why = "it has no result.json: it was killed or has not ended";
        return Err(refused(dir, why));
    };
    if result.final_reason == FinalReason::Cancelled {
        let why = "it was stopped at a time that is not recorded";
        return Err(refused(dir, why));
    }
    let run = run_arguments(&recorded, dir)?;
    let events = again(&run, &recorded, |_, _, _| Ok(()))?;
    let Some(now) = episode_result(&events) else {
        return Err(refused(dir, "the replay did not end"));
    };
    if now.state_digest == result.state_digest {
        let (digest, n_steps) = (&now.state_digest, now.steps);
        say(&format!(
            "the digest agrees: {digest}, after {n_steps} steps"
        ));
        return Ok(ExitCode::Ok);
    }
    complain(&format!(
        "the digest differs: it was {} and is now {}",
        result.state_digest, now.state_digest
    ));
    if let Some(difference) = first_difference(&recorded.events, &events) {
        complain(&difference);
    }
    let here = env!("CARGO_PKG_VERSION");
    let there = &recorded.info.version;
    if there != here {
        complain(&format!(
            "the run was made by version {there}, this is {here}"
        ));
        return Ok(ExitCode::BadFile);
    }
    let changed = changed_since(dir, &recorded.info.args);
    for file in &changed {
        complain(&format!("{file} was changed after the run"));
    }
    match changed.is_empty() {
        true => Ok(ExitCode::Bug),
        false => Ok(ExitCode::BadFile),
    }
}

/// Returns a run's arguments that are files modified after it.
fn changed_since<'a>(dir: &Path, args: &'a [String]) -> Vec<&'a String> {
    let modified = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
    let ended = modified(&dir.join("events.jsonl"));
    let is_younger = |arg: &&String| {
        let path = Path::new(arg.as_str());
        path.is_file() && ended.is_some() && modified(path) > ended
    };
    args.iter().filter(is_younger).collect()
}

fn refused(dir: &Path, why: impl std::fmt::Display) -> CliError {
    CliError::file(format_args!("replay the run in {}: {why}", dir.display()))
}

/// Arguments of the recorded run. Fails if it cannot be repeated.
fn run_arguments(recorded: &Run, dir: &Path) -> Result<RunArguments> {
    let words = std::iter::once("regrasp").chain(recorded.info.args.iter().map(String::as_str));
    let parsed = Arguments::read(words).map_err(|error| {
        let message = error.to_string();
        let message = message.lines().next().unwrap_or_default().to_owned();
        refused(dir, format!("its arguments cannot be parsed: {message}"))
    })?;
    let Command::Run(mut run) = parsed.command else {
        return Err(refused(dir, "it was not started by `regrasp run`"));
    };
    if let Some(name) = run.episode.robot.real() {
        let why = "is a real arm, which a replay never moves; --against RUN compares two runs";
        return Err(refused(dir, format!("{name} {why}")));
    }
    if let Some(store) = &run.store {
        let store = store.display();
        let why = format!("it used the store {store}, whose contents at that time are not kept");
        return Err(refused(dir, why));
    }
    if crate::models::provider(run.episode.agent.planner).is_some()
        && !run.episode.agent.model.play_cassette()
    {
        let why = "a model planned, and its answers were not recorded (use --cassette FILE \
                   --record-cassette)";
        return Err(refused(dir, why));
    }
    run.seed = recorded.info.seed;
    Ok(run)
}

/// Opens the recording in a run folder, or a recording file. A run without one is repeated, with a
/// message.
pub(super) fn footage(run: &Path) -> Result<Footage> {
    if recording_of(run).is_file() {
        return Footage::recorded(run);
    }
    complain(&format!(
        "{} has no {RECORDING_FILE}; the run is simulated again",
        run.display()
    ));
    let scratch = scratch()?;
    recorded_again(run, &scratch)?;
    Footage::again(scratch)
}

fn recorded_again(dir: &Path, path: &Path) -> Result<()> {
    let recorded = read_run(dir)?;
    let run = run_arguments(&recorded, dir)?;
    let mut recorder = None;
    let events = again(&run, &recorded, |loaded, scene, options| {
        let info = recorded.info.clone();
        recorder = Some(RecordOptions::default().begin(path, loaded, scene, info, options)?);
        Ok(())
    })?;
    if let Some(recorder) = recorder {
        recorder.finish()?;
    }
    let now = episode_result(&events).map(|result| &result.state_digest);
    let then = recorded.result.as_ref().map(|result| &result.state_digest);
    if then.is_some() && then != now {
        complain("the repeated run does not end in the same state as the original");
    }
    Ok(())
}

/// Repeats a run and returns its events.
fn again(
    run: &RunArguments,
    recorded: &Run,
    mut change: impl FnMut(&LoadedRobot, &Scene, &mut EpisodeOptions) -> Result<()>,
) -> Result<Vec<StampedEvent>> {
    let given = &run.episode;
    let robot = given.robot.load()?;
    let assignment = assignment(run, &robot)?;
    let agent = match &recorded.info.settings {
        Some(settings) => serde_json::from_value(settings.clone())?,
        None => given.agent.options(&robot)?,
    };
    let events = Arc::new(Mutex::new(Vec::<StampedEvent>::new()));
    let cancel = CancelToken::new();
    let planner = given.agent.planner(&cancel)?;
    let setup = given.setup(agent, &run.faults, planner, &cancel)?;
    let mut options = EpisodeOptions {
        sink: Box::new(Arc::clone(&events)),
        person: Box::new(RecordedPerson::of(&recorded.events)),
        ..setup.options(&assignment.text, run.seed)
    };
    let loaded = LoadedRobot::new(robot)?;
    change(&loaded, &assignment.scene, &mut options)?;
    loaded.episode(&assignment.scene, &assignment.text, options)?;
    let mut events = events.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut *events))
}

/// Person who gives the recorded answers.
struct RecordedPerson {
    approvals: VecDeque<Approval>,
    answers: VecDeque<Option<String>>,
}

impl RecordedPerson {
    fn of(events: &[StampedEvent]) -> Self {
        let approvals = events.iter().filter_map(|event| match &event.event {
            Event::ApprovalAsked { answer, .. } => Some(answer.clone()),
            _ => None,
        });
        let answers = events.iter().filter_map(|event| match &event.event {
            Event::QuestionAsked { answer, .. } => Some(answer.clone()),
            _ => None,
        });
        Self {
            approvals: approvals.collect(),
            answers: answers.collect(),
        }
    }
}

impl Person for RecordedPerson {
    fn approve(&mut self, _: &ApprovalRequest) -> Approval {
        self.approvals.pop_front().unwrap_or(Approval::Refused {
            why: "the original run did not ask for this approval".into(),
        })
    }

    fn answer(&mut self, _: &str) -> Option<String> {
        self.answers.pop_front().flatten()
    }
}

/// First event that differs between two runs, ignoring real times.
fn first_difference(before: &[StampedEvent], now: &[StampedEvent]) -> Option<String> {
    let value = |event: Option<&StampedEvent>| {
        let mut value = event.and_then(|event| serde_json::to_value(event).ok())?;
        without_wall_times(&mut value);
        Some(value)
    };
    let n_events = before.len().max(now.len());
    let idx = (0..n_events).find(|&idx| value(before.get(idx)) != value(now.get(idx)))?;
    let shown = |value: Option<Value>| value.map_or("nothing".into(), |v| v.to_string());
    Some(format!(
        "the runs diverge at event {idx}:\n  recorded {}\n  repeated {}",
        shown(value(before.get(idx))),
        shown(value(now.get(idx)))
    ))
}

fn without_wall_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|key, _| key != "wall_s");
            fields.values_mut().for_each(without_wall_times);
        }
        Value::Array(items) => items.iter_mut().for_each(without_wall_times),
        _ => {}
    }
}
