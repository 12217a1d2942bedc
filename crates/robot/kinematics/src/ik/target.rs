//! Targets, and the error of a tip pose.

use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};

use super::linear::Vec6;
use crate::chain::Segment;

/// Target of the chain's tip, in the frame of the chain's base.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum IkTarget {
    /// A pose, `base_from_tool`.
    Pose(Isometry3<f64>),
    /// A point, in any orientation.
    Position(Point3<f64>),
    /// A point with the tool's z axis along a direction; the rotation about it is free.
    ToolAxis {
        /// Position of the tip, m.
        position: Point3<f64>,
        /// Direction of the tip's z axis.
        axis: Unit<Vector3<f64>>,
    },
}

pub(super) struct Task {
    position: Vector3<f64>,
    orientation: Orientation,
}

enum Orientation {
    Full(Matrix3<f64>),
    Axis(Vector3<f64>),
    Free,
}

/// Error of a tip pose.
#[derive(Clone, Copy)]
pub(super) struct Miss {
    /// Translation (m) and rotation vector (rad) from the tip to the target, in the axes of the
    /// base.
    pub(super) twist: Vec6,
    pub(super) pos_err_m: f64,
    pub(super) rot_err_rad: f64,
}

impl Task {
    pub(super) fn new(target: &IkTarget) -> Self {
        let (position, orientation) = match target {
            IkTarget::Pose(base_from_tool) => (
                base_from_tool.translation.vector,
                Orientation::Full(base_from_tool.rotation.to_rotation_matrix().into_inner()),
            ),
            IkTarget::Position(position) => (position.coords, Orientation::Free),
            IkTarget::ToolAxis { position, axis } => {
                (position.coords, Orientation::Axis(axis.into_inner()))
            }
        };
        Self {
            position,
            orientation,
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        let finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
        finite(self.position.as_slice())
            && match &self.orientation {
                Orientation::Full(rotation) => finite(rotation.as_slice()),
                Orientation::Axis(axis) => finite(axis.as_slice()),
                Orientation::Free => true,
            }
    }

    pub(super) fn miss(&self, tip: &Segment) -> Miss {
        let translation = self.position - tip.translation.vector;
        let rotation = match &self.orientation {
            Orientation::Full(target) => {
                rotation_vector(&(target * tip.rotation.matrix().transpose()))
            }
            Orientation::Axis(axis) => {
                let tool_z: Vector3<f64> = tip.rotation.matrix().column(2).into_owned();
                between(&tool_z, axis)
            }
            Orientation::Free => Vector3::zeros(),
        };
        Miss {
            twist: [
                translation.x,
                translation.y,
                translation.z,
                rotation.x,
                rotation.y,
                rotation.z,
            ],
            pos_err_m: translation.norm(),
            rot_err_rad: rotation.norm(),
        }
    }

    /// Removes from the Jacobian's columns the rotation that the target leaves free.
    pub(super) fn project(&self, tip: &Segment, columns: &mut [Vec6]) {
        match self.orientation {
            Orientation::Full(_) => {}
            Orientation::Free => {
                for column in columns {
                    column[3..].fill(0.0);
                }
            }
            Orientation::Axis(_) => {
                let z = tip.rotation.matrix().column(2);
                for column in columns {
                    let about_z = z[0] * column[3] + z[1] * column[4] + z[2] * column[5];
                    for row in 0..3 {
                        column[row + 3] -= about_z * z[row];
                    }
                }
            }
        }
    }
}

/// Axis times angle (0 to π) of a rotation matrix.
fn rotation_vector(rotation: &Matrix3<f64>) -> Vector3<f64> {
    let r = rotation;
    // sin(angle) times the axis, from the skew part; cos(angle) from the trace.
    let skew = 0.5
        * Vector3::new(
            r[(2, 1)] - r[(1, 2)],
            r[(0, 2)] - r[(2, 0)],
            r[(1, 0)] - r[(0, 1)],
        );
    let (sin, cos) = (skew.norm(), 0.5 * (r.trace() - 1.0));
    if sin > 1e-6 {
        return skew * (sin.atan2(cos) / sin);
    }
    if cos > 0.0 {
        return skew;
    }
    // Half a turn: R = 2 a aᵀ - 1, so the column of R + 1 with the greatest diagonal entry is along
    // the axis a.
    let doubled = r + Matrix3::identity();
    let column = doubled.diagonal().imax();
    let axis: Vector3<f64> = doubled.column(column).into_owned();
    axis.normalize() * std::f64::consts::PI
}

/// Axis times angle of the shortest rotation from one unit vector to another.
fn between(from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
    let cross = from.cross(to);
    let (sin, cos) = (cross.norm(), from.dot(to));
    if sin > 1e-9 {
        return cross * (sin.atan2(cos) / sin);
    }
    if cos > 0.0 {
        return cross;
    }
    // Opposite directions: any perpendicular axis is valid.
    let aside = if from.x.abs() < 0.9 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    from.cross(&aside).normalize() * std::f64::consts::PI
}
