//! The independent judge of an episode.

use regrasp_api::{EpisodeResult, Reason};
use regrasp_ground_truth::{Evidence, FirstMet, GroundTruth, Unmet};
use regrasp_scene::TaskInstance;
use serde::{Deserialize, Serialize};

/// All that is left of an episode.
#[derive(Clone, Debug)]
pub struct EpisodeOutcome {
    /// What the agent says about it; `success` is its claim.
    pub result: EpisodeResult,
    /// The failure of the last skill that failed, if any did.
    pub last_failure: Option<LastFailure>,
    /// The truth after settling, before the agent was asked.
    pub first: GroundTruth,
    /// The truth after the agent had finished.
    pub last: GroundTruth,
    /// What came of it while nobody did anything any more, at short intervals, for as long
    /// as the task's conditions ask.
    pub after: Vec<GroundTruth>,
    /// When the task's condition held for the first time, if the task is looked at while it runs.
    pub first_met: Option<FirstMet>,
}

impl EpisodeOutcome {
    /// What a judge sees of it.
    pub fn seen(&self) -> Evidence<'_> {
        Evidence {
            first: &self.first,
            last: &self.last,
            after: Some(&self.after),
        }
    }
}

/// Why a skill failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastFailure {
    /// The slug.
    pub reason: Reason,
    /// One sentence with figures.
    pub detail: String,
}

/// What the judge says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// The task is done, or a task that cannot be done was refused for the right
    /// reason.
    Success,
    /// It is not.
    Failure {
        /// Conditions that do not hold, with what was found.
        unmet: Vec<Unmet>,
        /// Whether the agent claimed success nevertheless.
        false_success: bool,
    },
    /// The machinery failed; says nothing about the robot.
    #[default]
    Infrastructure,
}

/// Judges an episode by the world's truth.
///
/// A task with an expected failure is a success if and only if the agent did not
/// claim success and the last skill that failed gave that very reason.
pub fn judge(instance: &TaskInstance, outcome: &EpisodeOutcome) -> Verdict {
    if outcome.result.final_reason.is_infrastructure() {
        return Verdict::Infrastructure;
    }
    let claimed = outcome.result.success;
    let unmet = instance.success.unmet_in(&outcome.seen());
    let false_success = claimed && !unmet.is_empty();
    let Some(expected) = &instance.expected_failure else {
        return match unmet.is_empty() {
            true => Verdict::Success,
            false => Verdict::Failure {
                unmet,
                false_success,
            },
        };
    };
    let given = outcome.last_failure.as_ref().map(|f| &f.reason);
    if !claimed && given == Some(expected) {
        return Verdict::Success;
    }
    let found = match (claimed, given) {
        (true, _) => "the agent claims success".to_owned(),
        (false, None) => "no skill failed".to_owned(),
        (false, Some(reason)) => format!("the last skill failed with `{reason}`"),
    };
    Verdict::Failure {
        unmet: vec![Unmet {
            condition: format!("expected_failure({expected})"),
            found,
        }],
        false_success,
    }
}
