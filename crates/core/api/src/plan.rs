//! Plans: the next calls of skills.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Goal, ObjectId, Reason, SkillCall};

/// Answer of a planner: all remaining steps with [`Plan::done`] set, or one round of steps, after
/// which the planner is asked again. Default: a round without steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, smart_default::SmartDefault)]
#[serde(default)]
pub struct Plan {
    /// Explanation of the steps.
    pub reasoning: String,
    /// Steps in order.
    pub steps: Vec<PlanStep>,
    /// Goals that must hold in the end. If empty, only the steps' own verification counts.
    pub goals: Vec<Goal>,
    /// Goals that this plan chose among alternatives of the task; the next plan may
    /// choose others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<Goal>,
    /// Goals that must hold on the way to [`Self::goals`], in this order: for "open it, then close
    /// it", that it is open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on_the_way: Vec<Goal>,
    /// Goals of which none may come to hold at any time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub never: Vec<Goal>,
    /// Set if nothing is left to do after these steps. Needs a final answer.
    pub done: bool,
    /// Answer to the person who gave the task, once it is done.
    pub final_answer: Option<String>,
    /// False if the goals cannot be achieved.
    #[default(true)]
    pub achievable: bool,
    /// Explanation for a person why the goals cannot be achieved.
    pub explanation: Option<String>,
    /// Question to a person, whose answer the planner needs to go on.
    pub question: Option<String>,
    /// Reason for the question, if several objects or goals may be meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unclear: Option<Reason>,
    /// Interpretation of the task: the goal in one line, then the meaning of each phrase and its
    /// explanation. Empty if the planner does not report it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(rename = "heard")]
    pub interpretation: Vec<String>,
    /// Speed of the steps as a fraction of the usual speed; 1 unless the task says otherwise.
    #[serde(skip_serializing_if = "is_usual")]
    #[default(1.0)]
    pub pace: f64,
    /// Steps that this plan replaces: at least those of [`crate::PlanRequest::scope`].
    pub scope: Scope,
    /// Tokens used for the answer; 0 if no model was asked.
    pub tokens: u64,
    /// Set if token counts are estimated from text lengths because the server reports none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tokens_are_estimated: bool,
}

impl Plan {
    /// Creates a plan with all remaining steps.
    pub fn complete(
        steps: impl IntoIterator<Item = impl Into<PlanStep>>,
        final_answer: impl Into<String>,
    ) -> Self {
        Self {
            steps: steps.into_iter().map(Into::into).collect(),
            done: true,
            final_answer: Some(final_answer.into()),
            ..Self::default()
        }
    }

    /// Creates the answer that the goals cannot be achieved, with an explanation.
    pub fn infeasible(explanation: impl Into<String>) -> Self {
        Self {
            achievable: false,
            explanation: Some(explanation.into()),
            ..Self::default()
        }
    }

    /// Sets the goals that must hold when the task is done.
    pub fn with_goals(mut self, goals: Vec<Goal>) -> Self {
        self.goals = goals;
        self
    }

    /// Sets the explanation of the steps.
    pub fn because(mut self, reasoning: impl Into<String>) -> Self {
        self.reasoning = reasoning.into();
        self
    }
}

fn is_usual(pace: &f64) -> bool {
    *pace == 1.0
}

/// Steps that a plan replaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The failed step only: the steps after it stay.
    Step,
    /// All remaining steps. Completed steps stay.
    #[default]
    Rest,
    /// All steps, because the last plan rested on wrong assumptions. Completed steps are not
    /// undone, but may be of no use.
    All,
}

/// Call with the expectation of its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanStep {
    /// Call.
    #[serde(flatten)]
    pub call: SkillCall,
    /// Expected result; without it, success is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expectation>,
    /// Set if the step may run at the same time as neighbours that also have this set.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
}

impl From<SkillCall> for PlanStep {
    fn from(call: SkillCall) -> Self {
        Self {
            call,
            expect: None,
            parallel: false,
        }
    }
}

/// Expected result of a successful step. The agent's evaluator judges deviations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Expectation {
    /// Goals that should hold afterwards.
    pub goals: Vec<Goal>,
    /// Figures of the result that should lie in a range.
    pub measured: Vec<ExpectedFigure>,
    /// Objects that the result should be about.
    pub entities: Vec<ObjectId>,
    /// Expectation in words, for evaluators that can interpret text.
    pub text: Option<String>,
}

/// Figure with an expected range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectedFigure {
    /// Name in the skill's result.
    pub name: String,
    /// Smallest value, in the unit of the result.
    pub min: f64,
    /// Largest value, in the unit of the result.
    pub max: f64,
}

/// Event that made a plan necessary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "trigger")]
pub enum Trigger {
    /// The episode begins.
    Start,
    /// The steps of the last round are done, with more left to do.
    NextRound,
    /// The steps of the last round are done, and the world is as before an earlier round.
    NoProgress {
        /// Number of rounds without progress since the last one that changed something.
        rounds: usize,
    },
    /// A step failed.
    StepFailed {
        /// Step number in the episode.
        step_idx: usize,
        /// Reason of the failure.
        reason: crate::Reason,
    },
    /// A step succeeded, but its result was not as expected.
    Deviation {
        /// Step number in the episode.
        step_idx: usize,
    },
    /// Perception failed.
    Blind,
    /// Every step succeeded, but the goal does not hold.
    GoalNotMet,
    /// The planner's last answer was unusable, or the planner did not answer.
    PlannerTrouble,
    /// The call was rejected before it was made.
    Refused {
        /// Step number in the episode.
        step_idx: usize,
    },
    /// A person answered the planner's question.
    Answered,
    /// The run was resumed in a world that differs from the one it left.
    Resumed,
}

/// Plan with its place in the history of an episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanVersion {
    /// Version number, from 1.
    pub version: usize,
    /// Event that made the plan necessary.
    pub trigger: Trigger,
    /// Explanation in one sentence, with figures.
    pub why: String,
    /// Number of steps finished in the episode before this plan.
    pub after_steps: usize,
    /// Answer of the planner.
    pub plan: Plan,
    /// Steps to execute now: for [`Scope::Step`], the answer and the remaining steps.
    pub steps: Vec<PlanStep>,
}

/// Analysis of a failure: its cause and a possible remedy, derived from the evidence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reflection {
    /// Kind of failure, as a word.
    pub error_type: String,
    /// Root cause in one sentence.
    pub root_cause: String,
    /// Factors that contributed, besides the root cause.
    pub contributing_factors: Vec<String>,
    /// Suggested change.
    pub suggested_change: String,
}

/// Returns the arguments of a call with the fields of `changes` added or replaced.
pub fn merged_args(args: &Value, changes: &Value) -> Value {
    let mut merged = args.clone();
    if let (Some(fields), Some(changes)) = (merged.as_object_mut(), changes.as_object()) {
        for (name, value) in changes {
            fields.insert(name.clone(), value.clone());
        }
    }
    merged
}
