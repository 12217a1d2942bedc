//! Independent judge of an episode.

use regrasp_ground_truth::{Episode, Unmet};
use regrasp_scene::TaskInstance;
use serde::{Deserialize, Serialize};

/// Verdict of the judge.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// The task is done, or an infeasible task was refused for the right reason.
    Success,
    /// The task is not done.
    Failure {
        /// Conditions that do not hold, with the measured values.
        unmet: Vec<Unmet>,
        /// Set if the agent claimed success nevertheless.
        false_success: bool,
    },
    /// The infrastructure failed, which says nothing about the robot.
    #[default]
    Infrastructure,
}

/// Judges an episode by the ground truth.
///
/// A task with an expected failure is a success if and only if the agent did not claim success and
/// the last failed skill reported exactly that reason.
pub fn judge(instance: &TaskInstance, outcome: &Episode) -> Verdict {
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
