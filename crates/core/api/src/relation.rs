//! Relations of a released object to one other; sides and directions, as the robot sees them.

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr};

/// Relation of a released object to one other object.
// A variant defines the predicate, the goal, its notation and its serialised form. Each relation
// also needs a judgement (in `regrasp-relations`), placements at which it holds and the call that
// achieves it (in `regrasp-skills`), and words (in `regrasp-language`).
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    Display,
    EnumString,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Relation {
    /// The object stands right beside the other, with hardly any space between them.
    Against,
    /// The object stands on something else, below an overhanging part of the other.
    Under,
}

/// Order of objects that goals imply. No object may precede itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A resting object precedes its support.
    Resting,
    /// An object precedes the one that it is under.
    Under,
    /// Objects from left to right, as the robot sees them.
    Sideways,
    /// Objects from near to far, as the robot sees them.
    Away,
}

impl Relation {
    /// Returns the predicate.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// Returns the order of the two objects; `None` for a symmetric relation.
    pub const fn order(self) -> Option<Order> {
        match self {
            Self::Against => None,
            Self::Under => Some(Order::Under),
        }
    }

    /// Returns the relation with a predicate.
    pub fn named(name: &str) -> Option<Self> {
        name.parse().ok()
    }
}

/// A side of something, as the robot sees it from its base. Displayed as a preposition (`left of`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema, Display)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// Along +y of World.
    #[strum(serialize = "left of")]
    Left,
    /// Along -y of World.
    #[strum(serialize = "right of")]
    Right,
    /// Nearer to the robot: along -x of World.
    #[strum(serialize = "in front of")]
    InFront,
    /// Farther from the robot: along +x of World.
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

    /// Returns the order that this side implies, and true if the object on this side of the other
    /// comes first in it.
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

/// A level direction, as the robot sees it from its base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema, Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Heading {
    /// Away from the robot: along +x of World.
    Forward,
    /// Towards the robot: along -x of World.
    Back,
    /// Along +y of World.
    Left,
    /// Along -y of World.
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
