//! Interface to the person who approves steps and answers questions.

use serde::{Deserialize, Serialize};

use crate::SkillCall;

/// Step that waits for approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRequest {
    /// Call to approve.
    pub call: SkillCall,
    /// Risks of the step, one sentence each; empty if every step has to be approved.
    pub risks: Vec<String>,
}

/// Answer to a request for approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum Approval {
    /// The step may be made.
    Granted,
    /// The step must not be made.
    Refused {
        /// Explanation, if the person gave one.
        why: String,
    },
}

/// Person who can be asked during a task.
pub trait Person: Send {
    /// Asks for the approval of a step.
    fn approve(&mut self, request: &ApprovalRequest) -> Approval;

    /// Answers a question; `None` if nobody does.
    fn answer(&mut self, question: &str) -> Option<String>;
}

/// Absence of a person: approvals are refused, questions stay unanswered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Person for Nobody {
    fn approve(&mut self, _: &ApprovalRequest) -> Approval {
        Approval::Refused {
            why: "nobody is there to approve it".into(),
        }
    }

    fn answer(&mut self, _: &str) -> Option<String> {
        None
    }
}
