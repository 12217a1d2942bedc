//! Interfaces to stores that outlive an episode.

use serde::{Deserialize, Serialize};

use crate::Reason;

/// State of a run after a step, from which another process can resume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// State of the agent, as JSON.
    pub state: String,
    /// Snapshot of the world ([`crate::Snapshot`]); absent for a world that cannot be frozen.
    pub world: Option<Vec<u8>>,
}

/// State of a run's key when it is claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Unused, or a run without a checkpoint: the run begins.
    Fresh,
    /// Unfinished run; its key now belongs to the claimant.
    Adopted(Checkpoint),
    /// Finished run, with its result as JSON.
    Finished(String),
}

/// Failure of a store.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The key belongs to another process, which may have taken it meanwhile.
    #[error(
        "use the run `{key}`: it belongs to another process; use another key, or --resume if that \
         process is gone"
    )]
    ConcurrentRun {
        /// Key of the run.
        key: String,
    },
    /// The run with this key has ended; only a claim with `resume` is possible.
    #[error("start the run `{key}`: it has already ended; --resume shows its result")]
    AlreadyFinished {
        /// Key of the run.
        key: String,
    },
    /// Another process holds the lock for longer than the timeout.
    #[error("write to the store {path}: it is locked by another process")]
    Locked {
        /// Path of the store.
        path: String,
    },
    /// The disk is full.
    #[error("write to the store {path}: there is no space left")]
    Full {
        /// Path of the store.
        path: String,
    },
    /// The file is not a store, or has an unknown version.
    #[error("open the store {path}: {detail}")]
    Unusable {
        /// Path of the store.
        path: String,
        /// Fault of the store.
        detail: String,
    },
    /// Any other error.
    #[error("use the store {path}: {detail}")]
    Other {
        /// Path of the store.
        path: String,
        /// Cause of the error.
        detail: String,
    },
}

/// Stores runs, each under a key with one owner at a time.
///
/// Once [`RunStore::save`] has returned `Ok`, the state survives even if the process is killed.
pub trait RunStore: Send {
    /// Claims a key. Without `resume` the key must be new. With it, an unfinished run is taken over
    /// from its owner, and the result of a finished run is returned.
    ///
    /// # Errors
    ///
    /// [`StoreError::ConcurrentRun`] or [`StoreError::AlreadyFinished`] without `resume`; failure
    /// of the store itself.
    fn claim(&mut self, key: &str, resume: bool) -> Result<Claim, StoreError>;

    /// Stores the state after a step, in place of the last one.
    ///
    /// # Errors
    ///
    /// [`StoreError::ConcurrentRun`] if another process has claimed the key,
    /// [`StoreError::AlreadyFinished`] if the run ended; failure of the store itself. The
    /// state that was stored before is kept in all these cases.
    fn save(&mut self, key: &str, checkpoint: &Checkpoint) -> Result<(), StoreError>;

    /// Ends a run with its result, as JSON.
    ///
    /// # Errors
    ///
    /// As for [`RunStore::save`].
    fn finish(&mut self, key: &str, result: &str) -> Result<(), StoreError>;
}

/// Past failure, its fix, and whether the fix helped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Reason of the failure.
    pub reason: Reason,
    /// Skill that failed.
    pub skill: String,
    /// Task as given.
    pub task: String,
    /// Perceived scene in words (`2 cube, 1 plate, red, green`).
    pub scene: String,
    /// Explanation of the failure in one sentence.
    pub detail: String,
    /// Fix (`pick blue_cube, place_at, pick red_cube`).
    pub fix: String,
    /// True if the task was done in the end.
    pub worked: bool,
}

/// Query for past cases.
#[derive(Clone, Copy, Debug)]
pub struct CaseQuery<'a> {
    /// Reason that the cases must have.
    pub reason: &'a Reason,
    /// Failed skill, if there was one.
    pub skill: Option<&'a str>,
    /// Task as given.
    pub task: &'a str,
    /// Perceived scene in words.
    pub scene: &'a str,
    /// Largest number of answers.
    pub limit: usize,
}

/// Fix of similar cases, with its success rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PastCase {
    /// Reason of the failures.
    pub reason: Reason,
    /// Skill that failed.
    pub skill: String,
    /// Task of the most similar case.
    pub task: String,
    /// Fix.
    pub fix: String,
    /// Number of tries of the fix for this reason and skill.
    pub n_tried: u32,
    /// Number of tries after which the task was done.
    pub n_worked: u32,
}

/// Memory of failures and fixes, across episodes and agents.
pub trait FailureMemory: Send {
    /// Adds a case.
    ///
    /// # Errors
    ///
    /// Failure of the store.
    fn record(&mut self, case: &Case) -> Result<(), StoreError>;

    /// Returns fixes of similar cases, most similar first: one answer for each skill and fix with
    /// this reason, with its number of tries.
    ///
    /// # Errors
    ///
    /// Failure of the store.
    fn similar(&mut self, query: &CaseQuery<'_>) -> Result<Vec<PastCase>, StoreError>;
}

/// Log of approved steps, by kind of step.
pub trait ApprovalLog: Send {
    /// Records that an approved step of this kind ended, with or without an incident.
    ///
    /// # Errors
    ///
    /// Failure of the store.
    fn record(&mut self, kind: &str, incident: bool) -> Result<(), StoreError>;

    /// Returns the number of approved steps of this kind since the last incident.
    ///
    /// # Errors
    ///
    /// Failure of the store.
    fn clean_streak(&mut self, kind: &str) -> Result<u32, StoreError>;
}
