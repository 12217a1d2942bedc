//! `upright`: an axis of an object points up.

use std::fmt;

use regrasp_api::{ObjectId, Upright as Axis};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure};
use crate::known::{Known, Wrong, positive};

/// An axis of the object points up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Upright {
    /// Which.
    pub object: ObjectId,
    /// Which axis, in its own frame; z if left out.
    #[serde(default = "z", deserialize_with = "axis")]
    #[schemars(with = "String", extend("enum" = Axis::WORDS))]
    pub axis: Axis,
    /// How far it may lean, rad.
    pub max_tilt_rad: f64,
}

impl Condition for Upright {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        positive("max_tilt_rad", self.max_tilt_rad)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let rotation = &seen.object(&self.object)?.world_from_object.rotation;
        let tilt = self.axis.tilt_rad(rotation);
        ensure(tilt <= self.max_tilt_rad, || {
            format!("it leans by {tilt:.3} rad")
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }

    fn moved(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for Upright {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "upright({}, ", self.object)?;
        if self.axis != Axis::Z {
            write!(f, "{}, ", self.axis)?;
        }
        write!(f, "within {} rad)", self.max_tilt_rad)
    }
}

fn z() -> Axis {
    Axis::Z
}

fn axis<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Axis, D::Error> {
    let word = String::deserialize(deserializer)?;
    let unknown = |_| D::Error::unknown_variant(&word, &Axis::WORDS);
    word.parse().map_err(unknown)
}
