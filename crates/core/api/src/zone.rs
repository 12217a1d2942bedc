//! Places of an object: its left side, its front left corner, the back burner of a stove.

use nalgebra::{Quaternion, UnitQuaternion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Pose;

/// A place of an object: a side as the robot sees it from its base (`left`, `front`, `middle`,
/// `back_right`, `left_edge`), or one that is declared for the object (`front_burner`).
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Deserialize,
    Serialize,
    JsonSchema,
    derive_more::Display,
)]
#[display("{_0}")]
#[serde(transparent)]
pub struct Zone(String);

/// Place of an object that is known without looking.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KnownZone {
    /// Name, words joined by `_`.
    pub name: String,
    /// Centre in the frame of the object, m.
    pub position: [f64; 3],
    /// Half extents along the zone's axes, m.
    pub half_extents: [f64; 3],
    /// Orientation of the zone's axes in the frame of the object.
    #[serde(default = "unturned", skip_serializing_if = "is_unturned")]
    pub quat_xyzw: [f64; 4],
}

const UNTURNED: [f64; 4] = [0.0, 0.0, 0.0, 1.0];

fn unturned() -> [f64; 4] {
    UNTURNED
}

fn is_unturned([x, y, z, _]: &[f64; 4]) -> bool {
    [x, y, z].into_iter().all(|part| part.abs() <= 0.0)
}

impl KnownZone {
    /// Creates a place whose axes are those of the object.
    pub fn new(name: impl Into<String>, position: [f64; 3], half_extents: [f64; 3]) -> Self {
        Self {
            name: name.into(),
            position,
            half_extents,
            quat_xyzw: UNTURNED,
        }
    }

    /// Returns the centre and the axes in the frame of the object.
    pub fn object_from_zone(&self) -> Pose {
        let [x, y, z, w] = self.quat_xyzw;
        let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
        Pose::from_parts(self.position.into(), rotation)
    }
}

impl Zone {
    /// Creates a place from its name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
