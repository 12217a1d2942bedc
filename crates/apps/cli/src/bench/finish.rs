//! Tables, files and exit code at the end of a run.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use regrasp::bench::{BenchFolder, Key, Machine, Report, Summary, Tally, Timing, table};

use super::charts::charts;
use super::stop::print_how_to_resume;
use crate::{ExitCode, Result, complain, say};

/// Figures of the last session of a run.
#[derive(Default)]
pub(super) struct Session {
    /// Number of concurrent episodes.
    pub(super) jobs: Option<usize>,
    pub(super) n_episodes: usize,
    /// Real time of the episodes, including the preparation of tasks.
    pub(super) took: Duration,
    /// Real time before the first episode.
    pub(super) startup: Duration,
    pub(super) prepared: BTreeMap<String, Duration>,
}

/// Prints the table, writes the files, and returns the exit code.
pub(super) fn finish(
    folder: Option<&BenchFolder>,
    tally: &Tally,
    session: &Session,
    fail_under: Option<f64>,
) -> Result<ExitCode> {
    let summary = tally.summary();
    let timing = Timing {
        machine: Machine::this(),
        jobs: session.jobs,
        session_episodes: session.n_episodes,
        session_s: session.took.as_secs_f64(),
        startup_s: session.startup.as_secs_f64(),
        preparation_s: session.prepared.values().sum::<Duration>().as_secs_f64(),
        tasks: tally.timings(&session.prepared),
    };
    say(&table(&summary, &timing.tasks));
    if let Some(starts) = summary.pooled.starts() {
        say(&format!("starts: {starts}"));
    }
    if let Some(folder) = folder {
        folder.write_json("summary.json", &summary)?;
        folder.write_json("timing.json", &timing)?;
        let report = Report {
            config: folder.config(),
            summary: &summary,
            timing: &timing,
            charts: charts(&summary, &timing),
            pictures: pictures(folder, &summary),
        };
        folder.write("report.md", &report.markdown()?)?;
        folder.write("report.html", &report.html()?)?;
        say(&format!("results: {}", folder.path().display()));
    }
    if summary.missing > 0 {
        let n_done = summary.pooled.episodes;
        print_how_to_resume(n_done, n_done + summary.missing, folder.is_some());
        return Ok(ExitCode::Stopped);
    }
    let never_at_rest = summary.never_at_rest();
    if !never_at_rest.is_empty() {
        let tasks = never_at_rest.join(", ");
        complain(&format!("no scene of {tasks} comes to rest"));
        return Ok(ExitCode::BadFile);
    }
    let spoilt = summary
        .tasks
        .iter()
        .find_map(|task| task.infrastructure_failures.first());
    if let Some(first) = spoilt.filter(|_| summary.pooled.judged() == 0) {
        return Ok(nothing_judged(&format!(
            "{}: {}",
            first.reason, first.detail
        )));
    }
    match fail_under {
        Some(threshold) if !summary.reaches(threshold) => {
            complain(&format!(
                "the success rate of a task is below --fail-under {threshold}"
            ));
            Ok(ExitCode::BelowThreshold)
        }
        _ => Ok(ExitCode::Ok),
    }
}

/// Reports that an infrastructure failure spoilt every episode, with the first reason.
pub(super) fn nothing_judged(why: &str) -> ExitCode {
    complain(&format!(
        "nothing was measured: every episode had an infrastructure failure: {why}"
    ));
    ExitCode::PlannerUnavailable
}

/// Existing pictures of failed episodes.
fn pictures(folder: &BenchFolder, summary: &Summary) -> BTreeMap<Key, Vec<u8>> {
    let keys = summary.tasks.iter().flat_map(|task| {
        let failures = task.failures.iter();
        failures.map(|failure| Summary::key(task, failure.seed))
    });
    let picture = |key: Key| Some((key.clone(), fs::read(folder.picture(&key)).ok()?));
    keys.filter_map(picture).collect()
}
