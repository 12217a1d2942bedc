//! Skill calls and their results.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ObjectId, Pose, Reason, Sense};

/// Call of a skill, as planners write it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkillCall {
    /// Name of the skill.
    pub skill: String,
    /// Arguments, a JSON object.
    pub args: Value,
}

impl SkillCall {
    /// Creates a call.
    pub fn new(skill: impl Into<String>, args: Value) -> Self {
        Self {
            skill: skill.into(),
            args,
        }
    }

    /// Returns the call as a person would write it: `place_on white_plate`, `place_at x 0.4 y 0.1`.
    pub fn in_words(&self) -> String {
        match arguments_in_words(&self.args).as_str() {
            "" => self.skill.clone(),
            args => format!("{} {args}", self.skill),
        }
    }
}

/// Returns arguments as a person would write them: texts alone, numbers and booleans after their
/// names. Nested arguments, such as the next call, are left out.
pub fn arguments_in_words(args: &Value) -> String {
    let words = args
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(_) | Value::Bool(_) => Some(format!("{key} {value}")),
            Value::Array(_) | Value::Object(_) | Value::Null => None,
        });
    words.collect::<Vec<_>>().join(" ")
}

impl std::fmt::Display for SkillCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({})", self.skill, self.args)
    }
}

/// Phase of a skill's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Check of the preconditions.
    Precondition,
    /// Perception.
    Perceive,
    /// Check of the call that follows, before anything moves.
    Lookahead,
    /// Search for grasps and motions.
    Plan,
    /// Motion.
    Execute,
    /// Verification of the result.
    Verify,
}

/// Measured quantity, and the limit that it was compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Name of the quantity.
    pub name: String,
    /// Value.
    pub value: f64,
    /// Limit that the value was compared with.
    pub limit: Option<f64>,
    /// SI unit.
    pub unit: String,
}

/// Moment of an event during a motion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Phase of the skill as a word, such as `lift`; empty before the first phase.
    pub during: String,
    /// Time since the motion of the arm or the gripper began, s.
    pub at_secs: f64,
}

/// Belief of the robot after a skill.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StateAfter {
    /// Object in the hand.
    pub held: Option<ObjectId>,
    /// Perceived objects with their poses in World; absent if perception failed.
    pub objects: Option<BTreeMap<ObjectId, Pose>>,
}

/// Result of a skill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkillResult {
    /// True if success was verified.
    pub success: bool,
    /// Reason of the failure; absent on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Explanation in one sentence with figures.
    pub reason_detail: String,
    /// Phase in which the skill ended.
    pub phase: Phase,
    /// Moment of the stop, if a motion was ended early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<Moment>,
    /// Ids of the objects involved, such as a blocker or candidates.
    pub entities: Vec<ObjectId>,
    /// Figures behind the result.
    pub measured: Vec<Measured>,
    /// Set if the next attempt should look again before it relies on the last percept.
    pub world_changed: bool,
    /// Belief of the robot now.
    pub state_after: StateAfter,
    /// Suggestions for the next attempt.
    pub hints: Vec<String>,
    /// Replacement arguments with which the same call may succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_with: Option<Value>,
    /// Files that belong to the result, relative to the run folder.
    pub artifacts: Vec<String>,
    /// Senses behind the verification; empty if nothing was verified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verified_by: Vec<Sense>,
}

/// Success of a skill, for its result.
#[derive(Clone, Debug, Default)]
pub struct Success {
    /// Explanation in one sentence with figures.
    pub detail: String,
    /// Ids of the objects involved.
    pub entities: Vec<ObjectId>,
    /// Figures behind the success.
    pub measured: Vec<Measured>,
}

impl Success {
    /// Creates a success with one sentence.
    pub fn new(detail: impl Into<String>) -> Self {
        Self {
            detail: detail.into(),
            ..Self::default()
        }
    }

    /// Returns a success if the post-condition holds; `found` describes the finding in a sentence.
    ///
    /// # Errors
    ///
    /// [`Reason::VerificationFailed`] if the post-condition does not hold.
    pub fn verified(holds: bool, found: impl Into<String>) -> Result<Self, Failure> {
        if holds {
            Ok(Self::new(found))
        } else {
            Err(Failure::new(Reason::VerificationFailed, found))
        }
    }

    /// Adds a figure.
    pub fn measured(mut self, name: &str, value: f64, limit: Option<f64>, unit: &str) -> Self {
        let figure = Measured::new(name, value, limit, unit);
        self.measured.push(figure);
        self
    }

    /// Adds ids of objects involved.
    pub fn about(mut self, ids: impl IntoIterator<Item = ObjectId>) -> Self {
        self.entities.extend(ids);
        self
    }
}

/// Failure of a skill. It becomes a [`SkillResult`].
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// Reason as a slug.
    pub reason: Reason,
    /// Explanation in one sentence with figures.
    pub detail: Box<str>,
    /// Phase of the failure; `None` until [`Failure::in_phase`] sets it.
    pub phase: Option<Phase>,
    /// Moment of the stop, if a motion was ended early.
    pub moment: Option<Moment>,
    /// Ids of the objects involved.
    pub entities: Vec<ObjectId>,
    /// Figures behind the failure.
    pub measured: Vec<Measured>,
    /// Advice; boxed, since most failures have none.
    pub advice: Option<Box<Advice>>,
}

/// Advice after a failure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// Suggestions in words.
    pub hints: Vec<String>,
    /// Arguments with which the same call may succeed.
    pub retry_with: Option<Value>,
}

impl Failure {
    /// Creates a failure with its reason and one sentence.
    pub fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self {
            reason,
            detail: detail.into().into_boxed_str(),
            phase: None,
            moment: None,
            entities: vec![],
            measured: vec![],
            advice: None,
        }
    }

    /// Sets the phase, unless it is already set.
    pub fn in_phase(mut self, phase: Phase) -> Self {
        self.phase.get_or_insert(phase);
        self
    }

    /// Sets the moment: the phase of the motion and the time since its start.
    pub fn at_moment(mut self, during: &str, at_secs: f64) -> Self {
        self.moment = Some(Moment {
            during: during.to_owned(),
            at_secs,
        });
        self
    }

    /// Adds ids of objects involved.
    pub fn about(mut self, ids: impl IntoIterator<Item = ObjectId>) -> Self {
        self.entities.extend(ids);
        self
    }

    /// Adds a figure.
    pub fn measured(mut self, name: &str, value: f64, limit: Option<f64>, unit: &str) -> Self {
        let figure = Measured::new(name, value, limit, unit);
        self.measured.push(figure);
        self
    }

    /// Sets arguments with which the same call may succeed.
    pub fn retry_with(mut self, changes: Value) -> Self {
        self.advice.get_or_insert_default().retry_with = Some(changes);
        self
    }

    /// Adds a suggestion.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        let advice = self.advice.get_or_insert_default();
        advice.hints.push(hint.into());
        self
    }
}

impl Measured {
    /// Creates a figure; [`Measured`] describes its parts.
    pub fn new(name: &str, value: f64, limit: Option<f64>, unit: &str) -> Self {
        Self {
            name: name.into(),
            value,
            limit,
            unit: unit.into(),
        }
    }
}

/// Part of the robot that a skill needs exclusively.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// The arm.
    Arm,
    /// The gripper.
    Gripper,
    /// The cameras.
    Camera,
}

/// Requirement of a skill on the hand, and the hand's state after success.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandUse {
    /// The hand keeps its state.
    #[default]
    Any,
    /// Needs an empty hand, and holds an object afterwards.
    Takes,
    /// Needs an object in the hand, and leaves the hand empty.
    Releases,
    /// Needs an object in the hand, and keeps it.
    Keeps,
    /// Needs an empty hand, which stays empty.
    Empty,
}

impl From<Failure> for SkillResult {
    fn from(failure: Failure) -> Self {
        let advice = failure.advice.map(|advice| *advice).unwrap_or_default();
        Self {
            success: false,
            reason: Some(failure.reason),
            reason_detail: failure.detail.into(),
            phase: failure.phase.unwrap_or(Phase::Execute),
            moment: failure.moment,
            entities: failure.entities,
            measured: failure.measured,
            hints: advice.hints,
            retry_with: advice.retry_with,
            ..Success::default().into()
        }
    }
}

impl From<Success> for SkillResult {
    fn from(success: Success) -> Self {
        Self {
            success: true,
            reason: None,
            reason_detail: success.detail,
            phase: Phase::Verify,
            moment: None,
            entities: success.entities,
            measured: success.measured,
            world_changed: false,
            state_after: StateAfter::default(),
            hints: vec![],
            retry_with: None,
            artifacts: vec![],
            verified_by: vec![],
        }
    }
}
