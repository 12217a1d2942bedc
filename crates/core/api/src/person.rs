//! The person who approves steps and answers questions.

use serde::{Deserialize, Serialize};

use crate::SkillCall;

/// A step that waits for approval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRequest {
    /// The call.
    pub call: SkillCall,
    /// Why it is critical, one sentence each; empty if every step has to be approved.
    pub risks: Vec<String>,
}

/// What somebody said about a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum Approval {
    /// Go ahead.
    Granted,
    /// No.
    Refused {
        /// Why, if they said so.
        why: String,
    },
}

/// Whoever can be asked while a task is carried out.
pub trait Person: Send {
    /// May this step be made?
    fn approve(&mut self, request: &ApprovalRequest) -> Approval;

    /// Answers a question; `None` if nobody does.
    fn answer(&mut self, question: &str) -> Option<String>;
}

/// Nobody is there: what needs approval is refused, and questions stay unanswered.
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
