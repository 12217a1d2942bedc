//! What makes a target unreachable: reach, joint limits, where the tool points, or how it is
//! turned.
//!
//! Less and less is asked of the arm until it can do it: what was left out last is the cause.

use std::fmt::Write as _;

use nalgebra::{Point3, Unit, Vector3};
use regrasp_api::Pose;
use regrasp_kinematics::Chain;
use regrasp_kinematics::ik::{self, IkOptions, IkOutcome, IkTarget};

/// Iterations for each question: a target that the arm reaches takes about ten.
const MAX_ITERATIONS: usize = 150;
/// A direction this close to straight up or down is called that, rad.
const STRAIGHT_RAD: f64 = 0.1;
/// Miss below which the place is not the matter, m.
const IN_PLACE_M: f64 = 1e-3;

/// One clause, such as "the tool gets to this point, but not while it points straight down".
/// `missed` is how near the arm gets, `position` the target's, in Base.
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
            "the target is {away_m:.3} m from the shoulder, the arm reaches at most {reach_m:.3} m"
        );
    }
    let mut text = match asked_too_much(chain, target) {
        Asked::Point => format!(
            "no configuration within the limits of the joints has the tool at this point, \
             wherever it points ({away_m:.3} m from the shoulder)"
        ),
        Asked::Direction(axis) => format!(
            "the tool gets to this point, but not while it points {}",
            direction(&(world_from_base.rotation * axis))
        ),
        Asked::Turn => "the tool gets to this point and points where it should, but not turned \
             like this about the way it points"
            .to_owned(),
    };
    if let Some(limits) = beyond_limits(chain, target, missed) {
        let _ = write!(text, "; {limits}");
    }
    if let Some(side) = nearest(world_from_base, &position, missed) {
        let _ = write!(text, "; the nearest that was found is {side}");
    }
    text
}

/// The demand of a target that the arm cannot meet.
enum Asked {
    /// To be there.
    Point,
    /// To point along this, in Base.
    Direction(Unit<Vector3<f64>>),
    /// To be turned like this about where it points.
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

/// Joints that would have to go beyond their limits, where that would do.
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

/// On which side of the target the arm stops, in the axes of World.
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
        "{apart_m:.3} m {high} and {level_m:.3} m beside it"
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
