//! Straight lines of the tool.

use regrasp_api::{MotionFailure, Pose, ToolTarget};
use regrasp_kinematics::ik::IkOptions;

use crate::arm::ArmPlanner;
use crate::inverse;

const LINE_STEP_M: f64 = 0.01;
const LINE_STEP_RAD: f64 = 0.05;
/// Rotation of a joint within the shortest step of a line above which the joint counts as jumping
/// to another branch of solutions, rad.
const JUMP_RAD: f64 = 0.35;
/// Rotation of a joint within a step above which the step is halved, rad. Joints turn this fast
/// near singularities.
const TURN_RAD: f64 = 0.2;
/// Largest number of parts into which a step is divided.
const FINEST: usize = 8;
/// Position tolerance that failures report, m: the same as for goals that are not lines.
const REACHED_M: f64 = 1e-4;

/// Configurations along a straight line of the tool from its pose at `start`.
pub(crate) fn tool_line(
    arm: &ArmPlanner,
    world_from_base: &Pose,
    start: &[f64],
    world_from_goal: &Pose,
) -> Result<Vec<Vec<f64>>, MotionFailure> {
    let world_from_start = world_from_base * arm.chain.forward(start);
    let step = world_from_start.inverse() * world_from_goal;
    let length_m = step.translation.vector.norm();
    let n_steps = n_steps(length_m, step.rotation.angle());
    let target = |f: f64| ToolTarget::Pose(interpolate(&world_from_start, world_from_goal, f));
    follow(arm, world_from_base, start, n_steps, length_m, &target)
}

pub(crate) fn n_steps(length_m: f64, turn_rad: f64) -> usize {
    let steps = (length_m / LINE_STEP_M).max(turn_rad / LINE_STEP_RAD);
    steps.ceil().max(1.0) as usize
}

/// Configurations for targets at even fractions of a line, each solved from the one before.
pub(crate) fn follow(
    arm: &ArmPlanner,
    world_from_base: &Pose,
    start: &[f64],
    n_steps: usize,
    length_m: f64,
    target: &dyn Fn(f64) -> ToolTarget,
) -> Result<Vec<Vec<f64>>, MotionFailure> {
    // Each point continues from the one before, without restarts, so that the branch stays the
    // same. The tolerances are far tighter than the tool pose needs: scatter between neighbouring
    // points is curvature, which costs time. An arm with fewer than six axes meets them only by
    // chance; the nearest configuration to a pose does not scatter either.
    let options = IkOptions {
        restarts: 0,
        max_iterations: 60,
        pos_tol_m: 1e-8,
        rot_tol_rad: 1e-7,
        ..IkOptions::default()
    };
    let mut points = vec![start.to_vec()];
    let n_ticks = n_steps * FINEST;
    let (mut done, mut stride) = (0, FINEST);
    while done < n_ticks {
        let f = (done + stride) as f64 / n_ticks as f64;
        let last = &points[points.len() - 1];
        let q = inverse::solve(&arm.chain, world_from_base, &target(f), last, &options);
        let q = q
            .or_else(|miss| miss.within(&IkOptions::default()).ok_or(miss))
            .map_err(|_| {
                let followed = done as f64 / n_ticks as f64;
                let (left_m, percent) = ((1.0 - followed) * length_m, 100.0 * followed);
                let detail = format!(
                    "the arm follows only {percent:.0} % of the straight line, until a joint is at \
                     its limit or the arm is stretched ({left_m:.3} m of {length_m:.3} m are left)"
                );
                ends(left_m, detail)
            })?;
        let turns = q.iter().zip(last).map(|(a, b)| (a - b).abs());
        let jump = turns.fold(0.0, f64::max);
        if jump > TURN_RAD && stride > 1 {
            stride /= 2;
            continue;
        }
        if jump > JUMP_RAD {
            let left_m = (1.0 - f) * length_m;
            let detail = format!(
                "the straight line passes a singularity {left_m:.3} m before its end (a joint \
                 would jump by {jump:.2} rad)"
            );
            return Err(ends(left_m, detail));
        }
        points.push(q);
        done += stride;
        if done % FINEST == 0 {
            stride = FINEST;
        }
    }
    Ok(points)
}

/// Failure of an arm that cannot follow a line further. It reports the rest of the line, since the
/// distance to the next point is always small.
fn ends(left_m: f64, detail: String) -> MotionFailure {
    MotionFailure::Unreachable {
        detail,
        pos_err_m: left_m,
        tol_m: REACHED_M,
    }
}

/// Interpolates two poses along a straight line and the shortest rotation. Half a turn has no
/// shortest rotation: the orientation then switches from that of `a` to that of `b` halfway.
fn interpolate(a: &Pose, b: &Pose, fraction: f64) -> Pose {
    a.try_lerp_slerp(b, fraction, 1e-9).unwrap_or_else(|| {
        let translation = a.translation.vector.lerp(&b.translation.vector, fraction);
        let nearest = if fraction < 0.5 { a } else { b };
        Pose::from_parts(translation.into(), nearest.rotation)
    })
}
