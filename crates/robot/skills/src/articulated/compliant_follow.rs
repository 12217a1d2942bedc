//! Motion along a joint: by a held handle, or by pushing.

use regrasp_api::{Failure, Held, MotionGoal, Phase, PlanningScene, Reason};
use regrasp_relations::grip_lost_below;
use regrasp_robot::{Result, Robot};

use super::{JointTask, verify};
use crate::grasp::Grasp;
use crate::hold::{
    attachment, ease, if_possible, is_unplanned, leave as back_away, leave_along, missed, open,
};
use crate::params::{BACK_M, DESCENT_SPEED, MOST_FORCE_N, TOUCH_SPEED};
use crate::sight;
use crate::stroke::{Scenes, Stroke};

/// Speed fraction while a drawer slides: its contents should not shift.
const SLIDE_SPEED: f64 = 0.25;
/// Speed fraction along an arc, and for pushing.
const PUSH_SPEED: f64 = 0.2;
/// Speed fraction for pressing a button, which travels millimetres.
const PRESS_SPEED: f64 = 0.06;
const PUSH_FORCE_N: f64 = 40.0;
const N_OPENINGS: usize = 3;
/// Opening beyond the held width from which the fingers no longer hold the handle, m.
const FREE_M: f64 = 0.004;
/// Fraction of a step that a held object has to follow; otherwise it counts as lost or stuck.
const FOLLOWED: f64 = 0.3;

/// Executes a stroke: moves the joint by its handle, or pushes with the closed hand; then retreats.
pub(super) fn make(
    robot: &mut Robot,
    task: &mut JointTask,
    scenes: &Scenes,
    go: &Stroke,
) -> Result<()> {
    let before = task.joint.opening;
    open(robot, go.opening_m)?;
    robot.follow(&go.travel)?;
    let there = MotionGoal::Line(go.world_from_tool);
    let outcome = match &go.grasp {
        Some(grasp) => {
            robot.begin("take_hold");
            robot.go(there, &scenes.touching, DESCENT_SPEED)?;
            take_hold(robot, task, go, grasp)?;
            robot.begin(task.path().phase);
            let reach = follow_joint(robot, task, scenes, go.reach());
            let outcome = reach.and_then(|reach| {
                verify::look_settled(robot, task)?;
                verify::arrived(task, reach)
            });
            if outcome.is_err() {
                task.stuck_grasps.push(grasp.world_from_tool);
            }
            outcome
        }
        None => {
            robot.begin("touch");
            robot.go(there, &scenes.touching, TOUCH_SPEED)?;
            robot.begin("push");
            let pushed = push_on(robot, task, &scenes.moving, go);
            let outcome = pushed.and(verify::look_settled(robot, task));
            // A push that ends against the stop has still reached the goal.
            outcome.or_else(|failure| match task.is_there() {
                true => Ok(()),
                false => Err(failure),
            })
        }
    };
    let outcome = outcome.map_err(|failure| {
        let holds = |grasp: &Grasp| {
            let least_m = grip_lost_below(grasp.width_m);
            robot.observe().is_ok_and(|now| now.gripper.holds(least_m))
        };
        let holds = go.grasp.as_ref().map(holds);
        verify::explain(robot, task, before, holds, failure)
    });
    // The hand must leave the object, whatever failed.
    let left = leave(robot, task, go, before);
    outcome.and(left)
}

fn take_hold(robot: &mut Robot, task: &JointTask, go: &Stroke, grasp: &Grasp) -> Result<()> {
    let gripper = &robot.info.gripper;
    let report = robot.close_with(task.force_n.unwrap_or(gripper.default_force_n))?;
    let felt = report.after.gripper;
    let id = task.id();
    if !felt.holds(grip_lost_below(grasp.width_m)) {
        // A failure of the retreat must not hide the cause.
        let _ = leave(robot, task, go, task.joint.opening);
        let handle = format!("the handle of {id}");
        return Err(missed(id, &handle, grasp.width_m, felt.width_m));
    }
    let (seen, tool_from_object) = sight::see_in_hand(robot, id)?;
    robot.held = Some(Held::of(&seen, tool_from_object, felt.width_m));
    Ok(())
}

/// Moves the held handle along its joint, as far as the plan leads; returns the opening reached.
fn follow_joint(
    robot: &mut Robot,
    task: &mut JointTask,
    scenes: &Scenes,
    reach: f64,
) -> Result<f64> {
    let begin = task.joint.opening;
    let mut scene = scenes.moving.clone();
    // The held part moves with the hand.
    scene.attached = robot.held.as_ref().map(attachment);
    if !task.path().turns {
        let end = task.joint.carried(&robot.world_from_tool()?, reach);
        let line = MotionGoal::Line(end);
        return robot.go(line, &scene, SLIDE_SPEED).map(|_| reach);
    }
    // A held door may pass close to the table; its collisions were checked before.
    scene.attached = None;
    for opening in task.path().openings(begin, reach) {
        let from = task.joint.opening;
        let step = opening - from;
        let there = task.joint.carried(&robot.world_from_tool()?, opening);
        let line = MotionGoal::Line(there);
        let pressed = robot.press(line, &scene, PUSH_SPEED, MOST_FORCE_N);
        verify::look(robot, task)?;
        match pressed {
            // The handle sits slightly differently in the hand than planned, so planning may fail
            // before the end; the present opening then counts as reached.
            Err(failure)
                if failure.phase == Some(Phase::Plan)
                    && (task.joint.opening - begin).abs() >= task.path().worth =>
            {
                return Ok(task.joint.opening);
            }
            pressed => pressed?,
        };
        if (task.joint.opening - from) * step.signum() < FOLLOWED * step.abs() {
            return Err(lagging(task, opening));
        }
    }
    Ok(reach)
}

fn lagging(task: &JointTask, expected: f64) -> Failure {
    let id = task.id();
    let (now, unit) = (task.joint.opening, task.path().unit);
    let text =
        format!("{id} stayed at {now:.3} {unit} while the hand moved on to {expected:.3} {unit}");
    Failure::new(Reason::VerificationFailed, text)
        .in_phase(Phase::Execute)
        .about([id.clone()])
}

/// Releases the handle, if it is held, and retreats along the fingers. After a push the hand may
/// also move back opposite to the push, where it has room because it came that way.
fn leave(robot: &mut Robot, task: &JointTask, go: &Stroke, before: f64) -> Result<()> {
    robot.begin("leave");
    let mut otherwise = None;
    if let Some(grasp) = &go.grasp {
        ease(robot);
        let_go(robot, grasp, go.opening_m)?;
    } else {
        let tool = robot.world_from_tool()?.translation.vector;
        let along = task.path().tangent(&task.joint, &tool) * (go.reach() - before).signum();
        otherwise = Some(-BACK_M * along);
    }
    let scene = sight::scene(robot)?.touching(task.id().clone());
    let mut outcome = back_away(robot, &scene);
    let is_caught = |f: &Failure| f.reason == Reason::PathBlocked && f.phase != Some(Phase::Plan);
    if outcome.as_ref().is_err_and(is_caught) {
        // A finger was caught on the released part. The part has yielded, so the hand tries again.
        outcome = back_away(robot, &scene);
    }
    if let Some(back) = otherwise.filter(|_| is_unplanned(&outcome)) {
        outcome = leave_along(robot, &scene, back);
    }
    if_possible(outcome).map(drop)
}

/// Opens the fingers, repeatedly: a lid that falls on release may jam a finger for a moment. If a
/// finger is stopped after both have let go, that is enough.
fn let_go(robot: &mut Robot, grasp: &Grasp, width_m: f64) -> Result<()> {
    let first = open(robot, width_m);
    let opened = (1..N_OPENINGS).fold(first, |opened, _| opened.or_else(|_| open(robot, width_m)));
    let apart_m = robot.observe()?.gripper.width_m;
    if opened.is_err() && apart_m <= grasp.width_m + FREE_M {
        return opened;
    }
    robot.held = None;
    Ok(())
}

fn push_on(
    robot: &mut Robot,
    task: &mut JointTask,
    scene: &PlanningScene,
    go: &Stroke,
) -> Result<()> {
    let slack = task.path().slack;
    let press = task.press.map(|press| (PRESS_SPEED, press.max_force_n));
    let (speed, force_n) = press.unwrap_or((PUSH_SPEED, PUSH_FORCE_N));
    for (opening, pose) in &go.path {
        let line = MotionGoal::Line(*pose);
        let pressed = robot.press(line, scene, speed, force_n);
        verify::look(robot, task)?;
        pressed?;
        let behind = (opening - task.joint.opening) * task.sign();
        if behind > 5.0 * slack {
            return Err(lagging(task, *opening));
        }
        if task.is_there() && (task.joint.opening - task.target) * task.sign() >= -slack {
            break;
        }
    }
    Ok(())
}
