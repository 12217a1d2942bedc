//! Poses in files.

use nalgebra::{Quaternion, UnitQuaternion};
use regrasp_api::Pose;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Pose of a camera with its parent frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mount {
    World(Pose),
    Base(Pose),
    Tool(Pose),
}

/// A rigid transform in a file: metres, and a unit quaternion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Placement {
    /// Position of the origin, m.
    pub position: [f64; 3],
    /// Rotation as a unit quaternion; default: none.
    #[serde(default = "upright")]
    pub quat_xyzw: [f64; 4],
}

pub(crate) fn upright() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

/// Largest deviation of a quaternion's length from 1.
const UNIT_WITHIN: f64 = 1e-2;
/// Distance beyond which a position is probably not in metres, m.
pub(crate) const FURTHEST_M: f64 = 100.0;

impl Placement {
    /// Returns the transform, or the mistake in its numbers.
    ///
    /// # Errors
    ///
    /// A sentence that begins with the field.
    pub(crate) fn pose(&self) -> Result<Pose, String> {
        if let Some(bad) = self.position.iter().find(|p| !p.is_finite()) {
            return Err(format!("position: {bad} is not a finite number"));
        }
        if let Some(far) = self.position.iter().find(|p| p.abs() > FURTHEST_M) {
            return Err(format!(
                "position: {far} m is beyond {FURTHEST_M} m; positions are in metres"
            ));
        }
        let q = Quaternion::from(self.quat_xyzw);
        let length = q.norm();
        if !length.is_finite() || (length - 1.0).abs() > UNIT_WITHIN {
            return Err(format!(
                "quat_xyzw: its length is {length:.4}, but must be 1; the order is x, y, z, w"
            ));
        }
        let rotation = UnitQuaternion::new_normalize(q);
        Ok(Pose::from_parts(self.position.into(), rotation))
    }
}

impl From<Pose> for Placement {
    fn from(pose: Pose) -> Self {
        Self {
            position: pose.translation.vector.into(),
            quat_xyzw: pose.rotation.coords.into(),
        }
    }
}
