//! The seam between agent and planner: requests with prior attempts.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Held, ImageSource, Measured, ObjectId, Observation, PastCase, Percept, Phase, Plan, PlanStep,
    Reason, Reflection, RobotInfo, Scope, SkillCall, SkillResult, SkillSpec, Trigger, Viewpoint,
};

/// A step that succeeded earlier in the episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompletedStep {
    /// The call.
    pub call: SkillCall,
    /// Its result.
    pub result: SkillResult,
}

/// Something that was tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "SkillCall", into = "SkillCall")]
pub enum Attempt {
    /// A step of a plan.
    Step(SkillCall),
    /// The goal, looked at after all steps. In files it is a call of the skill "".
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

/// A failure earlier in the episode: of its [`SkillResult`] what a planner, and a model, is
/// told. Files, beliefs and the moment of a stop are the agent's own and stay out of prompts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriorAttempt {
    /// Counts over the whole episode.
    pub step_idx: usize,
    /// The failed attempt.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// Why, as a slug.
    pub reason: Reason,
    /// Why, in one sentence with figures.
    pub reason_detail: String,
    /// Where it ended.
    pub phase: Phase,
    /// Ids involved: the blocker, the candidates.
    pub entities: Vec<ObjectId>,
    /// The figures.
    pub measured: Vec<Measured>,
    /// What the skill says could be tried.
    pub hints: Vec<String>,
    /// Whether the world may differ from what was seen before.
    pub world_changed: bool,
    /// What the agent makes of it.
    pub reflection: Reflection,
    /// How often the step has failed for this reason and left everything where it is seen
    /// now, this time included: in the plan it was in, in earlier ones, in tries that the
    /// agent made on its own, and where it was refused for that. What is 2 or more would
    /// fail again, unless something is changed first.
    pub n_alike: usize,
    /// Arguments that the agent changed for this try of its own, as the skill suggested.
    pub varied: Option<Value>,
}

impl PriorAttempt {
    /// Trace of a failure for the next plan. A skill that fails without a reason
    /// broke its contract; its failure is still one.
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

    /// The call that failed, if it was one.
    pub fn call(&self) -> Option<&SkillCall> {
        match &self.attempt {
            Attempt::Step(call) => Some(call),
            Attempt::GoalCheck => None,
        }
    }

    /// The skill that failed, if it was one.
    pub fn skill(&self) -> Option<&str> {
        self.call().map(|call| call.skill.as_str())
    }

    /// An argument of the call that failed.
    pub fn arg(&self, name: &str) -> Option<&Value> {
        self.call()?.args.get(name)
    }

    /// For example "pick failed: unreachable - IK did not converge …".
    pub fn describe(&self) -> String {
        let (reason, detail) = (&self.reason, &self.reason_detail);
        match self.skill() {
            Some(skill) => format!("{skill} failed: {reason} - {detail}"),
            None => format!("{reason} - {detail}"),
        }
    }
}

/// What mends a failure, found by whoever knows what skills need and bring about: for planners
/// that cannot find it themselves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RepairPlan {
    /// Calls that can be made as they are, in order, up to the one that failed; none if nothing
    /// that can be called mends it.
    pub calls: Vec<SkillCall>,
    /// Why these, or why there are none.
    pub because: String,
}

/// Everything a planner is told.
#[derive(Clone, Debug)]
pub struct PlanRequest<'a> {
    /// What was asked for.
    pub task: &'a str,
    /// Why a plan is needed now.
    pub trigger: &'a Trigger,
    /// What the answer should stand in for.
    pub scope: Scope,
    /// Steps of the last plan that were not begun.
    pub remaining: &'a [PlanStep],
    /// The robot's sensors.
    pub observation: &'a Observation,
    /// What was perceived.
    pub percept: &'a Percept,
    /// From where the task's left and right are meant.
    pub viewpoint: Viewpoint,
    /// What is believed to be in the hand.
    pub held: Option<&'a Held>,
    /// Failures so far, oldest first.
    pub attempts: &'a [PriorAttempt],
    /// Successes so far, oldest first. They must not be repeated.
    pub completed: &'a [CompletedStep],
    /// What helped in similar cases, in other episodes too.
    pub past_cases: &'a [PastCase],
    /// Questions that the planner asked, and what people answered.
    pub answers: &'a [(String, String)],
    /// What mends the last failure, where somebody looked for that.
    pub repair: Option<&'a RepairPlan>,
    /// What was wrong with the planner's last answer, if it could not be used.
    pub correction: Option<&'a str>,
    /// Tokens that are left for this answer; `None` without a budget.
    pub tokens_left: Option<u64>,
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
    /// The planner took too long.
    #[error("wait for the planner: {detail}")]
    TimedOut {
        /// Time that it had, in words.
        detail: String,
    },
    /// The model cannot be asked, now and in a moment: a wrong key, a wrong address, a
    /// server that wants to be left alone for long. Asking again would not help.
    #[error("use the planner's model: {detail}")]
    Refused {
        /// What is wrong.
        detail: String,
    },
    /// What is left of the tokens does not suffice for another question.
    #[error("ask the planner's model: {detail}")]
    OverBudget {
        /// What it would take, and what is left.
        detail: String,
    },
    /// The model's answer cannot be used.
    #[error("use the planner's answer: {detail}")]
    Unusable {
        /// What was wrong with it.
        detail: String,
    },
    /// The model's answers cannot be used, and it gives the same again when it is told so.
    #[error("use the planner's answer: {detail}")]
    Unreadable {
        /// The fault, and the beginning of the answer.
        detail: String,
    },
    /// The planner is broken: it raised an exception where it should have answered. Asking again
    /// would only break it again.
    #[error("run the planner: {detail}")]
    Crashed {
        /// What it raised, with the place.
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
    /// [`PlannerError`]; a task that cannot be done is a plan that is not
    /// [`achievable`](Plan::achievable), not an error.
    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError>;

    /// The error of an answer that nobody waits for any more; a planner whose model is what keeps
    /// it waiting says so.
    fn timed_out(&self, detail: String) -> PlannerError {
        PlannerError::TimedOut { detail }
    }

    /// Leaves the rest of the episode to a planner that finds its plans in another way. Returns
    /// false if there is none, or it plans already.
    fn hand_over(&mut self) -> bool {
        false
    }

    /// Gives the planner pictures to look at whenever it plans. One that looks at none
    /// lets them be, and none is taken.
    fn show(&mut self, _images: Box<dyn ImageSource>) {}

    /// What the planner remembers of the episode, for a checkpoint.
    fn save(&self) -> Value {
        Value::Null
    }

    /// Takes back what [`Planner::save`] gave.
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
