//! Outcomes of orders.

use regrasp_api::{EpisodeResult, SkillResult};
use serde::Serialize;
use tokio::sync::oneshot;

use crate::Verdict;

/// Outcome of a job.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    /// Outcome of a run.
    Episode {
        /// Result that the agent reports.
        result: EpisodeResult,
        /// Verdict of the judge, if the run was about the task of the scene.
        verdict: Option<Verdict>,
    },
    /// Outcome of a skill, a move of the tool, a gripper command, or a followed motion.
    Skill {
        /// Result of the skill.
        result: Box<SkillResult>,
    },
    /// Outcome of a rehearsal.
    Checked {
        /// Results of the calls, up to the first that failed.
        results: Vec<SkillResult>,
    },
    /// Success of an order without a result of its own.
    Done,
    /// The order could not begin, or was aborted.
    Trouble {
        /// Reason, as a sentence.
        message: String,
    },
}

/// Kind of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// Another job is under way.
    Busy,
    /// Nothing is under way that could be paused, stopped or answered.
    NothingRuns,
    /// Unknown name.
    Unknown,
    /// Invalid value.
    BadValue,
    /// The session has ended.
    Closed,
    /// Internal failure, not caused by the order.
    Trouble,
}

/// Rejected order; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// Kind of reason.
    pub kind: RefusalKind,
    /// Reason, as a sentence.
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

    /// Creates a refusal for an internal failure.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(RefusalKind::Trouble, message)
    }

    pub(crate) fn closed() -> Self {
        Self::new(RefusalKind::Closed, "the session has ended")
    }
}

/// Reply to an accepted order.
#[derive(Debug)]
pub enum Reply {
    /// The order is done.
    Done,
    /// The order is under way.
    Later(Ticket),
}

/// Handle to wait for the outcome of a job.
#[derive(Debug)]
pub struct Ticket(pub(crate) oneshot::Receiver<Outcome>);

impl Ticket {
    /// Waits in async code.
    pub async fn outcome(self) -> Outcome {
        self.0.await.unwrap_or_else(|_| over())
    }

    /// Blocks until the job has ended; not for async code.
    pub fn wait(self) -> Outcome {
        self.0.blocking_recv().unwrap_or_else(|_| over())
    }
}

fn over() -> Outcome {
    Outcome::Trouble {
        message: "the session ended before the command ended".into(),
    }
}
