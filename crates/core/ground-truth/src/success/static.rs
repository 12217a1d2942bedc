//! `static`: an object is at rest.

use std::fmt;

use nalgebra::Vector3;
use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure};
use crate::known::{Known, Wrong, positive};

/// The object is at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Static {
    /// Which.
    pub object: ObjectId,
    /// Largest speed of its origin, m/s.
    pub max_linear_m_per_s: f64,
    /// Largest angular speed, rad/s.
    pub max_angular_rad_per_s: f64,
}

impl Condition for Static {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        positive("max_linear_m_per_s", self.max_linear_m_per_s)?;
        positive("max_angular_rad_per_s", self.max_angular_rad_per_s)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let object = seen.object(&self.object)?;
        let v = Vector3::from(object.linear_velocity).norm();
        let w = Vector3::from(object.angular_velocity).norm();
        let rests = v <= self.max_linear_m_per_s && w <= self.max_angular_rad_per_s;
        ensure(rests, || format!("it moves at {v:.4} m/s and {w:.4} rad/s"))
    }

    fn objects(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for Static {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (v, w) = (self.max_linear_m_per_s, self.max_angular_rad_per_s);
        write!(f, "static({}, at most {v} m/s and {w} rad/s)", self.object)
    }
}
