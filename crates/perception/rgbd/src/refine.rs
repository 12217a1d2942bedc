//! Refines the pose of an object on depth: point-to-plane ICP with projective association (Y. Chen
//! and G. Medioni, "Object modelling by registration of multiple range images", 1992; G. Blais and
//! M. Levine, "Registering multiview range data to create 3D computer objects", 1995).

use nalgebra::{Matrix6, UnitQuaternion, Vector3, Vector6};
use regrasp_api::Pose;

use crate::scan::{Rigid, Scan, Sight};
use crate::template::Template;

/// Degrees of freedom in which a pose may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freedom {
    /// Translation in every direction, and rotation about the vertical.
    Upright,
    /// All six: the object leans, or is in the hand.
    Any,
}

/// Settings of a refinement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refinement {
    pub(crate) freedom: Freedom,
    /// Interval at which samples are used: 1 uses all.
    pub(crate) every: usize,
    /// Set if only the parts that no joint moves count.
    pub(crate) only_fixed: bool,
    pub(crate) rounds: usize,
    /// Distance up to which points are assigned to the object, in the first and the last round, m.
    pub(crate) reach_m: [f32; 2],
}

/// Weight of the previous pose, in points, against shifts in m and rotations in rad times the
/// radius.
const STAY: f64 = 0.5;

/// Returns the pose near the given one at which the object fits depth best.
pub(crate) fn refined(
    scan: &Scan<'_>,
    template: &Template,
    world_from_base: &Pose,
    openings: &[f64],
    how: Refinement,
) -> Pose {
    let mut pose = *world_from_base;
    for round in 0..how.rounds {
        let part = round as f32 / (how.rounds - 1).max(1) as f32;
        let reach = how.reach_m[0] + (how.reach_m[1] - how.reach_m[0]) * part;
        let Some(step) = step(scan, template, &pose, openings, (how, reach)) else {
            break;
        };
        let shift: Vector3<f64> = step.fixed_rows::<3>(0).into();
        let turn: Vector3<f64> = step.fixed_rows::<3>(3).into();
        let at = pose.translation.vector + shift;
        pose = Pose::from_parts(at.into(), UnitQuaternion::new(turn) * pose.rotation);
        if shift.norm() < 2e-5 && turn.norm() < 2e-4 {
            break;
        }
    }
    pose
}

fn step(
    scan: &Scan<'_>,
    template: &Template,
    world_from_base: &Pose,
    openings: &[f64],
    (how, reach): (Refinement, f32),
) -> Option<Vector6<f64>> {
    let (mut left, mut right) = (Matrix6::<f64>::zeros(), Vector6::<f64>::zeros());
    let origin: Vector3<f32> = world_from_base.translation.vector.cast();
    let poses = template.placed(world_from_base, openings);
    let mut n = 0.0;
    for eye in &scan.eyes {
        for (idx, (samples, pose)) in template.samples.iter().zip(&poses).enumerate() {
            if how.only_fixed && !template.is_fixed(idx) {
                continue;
            }
            let (camera_from, world_from) = (eye.camera_from(pose), Rigid::new(pose));
            for sample in samples.iter().step_by(how.every) {
                let at = camera_from.point(&sample.at);
                let Some((weight, _)) = eye.weight(sample, &at, &camera_from) else {
                    continue;
                };
                let Sight::There(pixel, _) = eye.sight(&at, 2.0 * reach) else {
                    continue;
                };
                let here = world_from.point(&sample.at);
                let normal = world_from.turn * sample.normal;
                let seen = Vector3::from(eye.cloud.point(pixel));
                let off = normal.dot(&(seen - here));
                // A surface with another orientation belongs to something else.
                let seen_normal = eye.normals[pixel];
                if off.abs() > reach
                    || seen_normal.dot(&normal) < 0.3 && seen_normal != Vector3::zeros()
                {
                    continue;
                }
                let robust = 1.0 / (1.0 + (off / (0.3 * reach)).powi(2));
                let weight = f64::from(weight.min(4.0) * robust);
                let arm: Vector3<f32> = here - origin;
                let turn = arm.cross(&normal);
                let row = Vector6::new(normal.x, normal.y, normal.z, turn.x, turn.y, turn.z);
                let row: Vector6<f64> = row.cast();
                left += weight * row * row.transpose();
                right += weight * f64::from(off) * row;
                n += weight;
            }
        }
    }
    if n < 5.0 {
        return None;
    }
    let radius = template.radius_m.max(0.01);
    for i in 0..6 {
        let stay = STAY + 0.002 * n;
        left[(i, i)] += if i < 3 { stay } else { stay * radius * radius };
        let is_fixed = match how.freedom {
            Freedom::Upright => i == 3 || i == 4,
            Freedom::Any => false,
        };
        if is_fixed {
            left.row_mut(i).fill(0.0);
            left.column_mut(i).fill(0.0);
            left[(i, i)] = 1.0;
            right[i] = 0.0;
        }
    }
    left.cholesky().map(|left| left.solve(&right))
}
