//! Calls of skills and their results.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ObjectId, Pose, Reason, Sense};

/// One call of a skill, as planners write it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkillCall {
    /// The skill's name.
    pub skill: String,
    /// Its arguments, an object.
    pub args: Value,
}

impl SkillCall {
    /// A call with arguments.
    pub fn new(skill: impl Into<String>, args: Value) -> Self {
        Self {
            skill: skill.into(),
            args,
        }
    }

    /// The call as a person would note it: `place_on white_plate`, `place_at x 0.4 y 0.1`.
    pub fn in_words(&self) -> String {
        match arguments_in_words(&self.args).as_str() {
            "" => self.skill.clone(),
            args => format!("{} {args}", self.skill),
        }
    }
}

/// Arguments as a person would note them: names as they are, figures behind what they are of. What a
/// call is told of the next one is left out.
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

/// Which part of a skill's work something happened in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Checking whether it may start.
    Precondition,
    /// Looking.
    Perceive,
    /// Finding grasps and motions.
    Plan,
    /// Moving.
    Execute,
    /// Checking what was achieved.
    Verify,
}

/// A figure with its meaning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// What was measured.
    pub name: String,
    /// The value.
    pub value: f64,
    /// What it was held against.
    pub limit: Option<f64>,
    /// SI unit.
    pub unit: String,
}

/// When, on the way, something happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// The part of the skill's work, a word such as `lift`; empty if none had begun.
    pub during: String,
    /// Seconds since that motion of the arm or the gripper began.
    pub at_secs: f64,
}

/// What the robot believes after a skill.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StateAfter {
    /// What is in the hand.
    pub held: Option<ObjectId>,
    /// Objects as seen, in World; absent if it could not look.
    #[serde(default)]
    pub objects: Option<BTreeMap<ObjectId, Pose>>,
}

/// The answer of a skill.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SkillResult {
    /// Verified success.
    pub success: bool,
    /// Why not; absent on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// One sentence with figures.
    pub reason_detail: String,
    /// Where it ended.
    pub phase: Phase,
    /// When, if a motion was ended early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<Moment>,
    /// Ids involved: the blocker, the candidates.
    pub entities: Vec<ObjectId>,
    /// The figures behind the answer.
    pub measured: Vec<Measured>,
    /// Whether the next attempt should look again before it trusts what was seen.
    pub world_changed: bool,
    /// What the robot believes now.
    pub state_after: StateAfter,
    /// What could be tried.
    pub hints: Vec<String>,
    /// Arguments with which the same call may fare better, in place of those it had.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_with: Option<Value>,
    /// Files that belong to the answer, relative to the run folder.
    pub artifacts: Vec<String>,
    /// The senses that the verification rested on; empty if nothing was verified.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verified_by: Vec<Sense>,
}

/// What a skill achieved, for the sentence in its result.
#[derive(Clone, Debug, Default)]
pub struct Success {
    /// One sentence with figures.
    pub detail: String,
    /// Ids involved.
    pub entities: Vec<ObjectId>,
    /// The figures.
    pub measured: Vec<Measured>,
}

impl Success {
    /// A success with one sentence.
    pub fn new(detail: impl Into<String>) -> Self {
        Self {
            detail: detail.into(),
            ..Self::default()
        }
    }

    /// A success if the post-condition holds, else `verification_failed`; either way
    /// with one sentence about what was found.
    ///
    /// # Errors
    ///
    /// It does not hold.
    pub fn verified(holds: bool, found: impl Into<String>) -> Result<Self, Failure> {
        if holds {
            Ok(Self::new(found))
        } else {
            Err(Failure::new(Reason::VerificationFailed, found))
        }
    }

    /// Adds a figure.
    pub fn measured(mut self, name: &str, value: f64, limit: Option<f64>, unit: &str) -> Self {
        self.measured.push(measured(name, value, limit, unit));
        self
    }

    /// Adds ids involved.
    pub fn about(mut self, ids: impl IntoIterator<Item = ObjectId>) -> Self {
        self.entities.extend(ids);
        self
    }
}

/// Why a skill could not do its work. Becomes a [`SkillResult`].
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The slug.
    pub reason: Reason,
    /// One sentence with figures.
    pub detail: Box<str>,
    /// Where, if it differs from the function that returned it.
    pub phase: Option<Phase>,
    /// When, if a motion was ended early.
    pub moment: Option<Moment>,
    /// Ids involved.
    pub entities: Vec<ObjectId>,
    /// The figures.
    pub measured: Vec<Measured>,
    /// What could be done about it; boxed, since most failures have none.
    pub advice: Option<Box<Advice>>,
}

/// What could be done about a failure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// In words.
    pub hints: Vec<String>,
    /// Arguments with which the same call may fare better.
    pub retry_with: Option<Value>,
}

impl Failure {
    /// A failure with its reason and one sentence.
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

    /// Says where it happened, unless that is known already.
    pub fn in_phase(mut self, phase: Phase) -> Self {
        self.phase.get_or_insert(phase);
        self
    }

    /// Says when it happened: how long after which motion began.
    pub fn at_moment(mut self, during: &str, at_secs: f64) -> Self {
        self.moment = Some(Moment {
            during: during.to_owned(),
            at_secs,
        });
        self
    }

    /// Adds ids involved.
    pub fn about(mut self, ids: impl IntoIterator<Item = ObjectId>) -> Self {
        self.entities.extend(ids);
        self
    }

    /// Adds a figure.
    pub fn measured(mut self, name: &str, value: f64, limit: Option<f64>, unit: &str) -> Self {
        self.measured.push(measured(name, value, limit, unit));
        self
    }

    /// Says with which arguments the same call may fare better.
    pub fn retry_with(mut self, changes: Value) -> Self {
        self.advice.get_or_insert_default().retry_with = Some(changes);
        self
    }

    /// Adds something that could be tried.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        let advice = self.advice.get_or_insert_default();
        advice.hints.push(hint.into());
        self
    }
}

fn measured(name: &str, value: f64, limit: Option<f64>, unit: &str) -> Measured {
    Measured {
        name: name.into(),
        value,
        limit,
        unit: unit.into(),
    }
}

/// A part of the robot that a skill needs for itself.
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

/// What a skill needs in the hand, and what it leaves there when it succeeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandUse {
    /// Whatever is there stays there.
    #[default]
    Any,
    /// Needs an empty hand, leaves something in it.
    Takes,
    /// Needs something in the hand, leaves it empty.
    Releases,
    /// Needs something in the hand, and keeps it.
    Keeps,
    /// Needs an empty hand, and leaves it empty.
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
            world_changed: false,
            state_after: StateAfter::default(),
            hints: advice.hints,
            retry_with: advice.retry_with,
            artifacts: vec![],
            verified_by: vec![],
        }
    }
}
