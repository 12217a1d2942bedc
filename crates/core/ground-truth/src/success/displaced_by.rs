//! `displaced_by`: how far an object is from where it was at the start.

use std::fmt;

use nalgebra::Vector2;
use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure, mm};
use crate::known::{Known, Wrong, coordinates, positive};

/// The object's origin is, seen from above, so far from where it was at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DisplacedBy {
    /// Which.
    pub object: ObjectId,
    /// By how much, along x and y of World, m.
    pub by_m: [f64; 2],
    /// How far off that it may be, m.
    pub tolerance_m: f64,
}

impl Condition for DisplacedBy {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        coordinates("by_m", &self.by_m)?;
        positive("tolerance_m", self.tolerance_m)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let moved = seen.moved(&self.object)?.xy();
        let off = (moved - Vector2::from(self.by_m)).norm();
        ensure(off < self.tolerance_m, || {
            let [x, y] = [moved.x, moved.y].map(|m| 1e3 * m);
            format!("it moved by ({x:.1}, {y:.1}) mm, {:.1} mm off", off * 1e3)
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }

    fn moved(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for DisplacedBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([x, y], off) = (self.by_m, mm(self.tolerance_m));
        write!(
            f,
            "displaced_by({}, by {x:.3}, {y:.3}, within {off})",
            self.object
        )
    }
}
