//! Aligns a known shape with its visible points.

use nalgebra::{Matrix4, Point3, Translation3, UnitQuaternion, Vector3, Vector4};
use regrasp_api::{Pose, Shape};

use crate::solid::distance;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freedom {
    /// Moves along the ground and turns about the vertical: the object stands on something.
    Standing,
    /// Moves in every direction and turns about the vertical: the object is in the hand.
    Held,
}

/// Distance from the surface beyond which points belong to something else, m.
const OUTLIER_M: f64 = 0.008;
/// Number of points to use; more would add no information.
const MOST_POINTS: usize = 500;
const N_ROUNDS: usize = 12;
/// Weight of the previous pose as a fraction of the points: without new evidence, objects stay.
const STAY: f64 = 0.02;
/// Rotation with the same weight as a step of 1 m, rad.
const RAD_PER_M: f64 = 30.0;

/// Returns the pose near `start` at which the surface fits the points best. Shapes without a
/// distance function keep their pose.
pub(crate) fn align(shape: &Shape, start: &Pose, points: &[Point3<f64>], freedom: Freedom) -> Pose {
    let mut pose = *start;
    for _ in 0..N_ROUNDS {
        let Some(step) = step(shape, start, &pose, points, freedom) else {
            break;
        };
        pose = moved(&pose, &step);
        if step.norm() < 1e-7 {
            break;
        }
    }
    pose
}

/// Translates a pose, and rotates it about the vertical through its origin.
fn moved(pose: &Pose, step: &Vector4<f64>) -> Pose {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), step.w);
    let at = Translation3::from(pose.translation.vector + step.xyz());
    Pose::from_parts(at, turn * pose.rotation)
}

fn step(
    shape: &Shape,
    start: &Pose,
    pose: &Pose,
    points: &[Point3<f64>],
    freedom: Freedom,
) -> Option<Vector4<f64>> {
    const H: f64 = 1e-6;
    let (mut left, mut right) = (Matrix4::zeros(), Vector4::zeros());
    let mut n = 0.0;
    let every = points.len().div_ceil(MOST_POINTS).max(1);
    for p in points.iter().step_by(every) {
        let local = pose.inverse_transform_point(p);
        let d = distance(shape, &local)?;
        if d.abs() > OUTLIER_M {
            continue;
        }
        let slope = Vector3::from_fn(|i, _| {
            let mut off = Vector3::zeros();
            off[i] = H;
            let ahead = distance(shape, &(local + off)).unwrap_or(d);
            let behind = distance(shape, &(local - off)).unwrap_or(d);
            (ahead - behind) / (2.0 * H)
        });
        // In the frame of the object, the point moves opposite to the shape.
        let slope = pose.rotation * slope;
        let arm = p.coords - pose.translation.vector;
        let about = -(slope.y * arm.x - slope.x * arm.y);
        let row = Vector4::new(-slope.x, -slope.y, -slope.z, about);
        left += row * row.transpose();
        right -= row * d;
        n += 1.0;
    }
    let away = start.translation.vector - pose.translation.vector;
    let turned = (start.rotation * pose.rotation.inverse()).scaled_axis().z;
    let weight = STAY * (n + 1.0);
    let weights = Vector4::new(weight, weight, weight, weight / RAD_PER_M.powi(2));
    let back = Vector4::new(away.x, away.y, away.z, turned);
    left += Matrix4::from_diagonal(&weights);
    right += weights.component_mul(&back);
    if freedom == Freedom::Standing {
        // No motion along z.
        left.row_mut(2).fill(0.0);
        left.column_mut(2).fill(0.0);
        left[(2, 2)] = 1.0;
        right[2] = 0.0;
    }
    left.lu().solve(&right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_moves_onto_two_of_its_faces() {
        let half = [0.02, 0.03, 0.025];
        let shape = Shape::Box { half_extents: half };
        let truth = Pose::new(Vector3::new(0.4, -0.1, 0.065), Vector3::z() * 0.3);
        let mut points = Vec::new();
        for i in 0..15 {
            for j in 0..15 {
                let (s, t) = (f64::from(i) / 7.0 - 1.0, f64::from(j) / 7.0 - 1.0);
                points.push(truth * Point3::new(half[0], half[1] * s, half[2] * t));
                points.push(truth * Point3::new(half[0] * s, -half[1], half[2] * t));
            }
        }
        let start = Pose::new(Vector3::new(0.404, -0.103, 0.065), Vector3::z() * 0.22);
        let found = align(&shape, &start, &points, Freedom::Standing);
        let off_m = (found.translation.vector - truth.translation.vector).norm();
        let turned = (found.rotation.inverse() * truth.rotation).angle();
        assert!(off_m < 5e-4, "{off_m} m off");
        assert!(turned < 0.02, "{turned} rad off");
    }
}
