//! Explains why a target is unreachable: reach, joint limits, pointing direction, or rotation about
//! that direction.
//!
//! The demands on the arm are relaxed one by one until it can meet them; the demand dropped last is
//! the cause.

use std::fmt::Write as _;

use nalgebra::{Point3, Unit, Vector3};
use regrasp_api::Pose;
use regrasp_kinematics::Chain;
use regrasp_kinematics::ik::{self, IkOptions, IkOutcome, IkTarget};

/// Largest number of iterations of each inverse-kinematics query. A reachable target takes about
/// ten.
const MAX_ITERATIONS: usize = 150;
/// Angle within which a direction counts as straight up or down, rad.
const STRAIGHT_RAD: f64 = 0.1;
/// Position error below which the position counts as reached, m.
const IN_PLACE_M: f64 = 1e-3;

/// Returns a clause such as "the tool gets to this point, but not while it points straight down".
pub(crate) fn why(
    chain: &Chain,
    world_from_base: &Pose,
    target: &IkTarget,
    missed: &IkOutcome,
) -> String {
    let position = position(target);
    let away_m = (position - chain.shoulder_in_base()).norm();
    let reach_m = chain.reach_m();
    if away_m > reach_m {
        return format!(
            "the target is {away_m:.3} m from the shoulder, but the arm reaches at most \
             {reach_m:.3} m"
        );
    }
    let mut text = match asked_too_much(chain, target) {
        Asked::Point => format!(
            "within its joint limits the arm does not reach this point with any tool orientation \
             ({away_m:.3} m from the shoulder)"
        ),
        Asked::Direction(axis) => format!(
            "the tool reaches this point, but not while it points {}",
            direction(&(world_from_base.rotation * axis))
        ),
        Asked::Turn => "the tool reaches this point and direction, but not with this rotation \
                        about its axis"
            .to_owned(),
    };
    if let Some(limits) = beyond_limits(chain, target, missed) {
        let _ = write!(text, "; {limits}");
    }
    if let Some(side) = nearest(world_from_base, &position, missed) {
        let _ = write!(text, "; the nearest reachable point found is {side}");
    }
    text
}

enum Asked {
    /// The position.
    Point,
    /// The direction in which the tool points, in Base.
    Direction(Unit<Vector3<f64>>),
    /// The rotation about that direction.
    Turn,
}

fn asked_too_much(chain: &Chain, target: &IkTarget) -> Asked {
    let position = position(target);
    let can = |target: &IkTarget| {
        let middle = chain.limits().iter().map(|l| 0.5 * (l.lower + l.upper));
        let middle: Vec<f64> = middle.collect();
        ik::solve(chain, target, &middle, &options()).is_solved()
    };
    let axis = match target {
        IkTarget::Position(_) => return Asked::Point,
        IkTarget::ToolAxis { axis, .. } => *axis,
        IkTarget::Pose(pose) => pose.rotation * Vector3::z_axis(),
    };
    if !can(&IkTarget::Position(position)) {
        return Asked::Point;
    }
    let is_axis_only = matches!(target, IkTarget::ToolAxis { .. });
    if is_axis_only || !can(&IkTarget::ToolAxis { position, axis }) {
        return Asked::Direction(axis);
    }
    Asked::Turn
}

/// Names the joints whose limits are the cause, if the target is reachable beyond them.
fn beyond_limits(chain: &Chain, target: &IkTarget, missed: &IkOutcome) -> Option<String> {
    let IkOutcome::NotConverged { nearest_q, .. } = missed else {
        return None;
    };
    let descent = IkOptions {
        restarts: 0,
        ..options()
    };
    let free = ik::solve(&chain.without_limits(), target, nearest_q, &descent);
    let q = free.solution()?;
    let joints = chain.joint_names().iter().zip(q).zip(chain.limits());
    let beyond: Vec<String> = joints
        .filter(|((_, q), limits)| !(limits.lower..=limits.upper).contains(*q))
        .map(|((name, q), limits)| {
            let (low, high) = (limits.lower, limits.upper);
            format!("{name} would be at {q:.2} (limits {low:.2} to {high:.2})")
        })
        .collect();
    (!beyond.is_empty()).then(|| beyond.join(" and "))
}

/// Describes on which side of the target the arm stops, along World's axes.
fn nearest(world_from_base: &Pose, position: &Point3<f64>, missed: &IkOutcome) -> Option<String> {
    let IkOutcome::NotConverged {
        nearest_base_from_tool,
        ..
    } = missed
    else {
        return None;
    };
    let off = nearest_base_from_tool.translation.vector - position.coords;
    let off = world_from_base.rotation * off;
    let level_m = off.xy().norm();
    if off.norm() < IN_PLACE_M {
        return None;
    }
    let high = match off.z < 0.0 {
        true => "lower",
        false => "higher",
    };
    let apart_m = off.z.abs();
    Some(format!(
        "{apart_m:.3} m {high} and {level_m:.3} m to the side"
    ))
}

fn direction(axis: &Unit<Vector3<f64>>) -> String {
    let from_down_rad = axis.angle(&-Vector3::z());
    if from_down_rad < STRAIGHT_RAD {
        return "straight down".into();
    }
    if from_down_rad > std::f64::consts::PI - STRAIGHT_RAD {
        return "straight up".into();
    }
    let [x, y, z] = (*axis).into_inner().into();
    let degrees = from_down_rad.to_degrees();
    format!("along ({x:.2}, {y:.2}, {z:.2}), {degrees:.0} degrees from straight down")
}

fn position(target: &IkTarget) -> Point3<f64> {
    match target {
        IkTarget::Pose(pose) => pose.translation.vector.into(),
        IkTarget::Position(position) | IkTarget::ToolAxis { position, .. } => *position,
    }
}

fn options() -> IkOptions {
    IkOptions {
        max_iterations: MAX_ITERATIONS,
        ..IkOptions::default()
    }
}
