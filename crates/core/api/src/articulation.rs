//! Joints between objects, in their present state.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::{JointKind, JointRole, ObjectId, Part, Pose};

/// Joint between two objects, such as a drawer's slide or a door's hinge, in its present state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObjectJoint {
    /// Name of the joint.
    pub id: ObjectId,
    /// Object that stays still when the joint moves.
    pub parent: ObjectId,
    /// Object that moves.
    pub child: ObjectId,
    /// Kind of motion.
    pub kind: JointKind,
    /// Opening direction of a slide, or axis of a hinge, as a unit vector in World.
    pub axis_in_world: [f64; 3],
    /// Point on the axis in World, m; for a slide, the child's origin.
    #[serde(default)]
    pub point_in_world: [f64; 3],
    /// Present opening, m or rad: 0 when closed or off.
    pub opening: f64,
    /// Standard deviation of the opening, m or rad; about that of the whole travel if nothing shows
    /// the moving part. Default 0.
    #[serde(default, skip_serializing_if = "is_exact")]
    pub opening_std: f64,
    /// Largest opening, m or rad.
    pub travel: f64,
    /// Joint position as declared, m or rad. The declaration fixes its zero and sign, which may
    /// differ from those of [`Self::opening`].
    #[serde(default)]
    pub position: f64,
    /// Meaning of the joint's motion: it opens something or sets something.
    #[serde(default)]
    pub role: JointRole,
    /// Opening from which the joint counts as open or on, m or rad. Default: a fraction of the
    /// travel, by kind and role of the joint (see [`Self::opens_at`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_from: Option<f64>,
    /// Opening up to which the joint counts as closed or off, m or rad. Default: the fraction
    /// [`Self::CLOSED_UP_TO`] of the travel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_up_to: Option<f64>,
    /// Handle of the child, in the child's frame.
    pub handle: Option<Part>,
    /// Registered presses of a button; `None` for any other joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presses: Option<Presses>,
}

fn is_exact(std: &f64) -> bool {
    *std <= 0.0
}

/// Presses that a button has registered, as its lamp or counter shows them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Presses {
    /// Opening from which a press counts, m or rad.
    pub at: f64,
    /// Number of presses that passed this opening and were released again.
    pub count: u32,
}

impl ObjectJoint {
    /// Fraction of the travel from which a slide counts as open.
    pub const OPEN_FROM: f64 = 0.8;
    /// Fraction of the travel from which a hinge counts as open. It is smaller than for a slide: a
    /// door is wide open long before its stop.
    pub const WIDE_FROM: f64 = 0.6;
    /// Fraction of the travel up to which a joint counts as closed.
    pub const CLOSED_UP_TO: f64 = 0.05;

    /// Fraction of the travel from which a joint that sets something counts as on.
    pub const ON_FROM: f64 = 0.25;

    /// Largest difference between a slide's opening and the requested one, m.
    pub const AT_OPENING_M: f64 = 0.008;
    /// Largest difference between a hinge's opening and the requested one, rad.
    pub const AT_OPENING_RAD: f64 = 0.08;

    /// Returns the largest difference between the opening and the requested one, m or rad.
    pub fn tolerance(&self) -> f64 {
        match self.kind {
            JointKind::Prismatic => Self::AT_OPENING_M,
            JointKind::Revolute => Self::AT_OPENING_RAD,
        }
    }

    /// Smallest tolerance of a slide's opening, m: the accuracy with which the hand can set it.
    const EXACT_M: f64 = 0.002;
    /// Smallest tolerance of a hinge's opening: 1 degree, in rad.
    const EXACT_RAD: f64 = 0.01745;

    /// Returns the smallest tolerance of an opening that the hand can keep, m or rad.
    pub fn exact(&self) -> f64 {
        match self.kind {
            JointKind::Prismatic => Self::EXACT_M,
            JointKind::Revolute => Self::EXACT_RAD,
        }
    }

    /// Returns the tolerance for a call that changes the opening by `change`, m or rad: at most
    /// half of the change (but at least [`Self::exact`]), so that a small change does not count as
    /// done before it is made.
    pub fn tolerance_after(&self, change: f64) -> f64 {
        self.tolerance().min((0.5 * change.abs()).max(self.exact()))
    }

    /// Returns the unit in which people state openings: 1 m for a slide, one degree in rad for a
    /// hinge.
    pub fn per_unit(&self) -> f64 {
        match self.kind {
            JointKind::Prismatic => 1.0,
            JointKind::Revolute => 1_f64.to_radians(),
        }
    }

    /// Returns true if the joint opens something, such as a drawer or a door.
    pub fn opens(&self) -> bool {
        self.presses.is_none() && self.role == JointRole::Opens
    }

    /// Returns true if the joint sets something, such as a knob.
    pub fn is_set(&self) -> bool {
        self.presses.is_none() && self.role == JointRole::Sets
    }

    /// Returns true if the joint counts as open or on.
    pub fn is_open(&self) -> bool {
        self.opening >= self.opens_at()
    }

    /// Returns true if the joint counts as closed or off.
    pub fn is_closed(&self) -> bool {
        self.opening <= self.closes_at()
    }

    /// Returns the opening from which the joint counts as open or on, m or rad.
    pub fn opens_at(&self) -> f64 {
        let part = match (self.role, self.kind) {
            (JointRole::Opens, JointKind::Prismatic) => Self::OPEN_FROM,
            (JointRole::Opens, JointKind::Revolute) => Self::WIDE_FROM,
            (JointRole::Sets, _) => Self::ON_FROM,
        };
        self.open_from.unwrap_or(part * self.travel)
    }

    /// Returns the opening up to which the joint counts as closed or off, m or rad.
    pub fn closes_at(&self) -> f64 {
        self.closed_up_to
            .unwrap_or(Self::CLOSED_UP_TO * self.travel)
    }

    /// Returns the pose in World that an object on the child will have once the joint is at
    /// `opening`, m or rad.
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

    /// Returns the axis as a vector in World.
    pub fn axis(&self) -> Vector3<f64> {
        Vector3::from(self.axis_in_world)
    }
}
