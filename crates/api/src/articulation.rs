//! Joints between objects, as they stand.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::{JointKind, ObjectId, Part};

/// A joint between two objects, such as a drawer's slide or a door's hinge, as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectJoint {
    /// Its name.
    pub id: ObjectId,
    /// What stays.
    pub parent: ObjectId,
    /// What moves.
    pub child: ObjectId,
    /// How it moves.
    pub kind: JointKind,
    /// Direction in World in which it opens, or about which it does (unit length).
    pub axis_in_world: [f64; 3],
    /// How far it is open: 0 when closed, m or rad.
    pub opening: f64,
    /// How far it can open, m or rad.
    pub travel: f64,
    /// Where to take hold of what moves, in its own frame.
    #[serde(default)]
    pub handle: Option<Part>,
    /// For what is pressed (a button): what it has registered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presses: Option<Presses>,
}

/// What a button has registered, as its lamp or its counter shows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Presses {
    /// How far it has to go to count, m or rad.
    pub at: f64,
    /// How often it went so far, and came back in between.
    pub count: u32,
}

impl ObjectJoint {
    /// Fraction of the travel from which it counts as open.
    pub const OPEN_FROM: f64 = 0.8;
    /// Fraction of the travel up to which it counts as closed.
    pub const CLOSED_UP_TO: f64 = 0.05;

    /// Whether it is open, as people use the word.
    pub fn is_open(&self) -> bool {
        self.opening >= Self::OPEN_FROM * self.travel
    }

    /// Whether it is closed.
    pub fn is_closed(&self) -> bool {
        self.opening <= Self::CLOSED_UP_TO * self.travel
    }

    /// The direction in which it opens, in World.
    pub fn axis(&self) -> Vector3<f64> {
        Vector3::from(self.axis_in_world)
    }
}
