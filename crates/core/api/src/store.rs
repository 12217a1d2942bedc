//! The seams to what outlives an episode: checkpoints of runs, memory of failures, and
//! what people approved.

use serde::{Deserialize, Serialize};

use crate::Reason;

/// What is kept of a run after each step, so that another process can go on from there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// State of the agent, as JSON.
    pub state: String,
    /// The world, as [`crate::Snapshot`] freezes it; absent for one that cannot be frozen.
    pub world: Option<Vec<u8>>,
}

/// What a run found under its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Nothing, or a run that did not get as far as its first checkpoint: the run begins.
    Fresh,
    /// A run that did not end; its key now belongs to the claimant.
    Adopted(Checkpoint),
    /// A run that ended, with its result as JSON.
    Finished(String),
}

/// A store that could not do what it should.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Somebody else has the key, or took it meanwhile.
    #[error(
        "use the run `{key}`: it belongs to another process; use another key, or --resume if that \
         process is gone"
    )]
    ConcurrentRun {
        /// The run's key.
        key: String,
    },
    /// A finished run has the key, and it was not asked for.
    #[error("start the run `{key}`: it has ended already; --resume shows its result")]
    AlreadyFinished {
        /// The run's key.
        key: String,
    },
    /// Somebody else is writing for longer than we wait.
    #[error("write to the store {path}: it is locked by another process")]
    Locked {
        /// The store.
        path: String,
    },
    /// There is no room left.
    #[error("write to the store {path}: there is no space left")]
    Full {
        /// The store.
        path: String,
    },
    /// It is not a store, or of a version that this program does not know.
    #[error("open the store {path}: {detail}")]
    Unusable {
        /// The store.
        path: String,
        /// What is wrong with it.
        detail: String,
    },
    /// Anything else.
    #[error("use the store {path}: {detail}")]
    Other {
        /// The store.
        path: String,
        /// What went wrong.
        detail: String,
    },
}

/// Keeps runs, each under a key that one writer owns at a time.
///
/// What `save` returned `Ok` for survives the death of the process at any instant.
pub trait RunStore: Send {
    /// Takes a key. Without `resume` the key must be new; with it, a run that did not end
    /// is adopted from whoever had it, and one that ended is answered from the store.
    ///
    /// # Errors
    ///
    /// [`StoreError::ConcurrentRun`] or [`StoreError::AlreadyFinished`] without `resume`;
    /// trouble with the store itself.
    fn claim(&mut self, key: &str, resume: bool) -> Result<Claim, StoreError>;

    /// Keeps the state after a step, in place of the last one.
    ///
    /// # Errors
    ///
    /// [`StoreError::ConcurrentRun`] if the key was adopted by somebody else,
    /// [`StoreError::AlreadyFinished`] if the run ended; trouble with the store itself.
    /// What was kept before is still there then.
    fn save(&mut self, key: &str, checkpoint: &Checkpoint) -> Result<(), StoreError>;

    /// Ends a run with its result, as JSON.
    ///
    /// # Errors
    ///
    /// As [`RunStore::save`].
    fn finish(&mut self, key: &str, result: &str) -> Result<(), StoreError>;
}

/// What failed once, what was done about it, and whether that helped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Why the step failed.
    pub reason: Reason,
    /// The skill that failed.
    pub skill: String,
    /// What was asked for.
    pub task: String,
    /// What was seen, in words (`2 cube, 1 plate, red, green`).
    pub scene: String,
    /// Why it failed, in one sentence.
    pub detail: String,
    /// What was done about it (`pick blue_cube, place_at, pick red_cube`).
    pub fix: String,
    /// Whether the task was done in the end.
    pub worked: bool,
}

/// What to look for among past cases.
#[derive(Clone, Copy, Debug)]
pub struct CaseQuery<'a> {
    /// Only cases of this reason.
    pub reason: &'a Reason,
    /// The skill that failed, if it was one.
    pub skill: Option<&'a str>,
    /// What was asked for.
    pub task: &'a str,
    /// What is seen, in words.
    pub scene: &'a str,
    /// At most so many answers.
    pub limit: usize,
}

/// A fix that was tried in similar cases, and how often it helped.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PastCase {
    /// Why steps failed there.
    pub reason: Reason,
    /// The skill that failed there.
    pub skill: String,
    /// What was asked for in the most similar case.
    pub task: String,
    /// What was done about it.
    pub fix: String,
    /// How often that was tried for this reason and skill.
    pub n_tried: u32,
    /// How often the task was done in the end.
    pub n_worked: u32,
}

/// Remembers failures and fixes, across episodes and agents.
pub trait FailureMemory: Send {
    /// Adds a case.
    ///
    /// # Errors
    ///
    /// Trouble with the store.
    fn record(&mut self, case: &Case) -> Result<(), StoreError>;

    /// Fixes of similar cases, most similar first: one answer for each skill and fix that
    /// the reason met, with how often that was tried.
    ///
    /// # Errors
    ///
    /// Trouble with the store.
    fn similar(&mut self, query: &CaseQuery<'_>) -> Result<Vec<PastCase>, StoreError>;
}

/// Remembers how kinds of steps went that somebody approved.
pub trait ApprovalLog: Send {
    /// A step of this kind was approved; it ended without an incident, or with one.
    ///
    /// # Errors
    ///
    /// Trouble with the store.
    fn record(&mut self, kind: &str, incident: bool) -> Result<(), StoreError>;

    /// How often in a row steps of this kind were approved and went well.
    ///
    /// # Errors
    ///
    /// Trouble with the store.
    fn clean_streak(&mut self, kind: &str) -> Result<u32, StoreError>;
}
