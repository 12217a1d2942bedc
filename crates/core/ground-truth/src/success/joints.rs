//! Parts that joints move: drawers, doors, buttons.

use std::fmt;

use regrasp_api::{JointKind, ObjectId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::GroundTruth;
use crate::condition::{Condition, Evidence, Finding, ensure, mm};
use crate::known::{Known, Wrong, not_negative};

/// Opening of an object on a joint, such as a drawer or a door; 0 is closed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointAt {
    /// Object that the joint moves.
    pub object: ObjectId,
    /// Least opening, m or rad.
    #[serde(default)]
    pub min: f64,
    /// Largest opening, m or rad; the joint's travel if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

impl Condition for JointAt {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        let what = "something that a joint moves, such as a drawer";
        let travel = known.joint("object", &self.object, what, |_| true)?.travel;
        not_negative("min", self.min)?;
        not_negative("max", self.max)?;
        let max = *self.max.get_or_insert(travel);
        let least = max.min(travel);
        match self.min > least {
            true => Err(Wrong::value("min", self.min, format!("at most {least}"))),
            false => Ok(()),
        }
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let joints = &seen.last.joints;
        let joint = joints.iter().find(|joint| joint.child == self.object);
        let joint = joint.ok_or_else(|| format!("no joint moves {}", self.object))?;
        // The end stops of a joint yield slightly: a joint pressed against one is closed or open.
        let opening = joint.opening.min(joint.travel).max(0.0);
        let holds = opening >= self.min && self.max.is_none_or(|max| opening <= max);
        ensure(holds, || match joint.kind {
            JointKind::Prismatic => format!("it is open by {}", mm(opening)),
            JointKind::Revolute => format!("it is open by {opening:.3} rad"),
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "joint_at({}, ", self.object)?;
        match self.max {
            Some(max) => write!(f, "{} to {max})", self.min),
            None => write!(f, "at least {})", self.min),
        }
    }
}

/// A button registered a number of presses since the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pressed {
    /// Button.
    pub object: ObjectId,
    /// Least number of presses; 1 if left out.
    #[serde(default = "once")]
    #[schemars(range(min = 1, max = 100))]
    pub times: u32,
}

impl Condition for Pressed {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        known.joint("object", &self.object, "a button", |joint| joint.is_button)?;
        match self.times {
            1..=100 => Ok(()),
            n => Err(Wrong::value("times", n, "a whole number from 1 to 100")),
        }
    }

    fn judge(&self, seen: &Evidence<'_>) -> Result<(), Finding> {
        let count = |truth: &GroundTruth| {
            let joint = truth.joints.iter().find(|joint| joint.child == self.object);
            joint.and_then(|joint| joint.presses).map(|p| p.count)
        };
        let (Some(before), Some(now)) = (count(seen.first), count(seen.last)) else {
            return Err(format!("{} is not a button", self.object).into());
        };
        let pressed = now.saturating_sub(before);
        ensure(pressed >= self.times, || {
            format!("it registered {pressed} presses")
        })
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pressed({}, {} times)", self.object, self.times)
    }
}

fn once() -> u32 {
    1
}
