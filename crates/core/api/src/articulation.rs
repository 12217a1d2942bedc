//! Joints between objects, as they stand.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::{JointKind, JointRole, ObjectId, Part, Pose};

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
    /// A point of the axis in World, m; of a slide, where the child's origin is.
    #[serde(default)]
    pub point_in_world: [f64; 3],
    /// How far it is open: 0 when closed or off, m or rad.
    pub opening: f64,
    /// How far it can open, m or rad.
    pub travel: f64,
    /// Its position as declared, m or rad: what [`Self::opening`] is counted from, and in which
    /// direction, is up to the declaration.
    #[serde(default)]
    pub position: f64,
    /// What it means when it has moved.
    #[serde(default)]
    pub role: JointRole,
    /// The opening from which it counts as open or on, m or rad; a part of the travel if it was
    /// not declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_from: Option<f64>,
    /// The opening up to which it counts as closed or off, m or rad; a part of the travel if it
    /// was not declared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_up_to: Option<f64>,
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
    /// The same of a hinge: a door at two thirds of its travel is wide open.
    pub const WIDE_FROM: f64 = 0.6;
    /// Fraction of the travel up to which it counts as closed.
    pub const CLOSED_UP_TO: f64 = 0.05;

    /// Fraction of the travel from which something that is set counts as on.
    pub const ON_FROM: f64 = 0.25;

    /// Largest distance from an opening that was asked for at which it may stand, m.
    pub const AT_OPENING_M: f64 = 0.008;
    /// The same of what turns, rad.
    pub const AT_OPENING_RAD: f64 = 0.08;

    /// Largest distance from an opening that was asked for at which it may stand, m or rad.
    pub fn tolerance(&self) -> f64 {
        match self.kind {
            JointKind::Prismatic => Self::AT_OPENING_M,
            JointKind::Revolute => Self::AT_OPENING_RAD,
        }
    }

    /// Openings, m or rad, for each unit in which people tell them: m, or degrees.
    pub fn per_unit(&self) -> f64 {
        match self.kind {
            JointKind::Prismatic => 1.0,
            JointKind::Revolute => 1_f64.to_radians(),
        }
    }

    /// Whether it opens something, such as a drawer or a door.
    pub fn opens(&self) -> bool {
        self.presses.is_none() && self.role == JointRole::Opens
    }

    /// Whether it sets something, such as a knob.
    pub fn is_set(&self) -> bool {
        self.presses.is_none() && self.role == JointRole::Sets
    }

    /// Whether it is open (or on), as people use the word.
    pub fn is_open(&self) -> bool {
        self.opening >= self.opens_at()
    }

    /// Whether it is closed (or off).
    pub fn is_closed(&self) -> bool {
        self.opening <= self.closes_at()
    }

    /// The opening from which it counts as open or on, m or rad.
    pub fn opens_at(&self) -> f64 {
        let part = match (self.role, self.kind) {
            (JointRole::Opens, JointKind::Prismatic) => Self::OPEN_FROM,
            (JointRole::Opens, JointKind::Revolute) => Self::WIDE_FROM,
            (JointRole::Sets, _) => Self::ON_FROM,
        };
        self.open_from.unwrap_or(part * self.travel)
    }

    /// The opening up to which it counts as closed or off, m or rad.
    pub fn closes_at(&self) -> f64 {
        self.closed_up_to
            .unwrap_or(Self::CLOSED_UP_TO * self.travel)
    }

    /// Where something that goes with the child comes when the joint goes on to `opening`.
    pub fn carried(&self, world_from_thing: &Pose, opening: f64) -> Pose {
        let by = opening - self.opening;
        match self.kind {
            JointKind::Prismatic => {
                nalgebra::Translation3::from(by * self.axis()) * world_from_thing
            }
            JointKind::Revolute => {
                let turn = nalgebra::UnitQuaternion::new(by * self.axis());
                let point = nalgebra::Point3::from(self.point_in_world);
                Pose::rotation_wrt_point(turn, point) * world_from_thing
            }
        }
    }

    /// The direction in which it opens, in World.
    pub fn axis(&self) -> Vector3<f64> {
        Vector3::from(self.axis_in_world)
    }
}
