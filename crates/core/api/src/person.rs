//! Interface to the person who approves steps and answers questions, and the policy of approvals.

use serde::{Deserialize, Serialize};

use crate::{Aabb, SkillCall};

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
            why: "no person is available to approve the step".into(),
        }
    }

    fn answer(&mut self, _: &str) -> Option<String> {
        None
    }
}

/// Policy for the approval of steps by a person.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalPolicy {
    /// Steps that wait for approval. Default: critical ones.
    pub mode: ApprovalMode,
    /// Rules by which a step counts as critical. Default: none.
    pub risks: RiskRules,
    /// Number of approvals in a row without an incident after which steps of the same kind (skill
    /// and risks) no longer wait for approval. Default: never.
    pub trust_after: Option<u32>,
}

/// Selection of the steps that wait for approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    /// Every step.
    Always,
    /// No step.
    Never,
    /// Steps with a risk.
    #[default]
    Critical,
}

/// Rules by which a step counts as critical.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RiskRules {
    /// Speed above which a step is critical, as a fraction of the arm's limits, 0 to 1. A step
    /// without a `speed_scale` counts with the usual speed of free motions.
    pub speed_over: Option<f64>,
    /// Boxes in the Base frame, m, where people may be: a step is critical if its object or
    /// destination lies in one. The boxes turn with the base.
    pub person_zones_in_base_m: Vec<Aabb>,
    /// Ids or categories of fragile objects: a step with one of them is critical.
    pub fragile: Vec<String>,
    /// Names of the skills whose steps cannot be undone and are therefore critical.
    pub irreversible: Vec<String>,
}
