use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::{ObjectId, Part, Pose};

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// Along its axis.
    Prismatic,
    /// About its axis.
    Revolute,
}

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

/// How far a joint has moved the child since it stood at `parent_from_child_at_zero`: along
/// `axis_in_parent`, m, or about it, rad in (-pi, pi].
pub fn joint_position(
    kind: JointKind,
    axis_in_parent: &Vector3<f64>,
    parent_from_child_at_zero: &Pose,
    parent_from_child: &Pose,
) -> f64 {
    match kind {
        JointKind::Prismatic => {
            let moved =
                parent_from_child.translation.vector - parent_from_child_at_zero.translation.vector;
            moved.dot(axis_in_parent)
        }
        JointKind::Revolute => {
            let turned = parent_from_child.rotation * parent_from_child_at_zero.rotation.inverse();
            2.0 * turned.vector().dot(axis_in_parent).atan2(turned.scalar())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use nalgebra::UnitQuaternion;

    use super::*;

    #[test]
    fn positions_are_read_off_the_poses() {
        let axis = Vector3::new(0.0, 0.6, 0.8);
        let start = Pose::new(Vector3::new(0.1, 0.2, 0.3), Vector3::new(0.3, -0.2, 0.9));
        for position in [-2.9, -0.4, 0.0, 0.07, 1.3, 3.1] {
            let slid = nalgebra::Translation3::from(axis * position) * start;
            let read = joint_position(JointKind::Prismatic, &axis, &start, &slid);
            assert!((read - position).abs() < 1e-12, "{read} for {position} m");
            let turn = UnitQuaternion::new(axis * position);
            let turned = Pose::from_parts(start.translation, turn * start.rotation);
            let read = joint_position(JointKind::Revolute, &axis, &start, &turned);
            let off = (read - position + PI).rem_euclid(2.0 * PI) - PI;
            assert!(off.abs() < 1e-9, "{read} for {position} rad");
        }
    }
}
