//! One episode as the judge saw it.

use std::collections::BTreeMap;

use regrasp_ground_truth::{FirstMet, Unmet, stray_contacts};
use regrasp_scene::{KeptStart, TaskInstance};
use serde::{Deserialize, Serialize};

use crate::{EpisodeOutcome, Key, PhaseTime, Record, Trace, Verdict, judge};

/// The machinery could not even run an episode: never the robot's failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("run the episode: {detail}")]
pub struct InfrastructureFailure {
    /// What kind of trouble, as a slug: `setup`, `panic`, `no_instance`, `timeout`.
    pub reason: String,
    /// What went wrong.
    pub detail: String,
}

impl InfrastructureFailure {
    /// The slug of an episode that took too much real time.
    pub const TIMEOUT: &str = "timeout";

    /// Trouble of a kind.
    pub fn new(reason: &str, detail: impl Into<String>) -> Self {
        Self {
            reason: reason.to_owned(),
            detail: detail.into(),
        }
    }
}

/// One episode as the judge saw it: a line of `results.jsonl`. Everything but `wall_s` and
/// the `wall_us` in `phases` is the same wherever and beside whatever it ran.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EpisodeRecord {
    /// The task.
    pub task: String,
    /// The seed.
    pub seed: u64,
    /// Which start of a file it had; else that was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins_as: Option<KeptStart>,
    /// The judge's word.
    pub verdict: Verdict,
    /// Why it failed, as a slug; `plan_complete` on success.
    pub reason: String,
    /// The same in a sentence.
    pub detail: String,
    /// Where the last skill that failed did so, such as `pick/close`.
    pub phase: Option<String>,
    /// Why the agent does not claim what the judge sees done, if so.
    pub unclaimed: Option<String>,
    /// How often the planner was asked again.
    pub replans: usize,
    /// How often the planner was asked.
    pub planner_calls: usize,
    /// Skill calls.
    pub steps: usize,
    /// Tokens that the planner's model took.
    pub tokens: u64,
    /// Pairs that touched though no skill needs it (see
    /// [`stray_contacts`](regrasp_ground_truth::stray_contacts)).
    pub stray_contacts: usize,
    /// Simulated seconds it took.
    pub sim_s: f64,
    /// What does not hold of the stricter rule, if the task has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stricter: Option<Vec<Unmet>>,
    /// When the task's condition held for the first time, whether or not it did at the end, if
    /// the task is looked at while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_met: Option<FirstMet>,
    /// Hash of the final state; absent if there is none.
    pub state_digest: Option<String>,
    /// Real seconds it took, building the world included.
    pub wall_s: f64,
    /// Where the time went.
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
    /// An episode that the machinery spoilt.
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

    /// Judges an episode.
    pub fn judged(
        instance: &TaskInstance,
        outcome: &EpisodeOutcome,
        trace: Trace,
        wall_s: f64,
    ) -> Self {
        let verdict = judge(instance, outcome);
        let (reason, detail) = explain(&verdict, outcome, trace.heard.as_deref());
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

    /// Whether the task was done at any look, the end included, if it is looked at while it runs.
    pub fn was_ever_done(&self) -> Option<bool> {
        let was_met = |met: FirstMet| match self.verdict {
            Verdict::Success => true,
            Verdict::Failure { .. } => met.at_secs.is_some(),
            Verdict::Infrastructure => false,
        };
        self.first_met.map(was_met)
    }

    /// Whether the agent claims to have done what the judge denies.
    pub fn is_false_success(&self) -> bool {
        matches!(self.verdict, Verdict::Failure { false_success, .. } if false_success)
    }
}

/// The most telling reason: a false claim, then what the last skill said, then how
/// the episode ended. The judge's findings follow.
fn explain(verdict: &Verdict, outcome: &EpisodeOutcome, heard: Option<&str>) -> (String, String) {
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
        // The words may have been taken for another goal than the judge's, and that may well hold.
        _ if *false_success => {
            let heard = heard.map(|goal| format!("taken for `{goal}`, seen done; judged: "));
            let detail = heard.unwrap_or_default() + &judged;
            ("false_success".to_owned(), detail)
        }
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

/// What the agent says where the judge sees the task done and the agent reports a failure.
/// Where a refusal is what is wanted, not to claim is right.
fn unclaimed(
    instance: &TaskInstance,
    verdict: &Verdict,
    outcome: &EpisodeOutcome,
) -> Option<String> {
    let result = &outcome.result;
    let is_unclaimed =
        *verdict == Verdict::Success && !result.success && instance.expected_failure.is_none();
    let last = outcome.last_failure.as_ref();
    let last = last.map(|f| format!("; last failure: {} - {}", f.reason, f.detail));
    let last = last.unwrap_or_default();
    is_unclaimed.then(|| format!("{} - {}{last}", result.final_reason, result.final_detail))
}
