//! Judging of runs.

use regrasp_api::{EpisodeResult, LastFailure};
use regrasp_ground_truth::{GroundTruth, Unmet};
use serde::Serialize;

/// Data of an ended run for its judge.
#[derive(Debug)]
pub struct FinishedRun<'a> {
    /// Result that the agent reports.
    pub result: &'a EpisodeResult,
    /// Failure of the last failed skill, if any.
    pub last_failure: Option<LastFailure>,
    /// True state at the beginning of the run.
    pub first: GroundTruth,
    /// True state at the end of the run.
    pub last: GroundTruth,
    /// True states after the end, at short intervals, for as long as the judge requires.
    pub after: Vec<GroundTruth>,
}

/// Judge of runs of one task by the world's true state.
pub struct Judge {
    /// Simulated time for which the world has to be watched after the end, s.
    pub watch_secs: f64,
    /// Judges a run.
    pub verdict: Box<dyn Fn(FinishedRun<'_>) -> Verdict + Send>,
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
