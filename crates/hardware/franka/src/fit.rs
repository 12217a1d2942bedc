//! Checks that a course keeps its joint margins and leaves the tool in its workspace.

use regrasp_api::{Aabb, RobotError, RobotErrorKind};
use regrasp_kinematics::Chain;

use crate::course::{Course, Use};
use crate::{ArmLimits, CYCLE_SECS, Joints, N_JOINTS, Safety};

/// Interval of tool checks, cycles: at 2 m/s the tool moves 1 cm between two.
const EVERY: usize = 5;
/// Tolerance for an arm that starts outside, m or rad: it may not get further out than this.
const FURTHER: f64 = 1e-3;

/// Bounding box of the tool point's path, in Base.
pub(crate) fn tool_box(chain: &Chain, course: &Course) -> Aabb {
    let (mut min, mut max) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for joints in looked_at(course) {
        let tool = chain.forward(joints).translation.vector;
        for i in 0..3 {
            min[i] = min[i].min(tool[i]);
            max[i] = max[i].max(tool[i]);
        }
    }
    Aabb { min, max }
}

fn looked_at(course: &Course) -> impl Iterator<Item = &Joints> {
    let steps = course.commands.iter().step_by(EVERY);
    steps.chain(std::iter::once(course.last()))
}

/// Rejects a course on which a joint gets too near its limit or the tool leaves its workspace. A
/// course that starts outside may lead back in.
pub(crate) fn check(
    course: &Course,
    chain: &Chain,
    limits: &ArmLimits,
    safety: &Safety,
    now_secs: f64,
) -> Result<(), RobotError> {
    let beyond_end = |joints: &Joints, i: usize| {
        let low = limits.lower[i] + safety.joint_margin_rad - joints[i];
        low.max(joints[i] - limits.upper[i] + safety.joint_margin_rad)
    };
    let start = &course.commands[0];
    for (k, joints) in course.commands.iter().enumerate() {
        for i in 0..N_JOINTS {
            let beyond = beyond_end(joints, i);
            if beyond > 0.0 && beyond > beyond_end(start, i) + FURTHER {
                return Err(near_its_end(limits, safety, i, joints[i], k, now_secs));
            }
        }
    }
    let tool = |joints: &Joints| -> [f64; 3] { chain.forward(joints).translation.vector.into() };
    let outside = |point: &[f64; 3], i: usize| {
        let Aabb { min, max } = safety.workspace_in_base_m;
        (min[i] - point[i]).max(point[i] - max[i])
    };
    let began = tool(start);
    for (k, joints) in looked_at(course).enumerate() {
        let point = tool(joints);
        for i in 0..3 {
            let out = outside(&point, i);
            if out > 0.0 && out > outside(&began, i) + FURTHER {
                return Err(out_of_workspace(safety, &point, i, EVERY * k, now_secs));
            }
        }
    }
    Ok(())
}

fn near_its_end(
    limits: &ArmLimits,
    safety: &Safety,
    joint: usize,
    position: f64,
    cycle: usize,
    now_secs: f64,
) -> RobotError {
    let (lower, upper) = (limits.lower[joint], limits.upper[joint]);
    let margin = safety.joint_margin_rad;
    let (least, most) = (lower + margin, upper - margin);
    let is_low = position < 0.5 * (lower + upper);
    let limit = if is_low { least } else { most };
    let detail = format!(
        "joint {} of the {} would be at {position:.3} rad {:.2} s into the motion; allowed are \
         {least:.3} to {most:.3} rad (limits {lower:.3} and {upper:.3}, margin {margin} rad)",
        joint + 1,
        limits.kind,
        cycle as f64 * CYCLE_SECS,
    );
    violated(now_secs, detail).measured("joint_position", position, Some(limit), "rad")
}

fn out_of_workspace(
    safety: &Safety,
    point: &[f64; 3],
    axis: usize,
    cycle: usize,
    now_secs: f64,
) -> RobotError {
    let Aabb { min, max } = safety.workspace_in_base_m;
    let is_low = point[axis] < min[axis];
    let limit = if is_low { min[axis] } else { max[axis] };
    let [x, y, z] = *point;
    let name = ["x", "y", "z"][axis];
    let detail = format!(
        "the tool would be at x={x:.3} y={y:.3} z={z:.3} of the base {:.2} s into the motion; its \
         workspace ends at {name}={limit:.3} m",
        cycle as f64 * CYCLE_SECS
    );
    let figure = ["tool_x", "tool_y", "tool_z"][axis];
    violated(now_secs, detail).measured(figure, point[axis], Some(limit), "m")
}

pub(crate) fn too_much(use_: Use, limits: &ArmLimits, now_secs: f64) -> RobotError {
    let Use {
        what,
        unit,
        joint,
        value,
        limit,
        at_secs,
    } = use_;
    let detail = format!(
        "joint {} of the {} would need {value:.3} {unit} {at_secs:.2} s into the motion; the limit \
         of its {what} there is {limit:.3} {unit}, even if the motion is slowed down",
        joint + 1,
        limits.kind
    );
    violated(now_secs, detail).measured(&format!("joint_{what}"), value, Some(limit), unit)
}

fn violated(now_secs: f64, detail: String) -> RobotError {
    RobotError::new(RobotErrorKind::LimitViolated, now_secs, detail)
}
