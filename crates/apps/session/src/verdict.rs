//! What the judge of a task says about a run.

use std::sync::Arc;

use parking_lot::Mutex;
use regrasp_api::{EpisodeResult, Event, EventSink, Reason, StampedEvent};
use regrasp_ground_truth::{GroundTruth, Unmet};
use serde::Serialize;

/// A run that is over, as its judge sees it.
#[derive(Debug)]
pub struct FinishedRun<'a> {
    /// The agent's own account.
    pub result: &'a EpisodeResult,
    /// Why the last skill that failed did so, and in a sentence.
    pub last_failure: Option<(Reason, String)>,
    /// The truth when the run began.
    pub first: GroundTruth,
    /// The truth when it ended.
    pub last: GroundTruth,
    /// The truth after that, at short intervals, for as long as the judge asks.
    pub after: Vec<GroundTruth>,
}

/// Judges runs of one task by the world's truth.
pub trait Judge: Send {
    /// For how long the world has to be watched after the end, simulated s.
    fn watch_secs(&self) -> f64;

    /// Judges a run.
    fn verdict(&self, seen: FinishedRun<'_>) -> Verdict;
}

/// What the judge says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "judged")]
pub enum Verdict {
    /// The task is done, or one that cannot be done was refused for the right reason.
    Success,
    /// It is not.
    Failure {
        /// Conditions that do not hold.
        unmet: Vec<Unmet>,
        /// True if the agent claims to have done it.
        false_success: bool,
    },
    /// The run did not come to an end of its own: it was stopped, or the machinery failed; or
    /// its scene never came to rest.
    NotJudged,
}

/// Remembers the last failure of a skill that passes by.
#[derive(Clone, Default)]
pub(crate) struct LastFailure(Arc<Mutex<Option<(Reason, String)>>>);

impl LastFailure {
    pub(crate) fn take(&self) -> Option<(Reason, String)> {
        self.0.lock().take()
    }
}

impl EventSink for LastFailure {
    fn emit(&mut self, event: &StampedEvent) {
        let Event::StepFinished { result, .. } = &event.event else {
            return;
        };
        if let Some(reason) = &result.reason {
            *self.0.lock() = Some((reason.clone(), result.reason_detail.clone()));
        }
    }
}
