//! Interface between agent and planner: requests with prior attempts.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Held, ImageSource, Measured, ObjectId, Observation, PastCase, Percept, Phase, Plan, PlanStep,
    Reason, Reflection, RobotInfo, Scope, SkillCall, SkillResult, SkillSpec, Trigger, Viewpoint,
};

/// Step that succeeded earlier in the episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompletedStep {
    /// Step number in the episode.
    #[serde(default)]
    pub step_idx: usize,
    /// Call.
    pub call: SkillCall,
    /// Result.
    pub result: SkillResult,
}

/// Something that was attempted and can fail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "SkillCall", into = "SkillCall")]
pub enum Attempt {
    /// Step of a plan.
    Step(SkillCall),
    /// Check of the goal after all steps. Files store it as a call of a skill with an empty name.
    GoalCheck,
}

impl From<SkillCall> for Attempt {
    fn from(call: SkillCall) -> Self {
        match call.skill.is_empty() {
            true => Self::GoalCheck,
            false => Self::Step(call),
        }
    }
}

impl From<&SkillCall> for Attempt {
    fn from(call: &SkillCall) -> Self {
        call.clone().into()
    }
}

impl From<Attempt> for SkillCall {
    fn from(attempt: Attempt) -> Self {
        match attempt {
            Attempt::Step(call) => call,
            Attempt::GoalCheck => Self::new("", Value::Object(serde_json::Map::new())),
        }
    }
}

/// Earlier failure, as far as the planner and its model see it. Files, beliefs and the moment of a
/// stop are internal to the agent and stay out of prompts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriorAttempt {
    /// Step number in the episode.
    pub step_idx: usize,
    /// Failed attempt.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// Reason as a slug.
    pub reason: Reason,
    /// Reason in one sentence with figures.
    pub reason_detail: String,
    /// Phase in which the attempt ended.
    pub phase: Phase,
    /// Ids of the objects involved, such as a blocker or candidates.
    pub entities: Vec<ObjectId>,
    /// Figures of the result.
    pub measured: Vec<Measured>,
    /// Suggestions of the skill.
    pub hints: Vec<String>,
    /// Set if the world may differ from the last percept.
    pub world_changed: bool,
    /// Analysis by the agent.
    pub reflection: Reflection,
    /// Number of failures of this step for this reason that left the scene as it is seen now,
    /// including this one, the agent's own retries, and rejections for that cause. From 2 on, the
    /// step would fail again unless something changes first.
    pub n_alike: usize,
    /// Arguments that the agent changed for its own retry, as the skill suggested.
    pub varied: Option<Value>,
}

impl PriorAttempt {
    /// Creates the record of a failure for the next plan. A skill that fails without a reason
    /// violates its contract, but the failure is recorded.
    pub fn new(step_idx: usize, attempt: impl Into<Attempt>, result: SkillResult) -> Self {
        Self {
            step_idx,
            attempt: attempt.into(),
            reason: result.reason.unwrap_or(Reason::VerificationFailed),
            reason_detail: result.reason_detail,
            phase: result.phase,
            entities: result.entities,
            measured: result.measured,
            hints: result.hints,
            world_changed: result.world_changed,
            reflection: Reflection::default(),
            n_alike: 1,
            varied: None,
        }
    }

    /// Returns the failed call; `None` for a check of the goal.
    pub fn call(&self) -> Option<&SkillCall> {
        match &self.attempt {
            Attempt::Step(call) => Some(call),
            Attempt::GoalCheck => None,
        }
    }

    /// Returns the name of the failed skill; `None` for a check of the goal.
    pub fn skill(&self) -> Option<&str> {
        self.call().map(|call| call.skill.as_str())
    }

    /// Returns an argument of the failed call.
    pub fn arg(&self, name: &str) -> Option<&Value> {
        self.call()?.args.get(name)
    }

    /// Describes the failure, for example "pick failed: unreachable - IK did not converge …".
    pub fn describe(&self) -> String {
        let (reason, detail) = (&self.reason, &self.reason_detail);
        match self.skill() {
            Some(skill) => format!("{skill} failed: {reason} - {detail}"),
            None => format!("{reason} - {detail}"),
        }
    }
}

/// Repair of a failure, for planners that cannot derive one from preconditions and effects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RepairPlan {
    /// Calls to make in order, up to the failed one; empty if no call repairs the failure.
    pub calls: Vec<SkillCall>,
    /// Explanation of the calls, or of their absence.
    pub because: String,
}

/// Input of a planner.
#[derive(Clone, Debug)]
pub struct PlanRequest<'a> {
    /// Task as given.
    pub task: &'a str,
    /// Event that made the plan necessary.
    pub trigger: &'a Trigger,
    /// Steps that the answer should replace.
    pub scope: Scope,
    /// Steps of the last plan that were not begun.
    pub remaining: &'a [PlanStep],
    /// Readings of the robot's sensors.
    pub observation: &'a Observation,
    /// Result of perception.
    pub percept: &'a Percept,
    /// Viewpoint that the task's left and right refer to.
    pub viewpoint: Viewpoint,
    /// Object believed to be in the hand.
    pub held: Option<&'a Held>,
    /// Failures so far, oldest first.
    pub attempts: &'a [PriorAttempt],
    /// Successes so far, oldest first. They must not be repeated.
    pub completed: &'a [CompletedStep],
    /// Fixes that helped in similar cases, including other episodes.
    pub past_cases: &'a [PastCase],
    /// Questions of the planner and the answers of people.
    pub answers: &'a [(String, String)],
    /// Repair of the last failure, if one was searched for.
    pub repair: Option<&'a RepairPlan>,
    /// Fault of the planner's last answer, if that was unusable.
    pub correction: Option<&'a str>,
    /// Tokens left for this answer; `None` without a budget.
    pub tokens_left: Option<u64>,
    /// Skills that can be called.
    pub skills: &'a [SkillSpec],
    /// Fixed facts about the robot.
    pub robot: &'a RobotInfo,
}

/// Failure of a planner to produce a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlannerError {
    /// The text was not understood.
    #[error("understand the command `{text}`: {help}")]
    Unrecognized {
        /// Text.
        text: String,
        /// Help for the person: texts that would be understood.
        help: String,
    },
    /// The model cannot be reached.
    #[error("reach the planner's model: {detail}")]
    Transport {
        /// Cause of the failure.
        detail: String,
    },
    /// The planner took too long.
    #[error("wait for the planner: {detail}")]
    TimedOut {
        /// Time limit, in words.
        detail: String,
    },
    /// The model will not answer for some time, because of a wrong key, a wrong address or a server
    /// that rejects requests. A retry does not help.
    #[error("use the planner's model: {detail}")]
    Refused {
        /// Cause of the refusal.
        detail: String,
    },
    /// The remaining tokens do not suffice for another request.
    #[error("ask the planner's model: {detail}")]
    OverBudget {
        /// Tokens needed and tokens left.
        detail: String,
    },
    /// The model's answer cannot be used.
    #[error("use the planner's answer: {detail}")]
    Unusable {
        /// Fault of the answer.
        detail: String,
    },
    /// The model's answers are unusable, and it repeats them after a correction.
    #[error("use the planner's answer: {detail}")]
    Unreadable {
        /// Fault of the answer, and its beginning.
        detail: String,
    },
    /// The planner is broken: it raised an exception instead of an answer. A retry does not help.
    #[error("run the planner: {detail}")]
    Crashed {
        /// Exception with its location.
        detail: String,
    },
}

/// Turns a task into skill calls.
#[async_trait]
pub trait Planner: Send {
    /// Returns a short name for logs (`stub`, `feedback`).
    fn name(&self) -> &str;

    /// Makes a plan for the remaining work.
    ///
    /// # Errors
    ///
    /// [`PlannerError`]; a task that cannot be done is a plan that is not
    /// [`achievable`](Plan::achievable), not an error.
    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError>;

    /// Returns the error for an answer that came too late. A planner that waits for a model returns
    /// [`PlannerError::Transport`] instead.
    fn timeout_error(&self, detail: String) -> PlannerError {
        PlannerError::TimedOut { detail }
    }

    /// Leaves the rest of the episode to a fallback planner. Returns false if there is none, or if
    /// it is already in use.
    fn hand_over(&mut self) -> bool {
        false
    }

    /// Gives the planner a source of pictures for its later plans. Default: ignores the source, so
    /// that no pictures are taken.
    fn show(&mut self, _images: Box<dyn ImageSource>) {}

    /// Returns the planner's memory of the episode, for a checkpoint.
    fn save(&self) -> Value {
        Value::Null
    }

    /// Restores the memory from [`Planner::save`].
    fn restore(&mut self, _state: &Value) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Failure;

    #[test]
    fn a_missed_goal_is_written_as_it_always_was() {
        let failure = || Failure::new(Reason::VerificationFailed, "it is not there");
        let missed = PriorAttempt::new(3, Attempt::GoalCheck, failure().into());
        let call = SkillCall::new(
            "pick",
            serde_json::json!({ "object": "cup", "force_n": 7.5 }),
        );
        let failed = PriorAttempt::new(2, &call, failure().into());
        for (attempt, skill, args) in [
            (missed, "", serde_json::json!({})),
            (failed, "pick", call.args.clone()),
        ] {
            let text = serde_json::to_string(&attempt).expect("plain data");
            let value: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!((&value["skill"], &value["args"]), (&skill.into(), &args));
            let read: PriorAttempt = serde_json::from_str(&text).expect("what was written");
            assert_eq!(read, attempt);
        }
    }
}
