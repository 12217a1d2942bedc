use std::env;
use std::io;

use regrasp::api::{CancelToken, EventSink, FinalReason};
use regrasp::bench::{EpisodeOutcome, Verdict, judge};
use regrasp::perception::NoiseOptions;
use regrasp::record::{ConsoleSink, EpisodeInfo, RunFolder};
use regrasp::scene::{RobotFile, Scene, TaskInstance, builtin_scene, find_task, load_scene};
use regrasp::sim::SimOptions;
use regrasp::{Episode, EpisodeOptions, ExitCode, Kit, PlannerKind, verdict_block};

use super::RunArguments;
use super::error::CliError;
use super::output::{complain, say};

/// What `run` works on.
struct Assignment {
    text: String,
    scene: Scene,
    task: Option<TaskInstance>,
}

/// Carries out one command and keeps what happened in a run folder.
pub(super) fn run(arguments: &RunArguments) -> Result<ExitCode, CliError> {
    let robot = arguments.robot.load()?;
    let assignment = assignment(arguments, &robot)?;
    let planner = PlannerKind::from(arguments.agent.planner);
    let folder = RunFolder::create(
        &arguments.runs_dir,
        &EpisodeInfo {
            task: assignment.text.clone(),
            scene: Some(assignment.scene.name.clone()),
            seed: arguments.seed,
            planner: planner.name().into(),
            version: env!("CARGO_PKG_VERSION").into(),
            args: env::args().skip(1).collect(),
        },
    )?;
    let mut sinks: Vec<Box<dyn EventSink>> = vec![Box::new(folder.sink())];
    if !arguments.json {
        sinks.push(Box::new(ConsoleSink::new(io::stdout())));
    }
    let options = EpisodeOptions {
        planner,
        max_replans: arguments.agent.max_replans,
        seed: arguments.seed,
        noise: NoiseOptions::default(),
        sim: SimOptions::default(),
        sink: Box::new(sinks),
        cancel: cancelled_by_ctrl_c()?,
    };
    let episode = Kit::new(robot)?.episode(&assignment.scene, &assignment.text, options)?;
    if arguments.json {
        say(&serde_json::to_string_pretty(&episode.result)?);
    } else {
        say(&verdict_block(&episode.result));
        say(&format!("run folder: {}", folder.path().display()));
    }
    if let Some(error) = folder.take_error() {
        return Err(error.into());
    }
    Ok(exit_code(&episode, assignment.task.as_ref()))
}

fn assignment(arguments: &RunArguments, robot: &RobotFile) -> Result<Assignment, CliError> {
    if let Some(name) = &arguments.task {
        let task = find_task(name, robot)?.instantiate(arguments.seed)?;
        return Ok(Assignment {
            text: arguments
                .text
                .clone()
                .unwrap_or_else(|| task.prompt.clone()),
            scene: task.scene.clone(),
            // Another text than the task's own is not what the task's judge is about.
            task: arguments.text.is_none().then_some(task),
        });
    }
    let text = arguments.text.clone().ok_or(CliError::NothingToDo)?;
    let scene = match &arguments.scene {
        Some(path) => load_scene(path, robot)?,
        None => builtin_scene("tabletop")?,
    };
    Ok(Assignment {
        text,
        scene,
        task: None,
    })
}

fn cancelled_by_ctrl_c() -> Result<CancelToken, CliError> {
    let token = CancelToken::new();
    let handle = token.clone();
    ctrlc::set_handler(move || handle.cancel())?;
    Ok(token)
}

/// A task's judge has the last word over the agent's own claim.
fn exit_code(episode: &Episode, task: Option<&TaskInstance>) -> ExitCode {
    if episode.result.final_reason == FinalReason::VlmTransport {
        return ExitCode::PlannerUnavailable;
    }
    let done = match task {
        None => episode.result.success,
        Some(task) => {
            let outcome = EpisodeOutcome::from(episode);
            let verdict = judge(task, &outcome);
            if let Verdict::Failure {
                unmet,
                false_success: true,
            } = &verdict
            {
                let unmet: Vec<_> = unmet.iter().map(ToString::to_string).collect();
                complain(&format!("the judge denies it: {}", unmet.join("; ")));
            }
            verdict == Verdict::Success
        }
    };
    if done {
        ExitCode::Ok
    } else {
        ExitCode::TaskFailed
    }
}
