//! `regrasp run`: one command, from the sentence to the run folder.

use std::{fs, io};

use regrasp::api::{CancelToken, EventSink, Viewpoint};
use regrasp::bench::{Verdict, judge};
use regrasp::policy::PolicyTerms;
use regrasp::record::{ConsoleSink, EpisodeInfo, RunFolder};
use regrasp::scene::{RobotFile, Scene, TaskInstance};
use regrasp::{Episode, EpisodeOptions, KeepRun, LoadedRobot};
use regrasp_record::RECORDING_FILE;
use regrasp_store::SqliteStore;
use serde_json::json;

use crate::output::say_result;
use crate::policy::{PolicySource, drive_by};
use crate::{
    CliError, ExitCode, Result, RunArguments, Terminal, complain, find_scene, given_words, say,
};

/// Text, scene and task of a run.
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) text: String,
    pub(super) scene: Scene,
    task: Option<TaskInstance>,
    /// Rates and limits that the task's benchmark sets for policies.
    terms: Option<PolicyTerms>,
}

/// Carries out one command and stores its data in a run folder.
pub(super) fn run(arguments: &RunArguments) -> Result<ExitCode> {
    #[cfg(all(feature = "franka", target_os = "linux"))]
    if let Some(name) = arguments.episode.robot.real() {
        return crate::real::run::run(arguments, name);
    }
    let given = &arguments.episode;
    let robot = given.robot.load()?;
    let agent = given.agent.options(&robot)?;
    let assignment = assignment(arguments, &robot)?;
    if arguments.dry_run {
        return dry_run(arguments, robot, &assignment, agent.viewpoint);
    }
    let cancel = cancelled_by_ctrl_c()?;
    let planner = given.agent.watched().planner(&cancel)?;
    let policy = given.policy.source()?;
    let settings = serde_json::to_value(&agent)?;
    let setup = given.setup(agent, &arguments.faults, planner, &cancel)?;
    let loaded = LoadedRobot::new(robot)?;
    let recording = arguments.recording.options();
    // Checked before the run folder is created, so that a wrong camera name leaves no folder.
    recording.check(&loaded, &assignment.scene)?;
    let info = EpisodeInfo {
        task: assignment.text.clone(),
        scene: Some(assignment.name.clone()),
        seed: arguments.seed,
        planner: policy
            .as_ref()
            .map_or_else(|| setup.planner.name(), PolicySource::name),
        version: env!("CARGO_PKG_VERSION").into(),
        args: given_words(),
        settings: Some(settings),
    };
    let folder = RunFolder::create(&arguments.runs_dir, &info)?;
    let mut sinks: Vec<Box<dyn EventSink>> = vec![Box::new(folder.sink())];
    if !arguments.json {
        sinks.push(Box::new(ConsoleSink::new(io::stdout())));
    }
    let mut options = EpisodeOptions {
        sink: Box::new(sinks),
        cancel,
        person: Box::new(Terminal),
        watch_secs: assignment
            .task
            .as_ref()
            .map_or(0.0, |task| task.success.watch_secs()),
        ..setup.options(&assignment.text, arguments.seed)
    };
    let (task, terms) = (assignment.task.as_ref(), assignment.terms.as_ref());
    drive_by(policy.as_ref(), task, terms, &mut options);
    keep(arguments, &mut options)?;
    let recorder = match arguments.record {
        true => {
            let path = folder.path().join(RECORDING_FILE);
            Some(recording.begin(&path, &loaded, &assignment.scene, info, &mut options)?)
        }
        false => None,
    };
    let episode = loaded.episode(&assignment.scene, &assignment.text, options)?;
    let verdict = verdict(&episode, assignment.task.as_ref());
    let judged = verdict
        .as_ref()
        .map(|unmet| json!({"success": unmet.is_empty(), "unmet": unmet}));
    let ran = (!episode.is_from_store).then_some(folder.path());
    say_result(&episode.result, ran, judged, arguments.json)?;
    if let Some(error) = folder.take_error() {
        return Err(error.into());
    }
    if let Some(recorder) = recorder {
        recorder.finish()?;
    }
    if ran.is_none() {
        complain(
            "the run with this key has already ended: nothing was executed, and the other options \
             had no effect",
        );
        let path = folder.path();
        fs::remove_dir_all(path).map_err(CliError::writing(path))?;
    }
    Ok(exit_code(&episode, verdict))
}

/// Prints the interpretation of a text. Nothing moves.
fn dry_run(
    arguments: &RunArguments,
    robot: RobotFile,
    assignment: &Assignment,
    viewpoint: Viewpoint,
) -> Result<ExitCode> {
    let loaded = LoadedRobot::new(robot)?;
    let understood = loaded.understand(&assignment.scene, &assignment.text, viewpoint)?;
    match (understood, arguments.json) {
        (Ok(understood), true) => say(&serde_json::to_string_pretty(&understood)?),
        (Ok(understood), false) => {
            say(&format!("GOAL: {}", understood.goal()));
            for line in understood.because() {
                say(&format!("  {line}"));
            }
        }
        (Err(why), json) => {
            match json {
                true => say(&serde_json::to_string_pretty(&why)?),
                false => complain(&why.to_string()),
            }
            return Ok(ExitCode::TaskFailed);
        }
    }
    Ok(ExitCode::Ok)
}

/// Sets the stores of data that outlive the process: memory and approvals with `--store`, the run
/// itself with `--run-key`.
fn keep(arguments: &RunArguments, options: &mut EpisodeOptions) -> Result<()> {
    let Some(path) = &arguments.store else {
        return Ok(());
    };
    let open = || SqliteStore::open(path);
    options.memory = Some(Box::new(open()?));
    options.approvals = Some(Box::new(open()?));
    if let Some(key) = &arguments.run_key {
        options.keep = Some(KeepRun {
            store: Box::new(open()?),
            key: key.clone(),
            resume: arguments.resume,
        });
    }
    Ok(())
}

pub(super) fn assignment(arguments: &RunArguments, robot: &RobotFile) -> Result<Assignment> {
    let own = arguments.own_text();
    if let Some(name) = &arguments.task {
        let source = arguments.episode.libero.find_one(name, robot)?;
        let task = source.draw(arguments.seed).map_err(CliError::file)?;
        return Ok(Assignment {
            terms: source.terms(&task).filter(|_| own.is_none()),
            text: own.clone().unwrap_or_else(|| task.prompt.clone()),
            name: task.name.clone(),
            scene: task.scene.clone(),
            // The task's judge only judges runs of its own prompt.
            task: own.is_none().then_some(task),
        });
    }
    let scene = arguments.scene.as_deref().unwrap_or("tabletop");
    let scene = find_scene(scene, robot, arguments.seed)?;
    Ok(Assignment {
        text: own.ok_or_else(CliError::nothing_to_do)?,
        name: scene.name.clone(),
        scene,
        task: None,
        terms: None,
    })
}

fn cancelled_by_ctrl_c() -> Result<CancelToken> {
    let token = CancelToken::new();
    let handle = token.clone();
    ctrlc::set_handler(move || handle.cancel())?;
    Ok(token)
}

/// Conditions that the task's judge finds unmet, or the reason of an infrastructure failure. `None`
/// without a judge, and for a stored result, whose world no longer exists.
fn verdict(episode: &Episode, task: Option<&TaskInstance>) -> Option<Vec<String>> {
    let task = task.filter(|_| !episode.is_from_store)?;
    Some(match judge(task, episode) {
        Verdict::Failure { unmet, .. } => unmet.iter().map(ToString::to_string).collect(),
        Verdict::Infrastructure => vec![episode.result.final_reason.to_string()],
        Verdict::Success => vec![],
    })
}

/// Exit code by the task's judge, which overrides the agent's own claim, unless the planner, the
/// policy, the robot or a file could not be used.
fn exit_code(episode: &Episode, verdict: Option<Vec<String>>) -> ExitCode {
    let own = ExitCode::of(&episode.result);
    if matches!(own, ExitCode::PlannerUnavailable | ExitCode::BadFile) {
        return own;
    }
    let claimed = episode.result.success;
    let done = verdict.map_or(claimed, |unmet| {
        if claimed && !unmet.is_empty() {
            complain(&format!("the judge disagrees: {}", unmet.join("; ")));
        }
        unmet.is_empty()
    });
    if done {
        ExitCode::Ok
    } else {
        ExitCode::TaskFailed
    }
}
