//! Joints between two solids.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::Pose;

/// Kind of a joint's motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointKind {
    /// Motion along the axis.
    Prismatic,
    /// Rotation about the axis.
    Revolute,
}

/// Meaning of a joint's motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JointRole {
    /// The joint opens something: a drawer, a door, a lid.
    #[default]
    Opens,
    /// The joint sets something on or off: a knob, a lever, a switch.
    Sets,
}

/// Returns the joint position relative to `parent_from_child_at_zero`: along `axis_in_parent`, m,
/// or about it, rad in (-pi, pi].
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
            let off = (read - position).abs();
            assert!(off < 1e-12, "{read} m instead of {position} m");
            let turn = UnitQuaternion::new(axis * position);
            let turned = Pose::from_parts(start.translation, turn * start.rotation);
            let read = joint_position(JointKind::Revolute, &axis, &start, &turned);
            let off = (read - position + PI).rem_euclid(2.0 * PI) - PI;
            assert!(off.abs() < 1e-9, "{read} rad instead of {position} rad");
        }
    }
}
