//! How orders end.

use regrasp_api::{EpisodeResult, SkillResult};
use serde::Serialize;
use tokio::sync::oneshot;

use crate::verdict::Verdict;

/// How a job ended.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    /// A run.
    Episode {
        /// The agent's own account.
        result: EpisodeResult,
        /// What the judge says, if the run was about the task of the scene.
        verdict: Option<Verdict>,
    },
    /// A skill, a move of the tool, the gripper.
    Skill {
        /// The answer, with its reason if it failed.
        result: Box<SkillResult>,
    },
    /// A rehearsal.
    Checked {
        /// The answers of the calls, up to the first that failed.
        results: Vec<SkillResult>,
    },
    /// Something without an answer of its own.
    Done,
    /// It could not be begun or ended.
    Trouble {
        /// What is wrong.
        message: String,
    },
}

/// Why an order was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// Something else is under way.
    Busy,
    /// Nothing is under way that could be paused, stopped or answered.
    NothingRuns,
    /// A name is not known.
    Unknown,
    /// A figure makes no sense.
    BadValue,
    /// The session is over.
    Closed,
    /// Something went wrong that is not the order's fault.
    Trouble,
}

/// An order that was not taken; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Why, as a word.
    pub kind: RefusalKind,
    /// Why, as a sentence.
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(kind: RefusalKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    pub(crate) fn bad_value(message: impl Into<String>) -> Self {
        Self::new(RefusalKind::BadValue, message)
    }

    /// Something that went wrong on this side.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(RefusalKind::Trouble, message)
    }

    pub(crate) fn closed() -> Self {
        Self::new(RefusalKind::Closed, "the session is over")
    }
}

/// What becomes of an order that was taken.
#[derive(Debug)]
pub enum Reply {
    /// It is done.
    Done,
    /// It is under way.
    Later(Ticket),
}

/// Waits for the end of a job.
#[derive(Debug)]
pub struct Ticket(pub(crate) oneshot::Receiver<Outcome>);

impl Ticket {
    /// Waits in async code.
    pub async fn outcome(self) -> Outcome {
        self.0.await.unwrap_or_else(|_| over())
    }

    /// Waits; not for async code.
    pub fn wait(self) -> Outcome {
        self.0.blocking_recv().unwrap_or_else(|_| over())
    }
}

fn over() -> Outcome {
    Outcome::Trouble {
        message: "the session ended before it was done".into(),
    }
}
