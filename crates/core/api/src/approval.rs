//! Which steps of a robot wait for somebody's approval: a policy as data.

use serde::{Deserialize, Serialize};

use crate::Aabb;

/// Which steps wait for approval.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ApprovalPolicy {
    /// Which steps. Default: critical ones.
    pub mode: ApprovalMode,
    /// What makes a step critical. Default: nothing does.
    pub risks: RiskRules,
    /// After so many approvals in a row without an incident, a kind of step (skill and
    /// risks) is approved by itself. Default: never.
    pub trust_after: Option<u32>,
}

/// Which steps wait for approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    /// Every step.
    Always,
    /// None.
    Never,
    /// Those with a risk.
    #[default]
    Critical,
}

/// What makes a step critical.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RiskRules {
    /// The arm moves faster than this part of its limits, 0 to 1. A step's own
    /// `speed_scale` counts; one that does not say moves at the usual speed.
    pub speed_over: Option<f64>,
    /// The step's object or destination is where people may be: boxes in the frame of the
    /// arm's base, m. They turn with it.
    pub person_zones_in_base_m: Vec<Aabb>,
    /// The step is about an object of this id or category.
    pub fragile: Vec<String>,
    /// The step cannot be undone: names of skills.
    pub irreversible: Vec<String>,
}
