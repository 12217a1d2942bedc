//! Record of one judged episode.

use std::collections::BTreeMap;

use regrasp_ground_truth::{Episode, FirstMet, Unmet, stray_contacts};
use regrasp_scene::{KeptStart, TaskInstance};
use serde::{Deserialize, Serialize};

use crate::{Key, PhaseTime, Record, Trace, Verdict, judge};

/// A failure of the infrastructure while running an episode; never counted as the robot's failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("run the episode: {detail}")]
pub struct InfrastructureFailure {
    /// Category, as a slug: `setup`, `recording`, `panic`, `no_instance`, `timeout`.
    pub reason: String,
    /// Description of the failure.
    pub detail: String,
}

impl InfrastructureFailure {
    /// Category of an episode that exceeded its limit of real time.
    pub const TIMEOUT: &str = "timeout";

    /// Creates a failure of the given category.
    pub fn new(reason: &str, detail: impl Into<String>) -> Self {
        Self {
            reason: reason.to_owned(),
            detail: detail.into(),
        }
    }
}

/// Record of one judged episode: a line of `results.jsonl`. Everything but `wall_s` and the
/// `wall_us` in `phases` is independent of the machine and of other jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpisodeRecord {
    /// Name of the task.
    pub task: String,
    /// Seed of the episode.
    pub seed: u64,
    /// Initial state from a file; `None` if it was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins_as: Option<KeptStart>,
    /// Verdict of the judge.
    pub verdict: Verdict,
    /// Reason of the failure, as a slug; on success the agent's final reason.
    pub reason: String,
    /// Reason in one sentence.
    pub detail: String,
    /// Phase in which the last failed skill failed, such as `pick/close`.
    pub phase: Option<String>,
    /// The agent's explanation if the judge sees the task done but the agent reports a failure.
    pub unclaimed: Option<String>,
    /// Number of replans.
    pub replans: usize,
    /// Number of planner calls.
    pub planner_calls: usize,
    /// Number of skill calls.
    pub steps: usize,
    /// Tokens used by the planner's model.
    pub tokens: u64,
    /// Contacts that no skill needs (see [`stray_contacts`](regrasp_ground_truth::stray_contacts)).
    pub stray_contacts: usize,
    /// Simulated duration, s.
    pub sim_s: f64,
    /// Unmet conditions of the stricter rule, if the task has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stricter: Option<Vec<Unmet>>,
    /// First time at which the condition held, if it is checked during the episode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_met: Option<FirstMet>,
    /// Hash of the final state, if there is one.
    pub state_digest: Option<String>,
    /// Real duration including building the world, s.
    pub wall_s: f64,
    /// Time spent in each phase.
    pub phases: BTreeMap<String, PhaseTime>,
}

impl Record for EpisodeRecord {
    fn key(&self) -> Key {
        Key {
            group: self.task.clone(),
            seed: self.seed,
        }
    }
}

impl EpisodeRecord {
    /// Creates the record of an infrastructure failure.
    pub fn spoilt(task: &str, seed: u64, failure: InfrastructureFailure, wall_s: f64) -> Self {
        Self {
            task: task.to_owned(),
            seed,
            verdict: Verdict::Infrastructure,
            reason: failure.reason,
            detail: failure.detail,
            wall_s,
            ..Self::default()
        }
    }

    /// Judges an episode and creates its record.
    pub fn judged(instance: &TaskInstance, outcome: &Episode, trace: Trace, wall_s: f64) -> Self {
        let verdict = judge(instance, outcome);
        let (reason, detail) = explain(&verdict, outcome, trace.goal.as_deref());
        let result = &outcome.result;
        let is_failure = matches!(verdict, Verdict::Failure { .. });
        let moved = instance.success.moved();
        Self {
            task: instance.name.clone(),
            seed: instance.seed,
            begins_as: instance.begins_as.clone(),
            reason,
            detail,
            phase: trace.failed_in.filter(|_| is_failure),
            unclaimed: unclaimed(instance, &verdict, outcome),
            verdict,
            replans: result.replans,
            planner_calls: result.planner_calls,
            steps: result.steps,
            tokens: result.tokens,
            stray_contacts: stray_contacts(&outcome.first, &outcome.last, &moved).len(),
            sim_s: result.sim_s,
            stricter: (instance.stricter.as_ref()).map(|rule| rule.unmet_in(&outcome.seen())),
            first_met: outcome.first_met,
            state_digest: Some(result.state_digest.clone()),
            wall_s,
            phases: trace.phases,
        }
    }

    /// Returns true if the condition held at any check, including the end; `None` if it is not
    /// checked during the episode.
    pub fn was_ever_done(&self) -> Option<bool> {
        let was_met = |met: FirstMet| match self.verdict {
            Verdict::Success => true,
            Verdict::Failure { .. } => met.at_secs.is_some(),
            Verdict::Infrastructure => false,
        };
        self.first_met.map(was_met)
    }

    /// Returns true if the agent claims a success that the judge denies.
    pub fn is_false_success(&self) -> bool {
        matches!(self.verdict, Verdict::Failure { false_success, .. } if false_success)
    }
}

/// Returns the most specific reason for the outcome and its detail: the false claim of a success,
/// else the last failure of a skill, else the end of the episode. The judge's findings follow.
fn explain(verdict: &Verdict, outcome: &Episode, goal: Option<&str>) -> (String, String) {
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
        // The planner may have understood a goal other than the judge's, and that goal may hold.
        _ if *false_success => {
            let goal = goal.map(|goal| format!("the agent observed its goal `{goal}`; judged: "));
            let detail = goal.unwrap_or_default() + &judged;
            ("false_success".to_owned(), detail)
        }
        Some(failure) => {
            let detail = format!("{}; judged: {judged}", failure.detail);
            (failure.reason.to_string(), detail)
        }
        None => {
            let before = [result.final_detail.as_str(), "judged: "].join("; ");
            let before = before.trim_start_matches("; ");
            (ended, format!("{before}{judged}"))
        }
    }
}

/// Explanation of the agent if it reports a failure although the judge sees the task done. `None`
/// if a refusal is expected.
fn unclaimed(instance: &TaskInstance, verdict: &Verdict, outcome: &Episode) -> Option<String> {
    let result = &outcome.result;
    let is_unclaimed =
        *verdict == Verdict::Success && !result.success && instance.expected_failure.is_none();
    let last = outcome.last_failure.as_ref();
    let last = last.map(|f| format!("; last failure: {} - {}", f.reason, f.detail));
    let last = last.unwrap_or_default();
    is_unclaimed.then(|| format!("{} - {}{last}", result.final_reason, result.final_detail))
}
