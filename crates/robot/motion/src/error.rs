//! What can be wrong with a robot whose motions are to be planned.

/// A planner that cannot be built for a robot: what the robot lacks, or what does not fit it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("plan motions: {0}")]
pub struct ArmPlannerError(pub(crate) String);
