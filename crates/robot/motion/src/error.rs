//! Errors of building a motion planner for a robot.

/// Reason why no planner can be built for a robot; names its missing or inconsistent part.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("plan motions: {0}")]
pub struct ArmPlannerError(pub(crate) String);
