//! Taking hold of a handle, following its joint, letting go; and pushing along a joint.

use regrasp_api::{Attachment, Failure, MotionGoal, Phase, PlanningScene, Reason};
use regrasp_relations::grip_lost_below;
use regrasp_robot::Robot;

use super::{JointTask, verify};
use crate::grasp::Grasp;
use crate::hold::{ease, held_as, if_possible, leave as back_away, missed, open};
use crate::params::{DESCENT_SPEED, MOST_FORCE_N, TOUCH_SPEED};
use crate::sight;
use crate::stroke::{Scenes, Stroke};

/// Part of the limits used while a drawer slides: what lies in it should stay where it is.
const SLIDE_SPEED: f64 = 0.25;
/// Part of the limits used along an arc, and for pushing.
const PUSH_SPEED: f64 = 0.2;
/// The same for pressing a button, which has millimetres to go.
const PRESS_SPEED: f64 = 0.06;
/// The most with which a surface is pushed, N.
const PUSH_FORCE_N: f64 = 40.0;
/// Attempts at opening the fingers.
const N_OPENINGS: usize = 3;
/// Fingers that are this much further apart than what they held hold it no more, m.
const FREE_M: f64 = 0.004;
/// Part of a step below which what should follow has been lost, or is stuck.
const FOLLOWED: f64 = 0.3;

/// Makes a go: takes hold and follows, or pushes with the closed hand, and goes back.
pub(super) fn make(
    robot: &mut Robot,
    task: &mut JointTask,
    scenes: &Scenes,
    go: &Stroke,
) -> Result<(), Failure> {
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
                task.in_vain.push(grasp.world_from_tool);
            }
            outcome
        }
        None => {
            robot.begin("touch");
            robot.go(there, &scenes.touching, TOUCH_SPEED)?;
            robot.begin("push");
            let pushed = push_on(robot, task, &scenes.moving, go);
            let outcome = pushed.and(verify::look_settled(robot, task));
            // Pressed against its stop, it is where it should be.
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
    // A hand that stays there helps nobody, whatever went wrong.
    let left = leave(robot, task, go);
    outcome.and(left)
}

fn take_hold(
    robot: &mut Robot,
    task: &JointTask,
    go: &Stroke,
    grasp: &Grasp,
) -> Result<(), Failure> {
    let gripper = &robot.info.gripper;
    let report = robot.close_with(task.force_n.unwrap_or(gripper.default_force_n))?;
    let felt = report.after.gripper;
    let id = task.id();
    if !felt.holds(grip_lost_below(grasp.width_m)) {
        // Trouble on the way back must not hide the cause.
        let _ = leave(robot, task, go);
        let handle = format!("the handle of {id}");
        return Err(missed(id, &handle, grasp.width_m, felt.width_m));
    }
    let (seen, tool_from_object) = sight::see_in_hand(robot, id)?;
    robot.held = Some(held_as(seen, tool_from_object, felt.width_m));
    Ok(())
}

/// Moves what is held along its joint, as far as the arm was found to reach; how far that was.
fn follow_joint(
    robot: &mut Robot,
    task: &mut JointTask,
    scenes: &Scenes,
    reach: f64,
) -> Result<f64, Failure> {
    let begin = task.joint.opening;
    let mut scene = scenes.moving.clone();
    // In the hand, it moves with it.
    scene.attached = robot.held.as_ref().map(|held| Attachment {
        id: held.id.clone(),
        shape: held.shape.clone(),
        tool_from_object: held.tool_from_object,
    });
    if !task.path().turns {
        let end = task.joint.carried(&robot.world_from_tool()?, reach);
        let line = MotionGoal::Line(end);
        return robot.go(line, &scene, SLIDE_SPEED).map(|_| reach);
    }
    // A door in the hand may be near the table all the way; what it would meet was looked at.
    scene.attached = None;
    for opening in task.path().openings(begin, reach) {
        let from = task.joint.opening;
        let step = opening - from;
        let there = task.joint.carried(&robot.world_from_tool()?, opening);
        let line = MotionGoal::Line(there);
        let pressed = robot.press(line, &scene, PUSH_SPEED, MOST_FORCE_N);
        verify::look(robot, task)?;
        match pressed {
            // The handle sits a little differently in the hand than planned: as far as this.
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

/// The hand went on and what it moves did not.
fn lagging(task: &JointTask, expected: f64) -> Failure {
    let id = task.id();
    let now = task.joint.opening;
    let text = format!("{id} stays at {now:.3} where the hand went on to {expected:.3}");
    Failure::new(Reason::VerificationFailed, text)
        .in_phase(Phase::Execute)
        .about([id.clone()])
}

/// Lets go of the handle, if it is held, and goes back the way the hand came.
fn leave(robot: &mut Robot, task: &JointTask, go: &Stroke) -> Result<(), Failure> {
    robot.begin("leave");
    if let Some(grasp) = &go.grasp {
        ease(robot);
        let_go(robot, grasp, go.opening_m)?;
    }
    away(robot, task)
}

/// Opens the fingers. What falls as it is let go of, as a lid does, may stop one for a moment.
fn let_go(robot: &mut Robot, grasp: &Grasp, width_m: f64) -> Result<(), Failure> {
    let mut opened = open(robot, width_m);
    for _ in 1..N_OPENINGS {
        if opened.is_ok() {
            break;
        }
        opened = open(robot, width_m);
    }
    let apart_m = robot.observe()?.gripper.width_m;
    if opened.is_ok() || apart_m > grasp.width_m + FREE_M {
        robot.held = None;
    }
    opened
}

fn away(robot: &mut Robot, task: &JointTask) -> Result<(), Failure> {
    let scene = sight::scene(robot)?.touching(task.id().clone());
    let mut outcome = back_away(robot, &scene, DESCENT_SPEED);
    if outcome
        .as_ref()
        .is_err_and(|f| f.reason == Reason::PathBlocked && f.phase != Some(Phase::Plan))
    {
        // A finger caught on what it held, which has given way.
        outcome = back_away(robot, &scene, DESCENT_SPEED);
    }
    if_possible(outcome).map(drop)
}

fn push_on(
    robot: &mut Robot,
    task: &mut JointTask,
    scene: &PlanningScene,
    go: &Stroke,
) -> Result<(), Failure> {
    let slack = task.path().slack;
    let press = task.press.map(|press| (PRESS_SPEED, press.max_force_n));
    let (speed, force_n) = press.unwrap_or((PUSH_SPEED, PUSH_FORCE_N));
    for (opening, pose) in &go.way {
        let line = MotionGoal::Line(*pose);
        let pressed = robot.press(line, scene, speed, force_n);
        verify::look(robot, task)?;
        pressed?;
        let behind = (opening - task.joint.opening) * task.sign();
        if behind > 5.0 * slack {
            return Err(lagging(task, *opening));
        }
        if task.is_there() && (task.joint.opening - task.aim.target) * task.sign() >= -slack {
            break;
        }
    }
    Ok(())
}
