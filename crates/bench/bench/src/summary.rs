//! Results of a run that do not depend on the machine.

use std::collections::BTreeMap;

use regrasp_api::FinalReason;
use serde::{Deserialize, Serialize};

use crate::{BenchConfig, EpisodeRecord, InfrastructureFailure, Key, Verdict, wilson95};

/// Counts and sums over episodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Episodes run, including infrastructure failures.
    pub episodes: usize,
    /// Episodes that the judge counts as done.
    pub successes: usize,
    /// Successes that also satisfy the stricter rule; `None` if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict_successes: Option<usize>,
    /// Episodes in which the condition held at any time; `None` if it is checked only at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ever_done: Option<usize>,
    /// Episodes with an initial state from a file; `None` if all were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_starts: Option<usize>,
    /// Episodes in which the agent claims a success that the judge denies.
    pub false_successes: usize,
    /// Successes that the agent reports as failures.
    pub unclaimed: usize,
    /// Episodes lost to the infrastructure or the scene, including timeouts.
    pub infrastructure: usize,
    /// Infrastructure failures by timeout.
    pub timeouts: usize,
    /// Infrastructure failures because the scene did not come to rest.
    #[serde(default)]
    pub unsettled: usize,
    /// Contacts of the robot with its surroundings that no grasp needs.
    pub stray_contacts: usize,
    /// Number of replans.
    pub replans: usize,
    /// Number of planner calls.
    pub planner_calls: usize,
    /// Number of skill calls.
    pub steps: usize,
    /// Tokens used by the planners' models.
    pub tokens: u64,
    /// 95 % interval of the success rate among `episodes - infrastructure`.
    pub wilson95: [f64; 2],
}

impl Counts {
    /// Adds an episode. [`Self::with_interval`] computes the interval afterwards.
    pub(crate) fn add(&mut self, record: &EpisodeRecord) {
        let is_spoilt = record.verdict == Verdict::Infrastructure;
        let is_late = is_spoilt && record.reason == InfrastructureFailure::TIMEOUT;
        self.episodes += 1;
        self.successes += usize::from(record.verdict == Verdict::Success);
        if let Some(unmet) = &record.stricter {
            let is_done = record.verdict == Verdict::Success && unmet.is_empty();
            *self.strict_successes.get_or_insert(0) += usize::from(is_done);
        }
        if let Some(was_done) = record.was_ever_done() {
            *self.ever_done.get_or_insert(0) += usize::from(was_done);
        }
        if record.begins_as.is_some() {
            *self.kept_starts.get_or_insert(0) += 1;
        }
        self.false_successes += usize::from(record.is_false_success());
        self.unclaimed += usize::from(record.unclaimed.is_some());
        self.infrastructure += usize::from(is_spoilt);
        self.timeouts += usize::from(is_late);
        self.unsettled +=
            usize::from(is_spoilt && record.reason == FinalReason::SceneNotAtRest.slug());
        self.stray_contacts += record.stray_contacts;
        self.replans += record.replans;
        self.planner_calls += record.planner_calls;
        self.steps += record.steps;
        self.tokens += record.tokens;
    }

    /// Number of infrastructure failures with their known causes: `2 (1 timeout, 1 unsettled)`.
    pub(crate) fn spoilt(&self) -> String {
        let named = [(self.timeouts, "timeout"), (self.unsettled, "unsettled")];
        let named = named.iter().filter(|(n, _)| *n > 0);
        let named: Vec<_> = named.map(|(n, name)| format!("{n} {name}")).collect();
        match named.is_empty() {
            true => self.infrastructure.to_string(),
            false => format!("{} ({})", self.infrastructure, named.join(", ")),
        }
    }

    /// Returns a text on the initial states if some came from files: `20 of 30 from files of
    /// initial states`.
    pub fn starts(&self) -> Option<String> {
        let n = self.kept_starts?;
        Some(format!(
            "{n} of {} from files of initial states",
            self.episodes
        ))
    }

    pub(crate) fn with_interval(mut self) -> Self {
        self.wilson95 = wilson95(self.successes, self.judged());
        self
    }

    /// Number of episodes without an infrastructure failure.
    pub fn judged(&self) -> usize {
        self.episodes - self.infrastructure
    }

    /// Success rate; `None` if no episode could be judged.
    pub fn success_rate(&self) -> Option<f64> {
        let judged = self.judged();
        (judged > 0).then(|| self.successes as f64 / judged as f64)
    }
}

/// An episode that is listed in reports for inspection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRecord {
    /// Seed with which to repeat the episode.
    pub seed: u64,
    /// Reason, as a slug; `false_success` or `unclaimed` if the agent's claim is wrong.
    pub reason: String,
    /// Reason in one sentence.
    pub detail: String,
    /// Phase in which the last failed skill failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

/// Simulated time of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimTime {
    /// Number of times the phase was entered.
    pub n: u64,
    /// Total simulated time, s.
    pub sim_s: f64,
}

/// One task over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskSummary {
    /// Name of the task.
    pub task: String,
    /// Counts over the task's episodes.
    #[serde(flatten)]
    pub counts: Counts,
    /// Median simulated time of an episode, s.
    pub median_sim_s: Option<f64>,
    /// 95th percentile of the simulated time of an episode, s.
    pub p95_sim_s: Option<f64>,
    /// Hash of all final states, in the order of seeds.
    pub state_digest: String,
    /// Number of the robot's failures by reason.
    pub reasons: BTreeMap<String, usize>,
    /// Number of failed episodes by the phase of their last failure.
    pub failed_in: BTreeMap<String, usize>,
    /// Simulated time of each phase.
    pub phases: BTreeMap<String, SimTime>,
    /// The robot's failures, in the order of seeds.
    pub failures: Vec<FailureRecord>,
    /// Successes that the agent reports as failures, with its explanation.
    pub unclaimed_successes: Vec<FailureRecord>,
    /// Infrastructure failures, in the order of seeds.
    pub infrastructure_failures: Vec<FailureRecord>,
}

/// Results of a run: `summary.json`. The bytes are the same for any number of jobs, for merged
/// shards and for a run that was killed and resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Configuration of the run.
    pub config: BenchConfig,
    /// Number of episodes still to be run.
    pub missing: usize,
    /// One entry per task.
    pub tasks: Vec<TaskSummary>,
    /// All tasks together.
    pub pooled: Counts,
}

impl Summary {
    /// Returns true if every task reaches the success rate; false for a task without judged
    /// episodes.
    pub fn reaches(&self, threshold: f64) -> bool {
        let mut rates = self.tasks.iter().map(|task| task.counts.success_rate());
        rates.all(|rate| rate.is_some_and(|r| r >= threshold))
    }

    /// Names of the tasks whose scene never came to rest, which indicates wrong task files.
    pub fn never_at_rest(&self) -> Vec<&str> {
        let all = self.tasks.iter();
        let never =
            all.filter(|t| t.counts.episodes > 0 && t.counts.unsettled == t.counts.episodes);
        never.map(|task| task.task.as_str()).collect()
    }

    /// Number of the robot's failures by reason, over all tasks.
    pub fn reasons(&self) -> BTreeMap<&str, usize> {
        pooled(self.tasks.iter().map(|task| &task.reasons))
    }

    /// Number of failed episodes by the phase of their last failure, over all tasks.
    pub fn failed_in(&self) -> BTreeMap<&str, usize> {
        pooled(self.tasks.iter().map(|task| &task.failed_in))
    }

    /// Key of an episode.
    pub fn key(task: &TaskSummary, seed: u64) -> Key {
        Key {
            group: task.task.clone(),
            seed,
        }
    }
}

fn pooled<'a>(all: impl Iterator<Item = &'a BTreeMap<String, usize>>) -> BTreeMap<&'a str, usize> {
    let mut sums = BTreeMap::new();
    for (name, n) in all.flatten() {
        *sums.entry(name.as_str()).or_default() += n;
    }
    sums
}

#[cfg(test)]
mod tests {
    use regrasp_scene::KeptStart;

    use super::*;

    #[test]
    fn starts_out_of_files_are_counted_and_reported() {
        let mut counts = Counts::default();
        let failure = InfrastructureFailure::new("setup", "none");
        let drawn = EpisodeRecord::spoilt("a", 0, failure, 0.0);
        counts.add(&drawn);
        assert_eq!(counts.starts(), None);
        let begins_as = Some(KeptStart {
            file: "init_files/a.pruned_init".to_owned(),
            row: 3,
        });
        counts.add(&EpisodeRecord { begins_as, ..drawn });
        let text = counts.starts();
        assert_eq!(text.as_deref(), Some("1 of 2 from files of initial states"));
    }
}
