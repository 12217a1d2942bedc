//! Plans: the calls to make next.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Goal, ObjectId, Reason, SkillCall};

/// One answer of a planner: what to call next, and what should be true afterwards.
///
/// A planner may answer with everything that is left to do and [`Plan::done`], or with
/// one round after the other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plan {
    /// Why these steps.
    pub reasoning: String,
    /// Steps in order.
    pub steps: Vec<PlanStep>,
    /// What must hold when the task is done. Empty: the steps' own verification
    /// is all there is.
    pub goals: Vec<Goal>,
    /// Goals that have to have held before those, one after the other: "open it, then close it" is
    /// not done while it is closed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub on_the_way: Vec<Goal>,
    /// Whether nothing is left to do after these steps. Needs a final answer.
    pub done: bool,
    /// What to tell whoever gave the task, once it is done.
    pub final_answer: Option<String>,
    /// Whether anything can bring the goals about.
    pub achievable: bool,
    /// Why nothing can, for a person.
    pub explanation: Option<String>,
    /// What the planner has to know before it can go on, for a person to answer.
    pub question: Option<String>,
    /// Why it asks, as a slug: which of several objects or goals is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unclear: Option<Reason>,
    /// The goal that the task was taken for in one line, and then what each of its phrases was
    /// found to mean, and why. Empty where the planner does not say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heard: Vec<String>,
    /// Part of the usual speed at which the steps should be made; 1 unless the task says more.
    #[serde(skip_serializing_if = "is_usual")]
    pub pace: f64,
    /// What the steps stand in for. A planner may answer with more than it was asked
    /// for, not with less.
    pub scope: Scope,
    /// Tokens that the answer cost; 0 where no model was asked.
    pub tokens: u64,
    /// Whether the tokens, or a part of them, were reckoned from lengths, because the
    /// model's server did not count them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tokens_are_estimated: bool,
}

impl Default for Plan {
    /// A round without steps, after which there is more to do.
    fn default() -> Self {
        Self {
            reasoning: String::new(),
            steps: vec![],
            goals: vec![],
            on_the_way: vec![],
            done: false,
            final_answer: None,
            achievable: true,
            explanation: None,
            question: None,
            unclear: None,
            heard: vec![],
            pace: 1.0,
            scope: Scope::Rest,
            tokens: 0,
            tokens_are_estimated: false,
        }
    }
}

impl Plan {
    /// Everything that is left to do.
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

    /// Nothing can bring the goals about; `explanation` says why.
    pub fn infeasible(explanation: impl Into<String>) -> Self {
        Self {
            achievable: false,
            explanation: Some(explanation.into()),
            ..Self::default()
        }
    }

    /// The same with what must hold when the task is done.
    pub fn with_goals(mut self, goals: Vec<Goal>) -> Self {
        self.goals = goals;
        self
    }

    /// The same with why.
    pub fn because(mut self, reasoning: impl Into<String>) -> Self {
        self.reasoning = reasoning.into();
        self
    }
}

fn is_usual(pace: &f64) -> bool {
    *pace == 1.0
}

/// What a plan stands in for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The step that failed, and nothing else: the steps after it stay.
    Step,
    /// All steps that are left. What was done stays done.
    #[default]
    Rest,
    /// Everything: the last plan rested on wrong assumptions. What was done stays done
    /// in the world, but need not be of use.
    All,
}

/// A call with what is expected of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanStep {
    /// The call.
    #[serde(flatten)]
    pub call: SkillCall,
    /// What its success should look like; nothing beyond success if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expectation>,
    /// Whether it may run at the same time as its neighbours that may, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub parallel: bool,
}

impl PlanStep {
    /// The same with an expectation.
    pub fn expecting(mut self, expectation: Expectation) -> Self {
        self.expect = Some(expectation);
        self
    }

    /// The same, free to run beside its neighbours.
    pub fn in_parallel(mut self) -> Self {
        self.parallel = true;
        self
    }
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

/// What the success of a step should look like. A success that deviates is judged by
/// the agent's evaluator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Expectation {
    /// What should hold afterwards.
    pub goals: Vec<Goal>,
    /// Figures of the skill's answer that should lie in a range.
    pub measured: Vec<ExpectedFigure>,
    /// Objects that the answer should be about.
    pub entities: Vec<ObjectId>,
    /// In words, for evaluators that read.
    pub text: Option<String>,
}

/// A figure that should lie in a range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExpectedFigure {
    /// Its name in the skill's answer.
    pub name: String,
    /// Least value, in the unit of the answer.
    pub min: f64,
    /// Largest value.
    pub max: f64,
}

/// Why a plan was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "trigger")]
pub enum Trigger {
    /// The episode begins.
    Start,
    /// The steps of the last round are done, and there is more to do.
    NextRound,
    /// The steps of the last round are done, and left the world as an earlier round had found it.
    NoProgress {
        /// Such rounds, since one changed something.
        rounds: usize,
    },
    /// A step failed.
    StepFailed {
        /// Which, counted over the episode.
        step_idx: usize,
        /// Its reason.
        reason: crate::Reason,
    },
    /// A step succeeded, but not as expected.
    Deviation {
        /// Which, counted over the episode.
        step_idx: usize,
    },
    /// The robot could not look.
    Blind,
    /// Every step succeeded, but the goal does not hold.
    GoalNotMet,
    /// The last answer could not be used, or did not come.
    PlannerTrouble,
    /// The call was refused before it was made.
    Refused {
        /// Which, counted over the episode.
        step_idx: usize,
    },
    /// A person answered the planner's question.
    Answered,
    /// The run was taken up in a world that is not as it was left.
    Resumed,
}

/// A plan with its place in the history of an episode.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanVersion {
    /// Counts from 1.
    pub version: usize,
    /// Why it was asked for.
    pub trigger: Trigger,
    /// In one sentence, with figures.
    pub why: String,
    /// Steps of the episode that were finished when it was made.
    pub after_steps: usize,
    /// The planner's answer.
    pub plan: Plan,
    /// What will be done now: for [`Scope::Step`], the answer and what was left.
    pub steps: Vec<PlanStep>,
}

/// Why a failure happened and what might mend it, worked out from the evidence.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reflection {
    /// The kind of failure, as a word.
    pub error_type: String,
    /// What is behind it, in one sentence.
    pub root_cause: String,
    /// What else played a part.
    pub contributing_factors: Vec<String>,
    /// What to do differently.
    pub suggested_change: String,
    /// Whether another try could end differently, in view of what changed.
    pub structural: bool,
}

/// The arguments of a call, changed for another try.
pub fn merged_args(args: &Value, changes: &Value) -> Value {
    let mut merged = args.clone();
    if let (Some(fields), Some(changes)) = (merged.as_object_mut(), changes.as_object()) {
        for (name, value) in changes {
            fields.insert(name.clone(), value.clone());
        }
    }
    merged
}
