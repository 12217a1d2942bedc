use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Goal, Held, ObjectId, Observation, Percept, Reason, RobotInfo, SkillCall, SkillResult,
    SkillSpec,
};

/// A plan: what to call, and what should be true afterwards.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Why these steps.
    pub reasoning: String,
    /// Skill calls in order.
    pub steps: Vec<SkillCall>,
    /// What must hold when the task is done. Empty: the steps' own verification
    /// is all there is.
    pub goals: Vec<Goal>,
    /// Set when nothing can bring the goals about: why, for a person.
    pub infeasible: Option<String>,
}

/// A step that succeeded earlier in the episode.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CompletedStep {
    /// The call.
    pub call: SkillCall,
    /// Its result.
    pub result: SkillResult,
}

/// A step that failed earlier in the episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriorAttempt {
    /// Counts over the whole episode.
    pub step_idx: usize,
    /// The skill that failed (empty when the goal was not met after all steps).
    pub skill: String,
    /// Its arguments.
    pub args: Value,
    /// Why, as a slug.
    pub reason: Reason,
    /// Why, in one sentence with figures.
    pub reason_detail: String,
    /// Ids involved: the blocker, the candidates.
    pub entities: Vec<ObjectId>,
    /// Whether the world may differ from what was seen before.
    pub world_changed: bool,
}

/// Everything a planner is told.
#[derive(Clone, Debug)]
pub struct PlanRequest<'a> {
    /// What was asked for.
    pub task: &'a str,
    /// The robot's sensors.
    pub observation: &'a Observation,
    /// What was perceived.
    pub percept: &'a Percept,
    /// What is believed to be in the hand.
    pub held: Option<&'a Held>,
    /// Failures so far, oldest first.
    pub attempts: &'a [PriorAttempt],
    /// Successes so far, oldest first.
    pub completed: &'a [CompletedStep],
    /// What can be called.
    pub skills: &'a [SkillSpec],
    /// The robot.
    pub robot: &'a RobotInfo,
}

/// A planner could not produce a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlannerError {
    /// The text is not understood.
    #[error("understand the command `{text}`: {help}")]
    Unrecognized {
        /// The text.
        text: String,
        /// What would be understood.
        help: String,
    },
    /// The model cannot be reached.
    #[error("reach the planner's model: {detail}")]
    Transport {
        /// What went wrong.
        detail: String,
    },
    /// The model's answer cannot be used.
    #[error("use the planner's answer: {detail}")]
    Unusable {
        /// What was wrong with it.
        detail: String,
    },
}

/// Turns a task into skill calls.
#[async_trait]
pub trait Planner: Send {
    /// A short name for logs (`stub`, `feedback`).
    fn name(&self) -> &str;

    /// Makes a plan for what is left to do.
    ///
    /// # Errors
    ///
    /// [`PlannerError`]; a task that cannot be done is a plan with
    /// [`Plan::infeasible`] set, not an error.
    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError>;
}
