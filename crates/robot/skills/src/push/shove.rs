//! Going behind the object, pushing it, and backing off.

use nalgebra::{Translation3, Vector3};
use regrasp_api::{Failure, MotionGoal, PerceivedObject, Phase, Reason};
use regrasp_robot::Robot;

use super::atop;
use super::behind::choose;
use super::contact::{At, GAP_M, MOST_FORCE_N, Stand, TOUCH_SPEED};
use crate::aim::{Aim, see};
use crate::hold::{DESCENT_SPEED, open};
use crate::moved::{REST_SECS, STUCK_M, explain, to_point};
use crate::sight;

/// Part of the limits used for pushing: about 0.1 m/s, so that what is heavy is not jolted and what is light does not run ahead
/// when the hand stops.
const PUSH_SPEED: f64 = 0.3;
/// The object is looked at after every such stretch, m.
const STRETCH_M: f64 = 0.1;
/// What is this far behind the hand, or this far beside its line, has been lost, m.
const LOST_M: f64 = 0.015;
/// How often the object is pushed anew towards what is left of its way.
const N_PUSHES: usize = 3;
/// From the object back to where the hand may rise, m, and up from there.
const BACK_M: f64 = 0.02;
const UP_M: f64 = 0.08;

/// Pushes the object until it is where it should be.
pub(super) fn push(robot: &mut Robot, aim: &mut Aim, max_force_n: f64) -> Result<(), Failure> {
    for _ in 0..N_PUSHES {
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

/// One push along a straight line.
fn once(robot: &mut Robot, aim: &mut Aim, max_force_n: f64) -> Result<(), Failure> {
    robot.begin("approach");
    let width_m = robot.info.gripper.min_width_m;
    open(robot, width_m)?;
    let percept = robot.perceive()?;
    let stand = choose(robot, &percept, aim)?;
    robot.follow(&stand.travel)?;
    robot.begin("lower");
    let down = MotionGoal::Line(stand.world_from_tool);
    robot.go(down, &stand.scenes.touching, DESCENT_SPEED)?;
    let from = sight::see_again(robot, &aim.object.id)?;
    if (from.position() - aim.object.position()).norm() > LOST_M {
        aim.object = from;
        // Nothing was pushed yet: the next try begins where it is now.
        return back_off(robot, &stand, aim);
    }
    robot.begin("push");
    let pushed = match stand.at {
        At::Back => along(robot, aim, &from, &stand, max_force_n),
        At::Top => atop::along(robot, aim, &stand, max_force_n),
    };
    let explained = pushed.map_err(|failure| explain(robot, aim, &from, failure));
    // A hand that stays at the object helps nobody, whatever went wrong.
    let left = back_off(robot, &stand, aim);
    explained.and(left)
}

/// Stretch by stretch, looking at the object in between.
fn along(
    robot: &mut Robot,
    aim: &Aim,
    from: &PerceivedObject,
    stand: &Stand,
    max_force_n: f64,
) -> Result<(), Failure> {
    let direction = aim.direction();
    let length_m = stand.way.norm() - GAP_M;
    let press = |robot: &mut Robot, way_m: f64, speed: f64| {
        let there = Translation3::from(direction * way_m) * stand.world_from_tool;
        let scene = &stand.scenes.pushing;
        robot.press(MotionGoal::Line(there), scene, speed, max_force_n)
    };
    press(robot, GAP_M, TOUCH_SPEED)?;
    let n_stretches = (length_m / STRETCH_M).ceil().max(1.0) as usize;
    for k in 1..=n_stretches {
        let pushed_m = length_m * (k as f64 / n_stretches as f64);
        press(robot, GAP_M + pushed_m, PUSH_SPEED)?;
        if k < n_stretches && is_lost(robot, aim, from, pushed_m)? {
            break;
        }
    }
    Ok(())
}

/// Whether the object is not where the hand should have brought it.
fn is_lost(
    robot: &mut Robot,
    aim: &Aim,
    from: &PerceivedObject,
    expected_m: f64,
) -> Result<bool, Failure> {
    let seen = sight::see_again(robot, &aim.object.id)?;
    let expected = from.position() + aim.direction() * expected_m;
    let off = (seen.position() - expected).xy().norm();
    Ok(off > LOST_M + 3.0 * seen.position_std_m)
}

/// Back from the object, then up.
fn back_off(robot: &mut Robot, stand: &Stand, aim: &Aim) -> Result<(), Failure> {
    robot.begin("back_off");
    let percept = robot.perceive()?;
    let mut scene = robot
        .planning_scene(&percept)
        .touching(aim.object.id.clone());
    scene
        .may_touch
        .extend(stand.scenes.touching.may_touch.clone());
    let up = Vector3::z() * UP_M;
    let steps = match stand.at {
        At::Back => vec![-aim.direction() * BACK_M, up],
        At::Top => vec![up],
    };
    for step in steps {
        let there = Translation3::from(step) * robot.world_from_tool()?;
        let line = MotionGoal::Line(there);
        // What was pushed presses back at first.
        match robot.press(line, &scene, DESCENT_SPEED, MOST_FORCE_N) {
            // The hand stays where it is, and the next skill plans from there.
            Err(failure) if failure.phase == Some(Phase::Plan) => {}
            outcome => {
                outcome?;
            }
        }
    }
    Ok(())
}

/// What resists may give way to more force: what did not move at all, to as much as there is.
fn advise(mut failure: Failure, aim: &Aim, max_force_n: f64) -> Failure {
    let more_n = match failure.reason {
        Reason::PushNoMotion => MOST_FORCE_N,
        Reason::PushDeviated => (2.0 * max_force_n).min(MOST_FORCE_N),
        _ => return failure,
    };
    let text = format!(
        "{}; the hand was to press with at most {max_force_n:.0} N (it may with \
         {MOST_FORCE_N:.0} N)",
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
    let text = format!("the hand went along its line, but {id} moved by {moved_m:.4} m only");
    Failure::new(Reason::PushNoMotion, text)
        .in_phase(Phase::Execute)
        .about([id.clone()])
        .measured("moved", moved_m, Some(STUCK_M), "m")
        .retry_with(to_point(aim))
}
