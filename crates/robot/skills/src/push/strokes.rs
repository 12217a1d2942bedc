//! Strokes until the object is at its goal: approach, push and retreat.

use nalgebra::{Translation3, Vector3};
use regrasp_api::{Failure, MotionGoal, Phase, Reason};
use regrasp_robot::Robot;

use super::along::take_along;
use super::contacts::PushSide;
use super::plan::{Push, select};

use crate::aim::{Aim, see};
use crate::hold::{if_possible, open};
use crate::moved::{STUCK_M, explain, to_point};
use crate::params::{
    APPROACH_M, BACK_M, DESCENT_SPEED, MOST_FORCE_N, N_STROKES, ON_TARGET_M, REST_SECS,
};
use crate::sight;

pub(super) fn push(robot: &mut Robot, aim: &mut Aim, max_force_n: f64) -> Result<(), Failure> {
    for _ in 0..N_STROKES {
        if aim.is_there() {
            break;
        }
        let from = aim.object.clone();
        once(robot, aim, max_force_n).map_err(|failure| advise(failure, aim, max_force_n))?;
        robot.settle(REST_SECS)?;
        see(robot, aim)?;
        let moved_m = (aim.object.position() - from.position()).norm();
        if moved_m < STUCK_M + 3.0 * aim.object.position_std_m {
            return Err(missed(aim, moved_m));
        }
    }
    Ok(())
}

fn once(robot: &mut Robot, aim: &mut Aim, max_force_n: f64) -> Result<(), Failure> {
    robot.begin("approach");
    let percept = robot.perceive()?;
    let push = select(robot, &percept, aim)?;
    open(robot, push.contact.opening_m)?;
    robot.follow(&push.stroke.travel)?;
    robot.begin("lower");
    let down = MotionGoal::Line(push.contact.approach.world_from_tool);
    robot.go(down, &push.scenes.touching, DESCENT_SPEED)?;
    let from = sight::see_again(robot, &aim.object.id)?;
    if (from.position() - aim.object.position()).norm() > ON_TARGET_M {
        aim.object = from;
        // Nothing was pushed yet, so the next attempt starts from the current state.
        return back_off(robot, &push, aim);
    }
    robot.begin("push");
    let pushed = take_along(robot, aim, &from, &push, max_force_n);
    let explained = pushed.map_err(|failure| explain(robot, aim, &from, failure));
    // The hand must not stay at the object, whatever failed.
    let left = back_off(robot, &push, aim);
    explained.and(left)
}

fn back_off(robot: &mut Robot, push: &Push, aim: &Aim) -> Result<(), Failure> {
    robot.begin("back_off");
    let mut scene = sight::scene(robot)?.touching(aim.object.id.clone());
    scene
        .may_touch
        .extend(push.scenes.touching.may_touch.clone());
    let up = Vector3::z() * APPROACH_M;
    let steps = match push.contact.touch {
        PushSide::Beside => vec![-aim.direction() * BACK_M, up],
        PushSide::Atop => vec![up],
    };
    for step in steps {
        let there = Translation3::from(step) * robot.world_from_tool()?;
        let line = MotionGoal::Line(there);
        // The pushed object presses back at first.
        if_possible(robot.press(line, &scene, DESCENT_SPEED, MOST_FORCE_N))?;
    }
    Ok(())
}

/// Suggests more force for an object that resists: the maximum if it did not move at all.
fn advise(mut failure: Failure, aim: &Aim, max_force_n: f64) -> Failure {
    let more_n = match failure.reason {
        Reason::PushNoMotion => MOST_FORCE_N,
        Reason::PushDeviated => (2.0 * max_force_n).min(MOST_FORCE_N),
        _ => return failure,
    };
    let text = format!(
        "{}; the force was limited to {max_force_n:.0} N ({MOST_FORCE_N:.0} N are allowed)",
        failure.detail
    );
    failure.detail = text.into_boxed_str();
    let failure = failure.measured("max_force", max_force_n, Some(MOST_FORCE_N), "N");
    if max_force_n >= MOST_FORCE_N {
        return failure;
    }
    let mut changes = to_point(aim);
    changes["max_force_n"] = more_n.into();
    failure.retry_with(changes)
}

fn missed(aim: &Aim, moved_m: f64) -> Failure {
    let id = &aim.object.id;
    let text = format!("the hand completed its path, but {id} moved only {moved_m:.4} m");
    Failure::new(Reason::PushNoMotion, text)
        .in_phase(Phase::Execute)
        .about([id.clone()])
        .measured("moved", moved_m, Some(STUCK_M), "m")
        .retry_with(to_point(aim))
}
