//! Prepared runs.

use regrasp_agent::AgentOptions;
use regrasp_api::Planner;
use regrasp_robot::SkillSet;

/// Parts of a run.
pub struct Prepared {
    /// Planner of the run.
    pub planner: Box<dyn Planner>,
    /// Skills that the planner can call.
    pub skills: SkillSet,
    /// Settings of the agent.
    pub agent: AgentOptions,
    /// Name of the perception.
    pub perception: String,
}

/// Setup failure, as a sentence that fits after "failed to".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SetupFailure(pub String);

impl SetupFailure {
    /// Creates a failure with the message of an error.
    pub fn of(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}
