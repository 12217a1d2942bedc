//! `joint_at`: how far what hangs on a joint is open.

use std::fmt;

use regrasp_api::{JointKind, ObjectId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure};
use crate::known::{Known, Wrong, not_negative};

/// What hangs on a joint (a drawer, a door) is open so far: 0 is closed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointAt {
    /// What the joint moves.
    pub object: ObjectId,
    /// Least opening, m or rad.
    #[serde(default)]
    pub min: f64,
    /// Largest opening, m or rad; all the way if left out.
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

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let joints = &seen.last.joints;
        let joint = joints.iter().find(|joint| joint.child == self.object);
        let joint = joint.ok_or_else(|| format!("{} hangs on no joint", self.object))?;
        // The end of a joint gives way by a hair: what is pressed against it is closed.
        let opening = joint.opening.max(0.0);
        let holds = opening >= self.min && self.max.is_none_or(|max| opening <= max);
        ensure(holds, || match joint.kind {
            JointKind::Prismatic => format!("it is open by {:.1} mm", opening * 1e3),
            JointKind::Revolute => format!("it is open by {opening:.3} rad"),
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }

    fn moved(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for JointAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "joint_at({}, ", self.object)?;
        match self.max {
            Some(max) => write!(f, "{} to {max})", self.min),
            None => write!(f, "at least {})", self.min),
        }
    }
}
