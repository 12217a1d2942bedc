//! `displaced`: an object is elsewhere than at the start.

use std::fmt;

use nalgebra::Vector3;
use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure, mm};
use crate::known::{Known, Wrong, coordinates, positive};

/// The object's origin is elsewhere than at the start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Displaced {
    /// Which.
    pub object: ObjectId,
    /// Along which direction of World that counts, two or three numbers; any if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2, max = 3))]
    pub direction: Option<Vec<f64>>,
    /// By at least this, m.
    pub min_m: f64,
}

impl Condition for Displaced {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        if let Some(given) = &self.direction {
            let wrong = |got: &str, allowed| Err(Wrong::value("direction", got, allowed));
            coordinates("direction", given)?;
            if !(2..=3).contains(&given.len()) {
                let got = format!("a list of {}", given.len());
                return wrong(&got, "a list of 2 or 3 numbers");
            }
            if unit(given).is_none() {
                return wrong("of no length", "a direction");
            }
        }
        positive("min_m", self.min_m)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let moved = seen.moved(&self.object)?;
        let by = match &self.direction {
            Some(direction) => moved.dot(&unit(direction).unwrap_or_default()),
            None => moved.norm(),
        };
        ensure(by >= self.min_m, || {
            format!("it moved by {:.1} mm", by * 1e3)
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }

    fn moved(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for Displaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by = mm(self.min_m);
        write!(f, "displaced({}, at least {by}", self.object)?;
        if let Some(unit) = self.direction.as_deref().and_then(unit) {
            let [x, y, z]: [f64; 3] = unit.into();
            write!(f, " along ({x:.2}, {y:.2}, {z:.2})")?;
        }
        f.write_str(")")
    }
}

/// A direction along x, y and perhaps z as a unit vector, if it has a length.
fn unit(direction: &[f64]) -> Option<Vector3<f64>> {
    let at = |i| direction.get(i).copied().unwrap_or_default();
    Vector3::new(at(0), at(1), at(2)).try_normalize(1e-9)
}
