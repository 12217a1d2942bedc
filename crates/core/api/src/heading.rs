//! Level directions, as the robot sees them.

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A level direction, as the robot sees it from its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Heading {
    /// Away from the robot: along +x of World.
    Forward,
    /// Towards the robot: along -x.
    Back,
    /// Along +y.
    Left,
    /// Along -y.
    Right,
}

impl Heading {
    /// Returns the unit vector in World.
    pub fn direction(self) -> Vector3<f64> {
        match self {
            Self::Forward => Vector3::x(),
            Self::Back => -Vector3::x(),
            Self::Left => Vector3::y(),
            Self::Right => -Vector3::y(),
        }
    }
}
