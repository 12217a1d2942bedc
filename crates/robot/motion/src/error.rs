//! Errors of building a motion planner for a robot.

/// A planner that cannot be built; the message names the missing or inconsistent part of the robot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("plan motions: {0}")]
pub struct ArmPlannerError(pub(crate) String);
