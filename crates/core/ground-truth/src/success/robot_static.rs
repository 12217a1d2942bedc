//! `robot_static`: every arm joint is at rest.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure};
use crate::known::{Known, Wrong, positive};

/// Every arm joint is at rest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RobotStatic {
    /// Largest joint speed, rad/s.
    pub max_rad_per_s: f64,
}

impl Condition for RobotStatic {
    fn fit(&mut self, _: &Known<'_>) -> Result<(), Wrong> {
        positive("max_rad_per_s", self.max_rad_per_s)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let speeds = seen.last.joint_velocities.iter().map(|v| v.abs());
        let fastest = speeds.clone().fold(0.0, f64::max);
        ensure(speeds.clone().all(|v| v <= self.max_rad_per_s), || {
            format!("a joint moves at {fastest:.3} rad/s")
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        Vec::new()
    }
}

impl fmt::Display for RobotStatic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "robot_static(at most {} rad/s)", self.max_rad_per_s)
    }
}
