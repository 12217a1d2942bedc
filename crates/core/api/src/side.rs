//! Sides of objects, as seen by the robot.

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Order;

/// A side of something, as the robot sees it from its base. Displayed as the words before what
/// it is a side of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema, strum::Display)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Along +y of World.
    #[strum(serialize = "left of")]
    Left,
    /// Along -y.
    #[strum(serialize = "right of")]
    Right,
    /// Nearer to the robot: along -x.
    #[strum(serialize = "in front of")]
    InFront,
    /// Further away: along +x.
    #[strum(serialize = "behind")]
    Behind,
}

impl Side {
    /// All sides.
    pub const ALL: [Self; 4] = [Self::Left, Self::Right, Self::InFront, Self::Behind];

    /// Returns the unit vector in World.
    pub fn direction(self) -> Vector3<f64> {
        match self {
            Self::Left => Vector3::y(),
            Self::Right => -Vector3::y(),
            Self::InFront => -Vector3::x(),
            Self::Behind => Vector3::x(),
        }
    }

    /// Returns the axis of the order, and true if the object on this side comes first.
    pub fn order(self) -> (Order, bool) {
        match self {
            Self::Left => (Order::Sideways, true),
            Self::Right => (Order::Sideways, false),
            Self::InFront => (Order::Away, true),
            Self::Behind => (Order::Away, false),
        }
    }

    /// Returns the name: `in_front`.
    pub fn name(self) -> String {
        self.predicate().trim_end_matches("_of").to_owned()
    }

    /// Returns the predicate for an object on this side: `left_of`.
    pub fn predicate(self) -> String {
        self.to_string().replace(' ', "_")
    }
}
