//! Inverse kinematics for tool targets in World, and the cause if a target is unreachable: reach,
//! joint limits, pointing direction, or rotation about that direction.
//!
//! To find the cause, the arm is asked for the position alone, then for the direction too: the
//! first demand that it cannot meet is the cause.

use std::fmt::Write as _;

use nalgebra::{Point3, Unit, Vector3};
use regrasp_api::{MotionFailure, Pose, ToolTarget};
use regrasp_kinematics::Chain;
use regrasp_kinematics::ik::{self, IkOptions, IkOutcome, IkTarget};

/// Largest number of iterations per query for a failure's cause. A reachable target takes about 10.
const MAX_ITERATIONS: usize = 150;
/// Angle within which a direction counts as straight up or down, rad.
const STRAIGHT_RAD: f64 = 0.1;
/// Position error below which the position counts as reached, m.
const IN_PLACE_M: f64 = 1e-3;

pub(crate) struct Miss {
    world_from_base: Pose,
    /// Target in Base.
    target: IkTarget,
    outcome: IkOutcome,
    pub(crate) pos_err_m: f64,
    tol_m: f64,
}

impl Miss {
    /// Returns the nearest configuration, if it is within these tolerances.
    pub(crate) fn within(&self, options: &IkOptions) -> Option<Vec<f64>> {
        match &self.outcome {
            IkOutcome::NotConverged {
                nearest_q,
                pos_err_m,
                rot_err_rad,
                ..
            } if *pos_err_m <= options.pos_tol_m && *rot_err_rad <= options.rot_tol_rad => {
                Some(nearest_q.clone())
            }
            _ => None,
        }
    }

    /// Returns the failure with its cause. Finding the cause costs about as much as the inverse
    /// kinematics did, so call this only for a miss that is reported.
    pub(crate) fn failure(&self, chain: &Chain) -> MotionFailure {
        MotionFailure::Unreachable {
            detail: format!("{}; {}", self.why(chain), self.outcome),
            pos_err_m: self.pos_err_m,
            tol_m: self.tol_m,
        }
    }

    /// Returns text such as "the tool reaches this point, but not while it points straight down".
    fn why(&self, chain: &Chain) -> String {
        let (target, world_from_base) = (&self.target, &self.world_from_base);
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
        let IkOutcome::NotConverged {
            nearest_q,
            nearest_base_from_tool: nearest,
            ..
        } = &self.outcome
        else {
            return text;
        };
        if let Some(limits) = beyond_limits(chain, target, nearest_q) {
            let _ = write!(text, "; {limits}");
        }
        let off = nearest.translation.vector - position.coords;
        if let Some(side) = side(&(world_from_base.rotation * off)) {
            let _ = write!(text, "; the nearest reachable point found is {side}");
        }
        text
    }
}

pub(crate) fn solve(
    chain: &Chain,
    world_from_base: &Pose,
    target: &ToolTarget,
    seed: &[f64],
    options: &IkOptions,
) -> Result<Vec<f64>, Box<Miss>> {
    let base_from_world = world_from_base.inverse();
    let point = |p: [f64; 3]| base_from_world * Point3::from(p);
    let target = match target {
        ToolTarget::Pose(world_from_tool) => IkTarget::Pose(base_from_world * world_from_tool),
        ToolTarget::Position(p) => IkTarget::Position(point(*p)),
        ToolTarget::Axis {
            position,
            axis_in_world,
        } => IkTarget::ToolAxis {
            position: point(*position),
            axis: Unit::new_normalize(base_from_world * Vector3::from(*axis_in_world)),
        },
    };
    match ik::solve(chain, &target, seed, options) {
        IkOutcome::Solved { q, .. } => Ok(q),
        outcome @ IkOutcome::NotConverged { pos_err_m, .. } => Err(Box::new(Miss {
            world_from_base: *world_from_base,
            target,
            outcome,
            pos_err_m,
            tol_m: options.pos_tol_m,
        })),
    }
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
fn beyond_limits(chain: &Chain, target: &IkTarget, nearest_q: &[f64]) -> Option<String> {
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

/// Describes an offset from the target by its height and its horizontal distance, in World; `None`
/// if the target is reached.
fn side(off: &Vector3<f64>) -> Option<String> {
    let (apart_m, level_m) = (off.z.abs(), off.xy().norm());
    let high = match off.z < 0.0 {
        true => "lower",
        false => "higher",
    };
    (off.norm() >= IN_PLACE_M)
        .then(|| format!("{apart_m:.3} m {high} and {level_m:.3} m to the side"))
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
