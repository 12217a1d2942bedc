//! The loop over tasks and seeds.

use std::ops::Range;
use std::time::Instant;

use regrasp_scene::{Task, TaskInstance, Unmet, stray_contacts};

use crate::{
    BenchError, BenchReport, EpisodeOutcome, EpisodeRecord, SuiteInfo, TaskReport, Verdict, judge,
};

/// The machinery could not even start an episode: never the robot's failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("run the episode: {detail}")]
pub struct InfrastructureFailure {
    /// What went wrong.
    pub detail: String,
}

/// Builds world, senses and planner for an instance and runs the agent in it.
pub type RunEpisode<'a> =
    dyn Fn(&TaskInstance) -> Result<EpisodeOutcome, InfrastructureFailure> + 'a;

/// Runs every task with every seed, one after the other. `progress` hears of each
/// episode as it ends.
///
/// # Errors
///
/// [`BenchError::Instantiate`] if a task cannot be drawn with a seed; what happens
/// inside an episode is data, never an error.
pub fn run_suite(
    tasks: &[Task],
    seeds: Range<u64>,
    info: SuiteInfo,
    run: &RunEpisode<'_>,
    progress: &mut dyn FnMut(&EpisodeRecord),
) -> Result<BenchReport, BenchError> {
    let mut reports = Vec::new();
    for task in tasks {
        let mut episodes = Vec::new();
        for seed in seeds.clone() {
            let instance = task
                .instantiate(seed)
                .map_err(|source| BenchError::Instantiate {
                    task: task.name().to_owned(),
                    seed,
                    source,
                })?;
            let start = Instant::now();
            let outcome = run(&instance);
            let record = record(&instance, outcome, start.elapsed().as_secs_f64());
            progress(&record);
            episodes.push(record);
        }
        reports.push(TaskReport::new(task.name(), &episodes));
    }
    Ok(BenchReport {
        info,
        tasks: reports,
    })
}

fn record(
    instance: &TaskInstance,
    outcome: Result<EpisodeOutcome, InfrastructureFailure>,
    wall_s: f64,
) -> EpisodeRecord {
    let (verdict, reason, detail, stray_contacts) = match outcome {
        Err(failure) => (
            Verdict::Infrastructure,
            "infrastructure".to_owned(),
            failure.detail,
            0,
        ),
        Ok(outcome) => {
            let verdict = judge(instance, &outcome);
            let (reason, detail) = explain(&verdict, &outcome);
            let strays = stray_contacts(&outcome.first, &outcome.last);
            (verdict, reason, detail, strays.len())
        }
    };
    EpisodeRecord {
        task: instance.name.clone(),
        seed: instance.seed,
        verdict,
        reason,
        detail,
        stray_contacts,
        wall_s,
    }
}

/// The most telling reason: a false claim, then what the last skill said, then how
/// the episode ended. The judge's findings follow.
fn explain(verdict: &Verdict, outcome: &EpisodeOutcome) -> (String, String) {
    let result = &outcome.result;
    let ended = result.final_reason.to_string();
    let Verdict::Failure {
        unmet,
        false_success,
    } = verdict
    else {
        return (ended, result.final_detail.clone());
    };
    let judged: Vec<String> = unmet.iter().map(Unmet::to_string).collect();
    let judged = judged.join("; ");
    match &outcome.last_failure {
        _ if *false_success => ("false_success".to_owned(), judged),
        Some(failure) => {
            let detail = format!("{}; judged: {judged}", failure.detail);
            (failure.reason.to_string(), detail)
        }
        None => {
            let said = [result.final_detail.as_str(), "judged: "].join("; ");
            let said = said.trim_start_matches("; ");
            (ended, format!("{said}{judged}"))
        }
    }
}
