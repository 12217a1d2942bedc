//! Benchmark of tasks: one episode for each task and seed.

use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use regrasp::bench::{
    BenchError, EpisodeRecord, InfrastructureFailure, RunOptions, Tally, Verdict, Wires,
    run_episodes,
};
use regrasp::ground_truth::Lookout;
use regrasp::scene::TaskInstance;
use regrasp::{Episode, EpisodeOptions, LoadedRobot};

use super::arguments::BenchRunArguments;
use super::finish::{Session, finish};
use super::pictures::Pictures;
use super::recordings::Recordings;
use super::stop::stopped_by_ctrl_c;
use crate::agent::EpisodeSetup;
use crate::libero::AnyTask;
use crate::policy::{PolicySource, drive_by};
use crate::{ExitCode, Result, complain};

/// Runs tasks with all seeds and prints the judge's results.
pub(super) fn tasks(arguments: &BenchRunArguments) -> Result<ExitCode> {
    let started = Instant::now();
    let given = &arguments.episode;
    let robot = given.robot.load()?;
    let (tasks, groups) = arguments.chosen_tasks(&robot)?;
    let agent = given.agent.options(&robot)?;
    let stop = stopped_by_ctrl_c()?;
    let planner = given.agent.planner(&stop)?;
    let policy = given.policy.source()?;
    let plans = match &policy {
        Some(policy) => (policy.name(), None),
        None => (planner.name(), planner.version()),
    };
    let config = arguments.config(&robot, &agent, plans, groups)?;
    let folder = arguments.folder(&config)?;
    let mut ledger = folder.as_ref().map(|f| f.ledger()).transpose()?;
    let mut tally = Tally::new(&config);
    let keys = match &folder {
        None => config.keys(),
        Some(folder) => folder.read(|record: EpisodeRecord| tally.add(&record))?,
    };
    let recordings = Recordings::new(folder.as_ref(), arguments, planner.name())?;
    let bench = Bench {
        tasks: &tasks,
        recordings: &recordings,
        loaded: LoadedRobot::new(robot)?,
        setup: given.setup(agent, &arguments.faults, planner, &stop)?,
        policy,
    };
    let pictures = Pictures::new(folder.as_ref(), arguments.pictures)?;
    let n_done = config.keys().len() - keys.len();
    let bar = progress_bar((n_done + keys.len()) as u64, n_done as u64);
    let mut session = Session {
        jobs: Some(arguments.n_jobs()),
        ..Session::default()
    };
    let mut each = |record: EpisodeRecord| -> Result<(), BenchError> {
        if let Some(ledger) = &mut ledger {
            ledger.append(&record)?;
        }
        report_record(&bar, &record);
        tally.add(&record);
        session.n_episodes += 1;
        Ok(())
    };
    let options = RunOptions {
        jobs: arguments.n_jobs(),
        timeout: arguments.timeout,
        stop,
    };
    let episode = |instance: &TaskInstance, wires: Wires| bench.episode(instance, wires);
    let ended = |instance: &TaskInstance, outcome: &Episode, record: &EpisodeRecord| {
        let is_success = record.verdict == Verdict::Success;
        let recording = recordings.settle(instance, is_success);
        if matches!(record.verdict, Verdict::Failure { .. }) {
            pictures.keep(&bench.loaded, instance, &outcome.last, recording.as_deref());
        }
    };
    let preparing = |task: &str| bar.set_message(format!("preparing {task}"));
    let began = Instant::now();
    let done = run_episodes(
        &tasks, &keys, &options, &preparing, &episode, &ended, &mut each,
    );
    session.prepared = done?;
    session.took = began.elapsed();
    session.startup = began - started;
    bar.finish_and_clear();
    finish(folder.as_ref(), &tally, &session, arguments.fail_under)
}

struct Bench<'a> {
    tasks: &'a [AnyTask],
    recordings: &'a Recordings<'a>,
    loaded: LoadedRobot,
    setup: EpisodeSetup,
    policy: Option<PolicySource>,
}

impl Bench<'_> {
    fn episode(
        &self,
        instance: &TaskInstance,
        wires: Wires,
    ) -> Result<Episode, InfrastructureFailure> {
        let mut options = EpisodeOptions {
            watch_secs: instance.success.watch_secs(),
            sink: wires.sink,
            cancel: wires.cancel,
            ..self.setup.options(&instance.prompt, instance.seed)
        };
        let task = self.tasks.iter().find(|task| task.name() == instance.name);
        let terms = task.and_then(|task| task.terms(instance));
        let looked = drive_by(
            self.policy.as_ref(),
            Some(instance),
            terms.as_ref(),
            &mut options,
        );
        let recorder = self
            .recordings
            .begin(&self.loaded, instance, &mut options)?;
        let episode = self
            .loaded
            .episode(&instance.scene, &instance.prompt, options)
            .map_err(|error| InfrastructureFailure::new("setup", error.to_string()))?;
        if let Some(Err(error)) = recorder.map(|recorder| recorder.finish()) {
            return Err(InfrastructureFailure::new("recording", error.to_string()));
        }
        Ok(Episode {
            first_met: looked.map(|lookout| Lookout::met(&lookout)),
            ..episode
        })
    }
}

pub(super) fn progress_bar(n_episodes: u64, n_done: u64) -> ProgressBar {
    const TEMPLATE: &str = "{bar:30} {pos}/{len} {msg} ({per_sec}, {eta} left)";
    let style = ProgressStyle::with_template(TEMPLATE);
    let bar = ProgressBar::new(n_episodes);
    bar.set_position(n_done);
    // Episodes of earlier sessions must not affect the remaining time.
    bar.reset_eta();
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Advances the bar; prints a permanent line unless the episode succeeded and was reported so.
fn report_record(bar: &ProgressBar, record: &EpisodeRecord) {
    bar.set_message(record.task.clone());
    bar.inc(1);
    let EpisodeRecord {
        task,
        seed,
        reason,
        detail,
        ..
    } = record;
    let line = match (&record.verdict, &record.unclaimed) {
        (Verdict::Success, None) => return,
        (Verdict::Success, Some(why)) => {
            format!("{task} seed {seed}: done, but reported as a failure: {why}")
        }
        (Verdict::Infrastructure, _) => {
            format!("{task} seed {seed}: infrastructure failure, {reason} - {detail}")
        }
        (Verdict::Failure { .. }, _) => format!("{task} seed {seed}: {reason} - {detail}"),
    };
    bar.suspend(|| complain(&line));
}
