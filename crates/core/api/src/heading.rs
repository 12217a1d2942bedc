//! Level directions, as the robot sees them.

use std::fmt;

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A level direction, as the robot sees it from its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
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
    /// All four.
    pub const ALL: [Self; 4] = [Self::Forward, Self::Back, Self::Left, Self::Right];

    /// Unit vector in World.
    pub fn direction(self) -> Vector3<f64> {
        match self {
            Self::Forward => Vector3::x(),
            Self::Back => -Vector3::x(),
            Self::Left => Vector3::y(),
            Self::Right => -Vector3::y(),
        }
    }
}

impl fmt::Display for Heading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forward => "forward",
            Self::Back => "back",
            Self::Left => "left",
            Self::Right => "right",
        })
    }
}
