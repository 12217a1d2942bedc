//! A finished episode.

use regrasp_api::{EpisodeResult, LastFailure};

use crate::{Evidence, FirstMet, GroundTruth};

/// Finished episode: all data that its judgement needs.
#[derive(Clone, Debug)]
pub struct Episode {
    /// Result as the agent reports it; `success` is the agent's claim.
    pub result: EpisodeResult,
    /// Failure of the last failed skill, if any.
    pub last_failure: Option<LastFailure>,
    /// Ground truth after settling, before the agent starts.
    pub first: GroundTruth,
    /// Ground truth after the agent has finished.
    pub last: GroundTruth,
    /// Ground truths at intervals after the agent's end, for as long as the conditions require.
    pub after: Vec<GroundTruth>,
    /// First time at which the task's condition held, if it is checked during the episode.
    pub first_met: Option<FirstMet>,
    /// True if the result is that of a stored run that had already ended. Then nothing was
    /// executed, and the ground truths are those of a world that never moved.
    pub is_from_store: bool,
}

impl Episode {
    /// Returns the evidence that a judge works from.
    pub fn seen(&self) -> Evidence<'_> {
        Evidence {
            first: &self.first,
            last: &self.last,
            after: Some(&self.after),
        }
    }
}
