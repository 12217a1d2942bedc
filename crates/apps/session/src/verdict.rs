//! Judging of runs.

use regrasp_ground_truth::{Episode, Unmet};
use serde::Serialize;

/// Judge of runs of one task by the world's true state.
pub struct Judge {
    /// Simulated time for which the world has to be watched after the end, s.
    pub watch_secs: f64,
    /// Judges a run.
    pub verdict: Box<dyn Fn(&Episode) -> Verdict + Send>,
}

/// Verdict of a judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "judged")]
pub enum Verdict {
    /// The task is done, or an impossible task was refused for the right reason.
    Success,
    /// The task is not done.
    Failure {
        /// Conditions that do not hold.
        unmet: Vec<Unmet>,
        /// True if the agent reports success.
        false_success: bool,
    },
    /// The run was not judged: it was stopped, the program failed, or its scene never came to rest.
    NotJudged,
}
