//! What a run found, as far as it does not depend on the machine.

use std::collections::BTreeMap;

use regrasp_api::FinalReason;
use serde::{Deserialize, Serialize};

use crate::{BenchConfig, EpisodeRecord, InfrastructureFailure, Key, Verdict, wilson95};

/// Numbers of episodes, and sums over them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Episodes run, those with trouble of the machinery included.
    pub episodes: usize,
    /// Episodes that the judge counts as done.
    pub successes: usize,
    /// Of the successes, those that count by the stricter rule, too; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strict_successes: Option<usize>,
    /// Episodes in which the task was done at some time, whether or not at the end; `None` if
    /// nobody looked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ever_done: Option<usize>,
    /// Episodes that began as a file of starts says; `None` if all were drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_starts: Option<usize>,
    /// Of all, those that the agent claims to have done and the judge denies.
    pub false_successes: usize,
    /// Of the successes, those that the agent reports as failures.
    pub unclaimed: usize,
    /// Episodes that the machinery or the scene spoilt, too long ones included.
    pub infrastructure: usize,
    /// Of these, those that took more real time than they were given.
    pub timeouts: usize,
    /// Of these, those of which the scene did not come to rest.
    #[serde(default)]
    pub unsettled: usize,
    /// Contacts of the robot with its surroundings that no grasp needs.
    pub stray_contacts: usize,
    /// How often planners were asked again.
    pub replans: usize,
    /// How often planners were asked.
    pub planner_calls: usize,
    /// Skill calls.
    pub steps: usize,
    /// Tokens that planners' models took.
    pub tokens: u64,
    /// 95 % interval of the success rate among `episodes - infrastructure`.
    pub wilson95: [f64; 2],
}

impl Counts {
    /// Adds an episode; the interval is left to [`Self::with_interval`].
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

    /// What spoilt episodes, as far as it has a name: `2 (1 timeout, 1 unsettled)`.
    pub(crate) fn spoilt(&self) -> String {
        let named = [(self.timeouts, "timeout"), (self.unsettled, "unsettled")];
        let named = named.iter().filter(|(n, _)| *n > 0);
        let named: Vec<_> = named.map(|(n, name)| format!("{n} {name}")).collect();
        match named.is_empty() {
            true => self.infrastructure.to_string(),
            false => format!("{} ({})", self.infrastructure, named.join(", ")),
        }
    }

    /// How episodes began, if some did as a file says: `20 of 30 from files of initial states`.
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

    /// Episodes that say something about the robot.
    pub fn judged(&self) -> usize {
        self.episodes - self.infrastructure
    }

    /// The success rate; `None` if nothing could be judged.
    pub fn success_rate(&self) -> Option<f64> {
        let judged = self.judged();
        (judged > 0).then(|| self.successes as f64 / judged as f64)
    }
}

/// An episode that is to be looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureRecord {
    /// The seed to repeat it with.
    pub seed: u64,
    /// Why, as a slug; `false_success` if the agent claimed to have done it.
    pub reason: String,
    /// The same in a sentence.
    pub detail: String,
    /// Where the last skill that failed did so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

/// Simulated time of a phase.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SimTime {
    /// How often it was entered.
    pub n: u64,
    /// Simulated seconds, all together.
    pub sim_s: f64,
}

/// One task over all seeds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskSummary {
    /// The task.
    pub task: String,
    /// How many did what.
    #[serde(flatten)]
    pub counts: Counts,
    /// Median simulated time of an episode, s.
    pub median_sim_s: Option<f64>,
    /// 95th percentile of the same, s.
    pub p95_sim_s: Option<f64>,
    /// Hash of all final states, in the order of seeds.
    pub state_digest: String,
    /// How often the robot failed for which reason.
    pub reasons: BTreeMap<String, usize>,
    /// How often the last failure was in which phase.
    pub failed_in: BTreeMap<String, usize>,
    /// Simulated time of each phase.
    pub phases: BTreeMap<String, SimTime>,
    /// The robot's failures, in the order of seeds.
    pub failures: Vec<FailureRecord>,
    /// Successes that the agent reports as failures, with its explanation.
    pub unclaimed_successes: Vec<FailureRecord>,
    /// The machinery's failures, in the order of seeds.
    pub infrastructure_failures: Vec<FailureRecord>,
}

/// What a run found: `summary.json`. The same bytes for any number of jobs, for shards put
/// together and for a run that was killed and resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// What was asked for.
    pub config: BenchConfig,
    /// Episodes that are still to be run.
    pub missing: usize,
    /// One entry per task.
    pub tasks: Vec<TaskSummary>,
    /// All tasks together.
    pub pooled: Counts,
}

impl Summary {
    /// Whether every task reaches a success rate; a task of which nothing could be
    /// judged does not.
    pub fn reaches(&self, threshold: f64) -> bool {
        let rates = self.tasks.iter().map(|task| task.counts.success_rate());
        rates
            .into_iter()
            .all(|rate| rate.is_some_and(|r| r >= threshold))
    }

    /// The tasks of which no scene came to rest: their files are wrong.
    pub fn never_at_rest(&self) -> Vec<&str> {
        let all = self.tasks.iter();
        let never =
            all.filter(|t| t.counts.episodes > 0 && t.counts.unsettled == t.counts.episodes);
        never.map(|task| task.task.as_str()).collect()
    }

    /// How often the robot failed for which reason, over all tasks.
    pub fn reasons(&self) -> BTreeMap<&str, usize> {
        pooled(self.tasks.iter().map(|task| &task.reasons))
    }

    /// How often the last failure was in which phase, over all tasks.
    pub fn failed_in(&self) -> BTreeMap<&str, usize> {
        pooled(self.tasks.iter().map(|task| &task.failed_in))
    }

    /// The key of an episode.
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
    fn starts_out_of_files_are_counted_and_told() {
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
        let told = counts.starts();
        assert_eq!(told.as_deref(), Some("1 of 2 from files of initial states"));
    }
}
