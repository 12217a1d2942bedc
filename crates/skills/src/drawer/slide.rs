//! Taking hold of a handle, moving it along its joint, letting go.

use regrasp_api::{
    Failure, GripperCommand, Held, MotionGoal, ObjectId, ObjectJoint, Percept, Phase, Reason,
    Success,
};
use regrasp_relations::{grip_lost_below, is_supported_by};
use regrasp_robot::Robot;
use serde_json::json;

use super::handle::{Hold, Scenes, choose, moved};
use super::{AT_GOAL_M, DrawerWork};
use crate::grasp::retreat;
use crate::hold::{DESCENT_SPEED, ease, open};
use crate::sight;

/// Part of the limits used while a drawer slides: what lies in it should stay where it is.
const SLIDE_SPEED: f64 = 0.25;
/// A drawer that moved less than this has not moved, m.
const STUCK_M: f64 = 0.005;
/// Time for the world to come to rest before it is judged, s.
const REST_SECS: f64 = 1.0;

/// Brings the drawer to its goal.
pub(super) fn slide(robot: &mut Robot, work: &mut DrawerWork) -> Result<(), Failure> {
    if (work.goal_m - work.joint.opening).abs() <= AT_GOAL_M {
        return Ok(());
    }
    robot.begin("approach");
    let percept = robot.perceive()?;
    let scenes = scenes(robot, &percept, work);
    let hold = choose(robot, &percept, work, &scenes).map_err(|f| f.in_phase(Phase::Plan))?;
    open(robot, hold.opening_m)?;
    robot.follow(&hold.travel)?;
    robot.begin("take_hold");
    let to_handle = MotionGoal::Line(hold.grasp.world_from_tool);
    robot.go(to_handle, &scenes.touching, DESCENT_SPEED)?;
    take_hold(robot, work, &hold)?;
    robot.begin("slide");
    let slid = follow_joint(robot, work, &scenes);
    let cause = slid.and_then(|()| look_at_joint(robot, work));
    let outcome = match cause {
        Err(failure) => Err(explain(robot, work, &hold, failure)),
        Ok(_) => Ok(()),
    };
    // A hand that stays at the handle helps nobody, whatever went wrong.
    let left = leave(robot, work, &hold);
    outcome.and(left)
}

fn scenes(robot: &Robot, percept: &Percept, work: &DrawerWork) -> Scenes {
    let id = &work.drawer.id;
    let free = robot.planning_scene(percept);
    let mut sliding = free.clone().touching(work.joint.parent.clone());
    let comes_along = |other: &ObjectId| {
        let seen = percept.object(other);
        other == id || seen.is_some_and(|o| o.movable && is_supported_by(o, &work.drawer))
    };
    sliding.obstacles.retain(|o| !comes_along(&o.id));
    Scenes {
        touching: free.clone().touching(id.clone()),
        free,
        sliding,
    }
}

fn take_hold(robot: &mut Robot, work: &DrawerWork, hold: &Hold) -> Result<(), Failure> {
    let gripper = &robot.info.gripper;
    let wanted_n = work.force_n.unwrap_or(gripper.default_force_n);
    let force_n = wanted_n.clamp(0.0, gripper.max_force_n);
    let speed_m_per_s = gripper.default_speed_m_per_s;
    let report = robot.grip(GripperCommand::Grasp {
        force_n,
        speed_m_per_s,
    })?;
    let felt = report.after.gripper;
    let least_m = grip_lost_below(hold.grasp.width_m);
    let id = &work.drawer.id;
    if !felt.holds(least_m) {
        let text = format!(
            "the fingers closed to {:.4} m without holding the handle of {id} ({:.4} m wide)",
            felt.width_m, hold.grasp.width_m
        );
        let failure = Failure::new(Reason::GraspMissed, text)
            .about([id.clone()])
            .measured("finger_width", felt.width_m, Some(least_m), "m");
        // Trouble on the way back must not hide the cause.
        let _ = leave(robot, work, hold);
        return Err(failure);
    }
    let seen = sight::see_again(robot, id)?;
    robot.held = Some(Held {
        id: id.clone(),
        shape: seen.shape,
        tool_from_object: robot.world_from_tool()?.inverse() * seen.world_from_object,
        width_m: felt.width_m,
        mass_kg: None,
    });
    Ok(())
}

/// Moves what is held along its joint to the goal.
fn follow_joint(robot: &mut Robot, work: &DrawerWork, scenes: &Scenes) -> Result<(), Failure> {
    let way = work.joint.axis() * (work.goal_m - work.joint.opening);
    let end = moved(&robot.world_from_tool()?, &way);
    let mut scene = scenes.sliding.clone();
    // In the hand, it moves with it.
    scene.attached = robot.held.as_ref().map(|held| regrasp_api::Attachment {
        id: held.id.clone(),
        shape: held.shape.clone(),
        tool_from_object: held.tool_from_object,
    });
    robot
        .go(MotionGoal::Line(end), &scene, SLIDE_SPEED)
        .map(drop)
}

/// The joint as it stands; a failure if the drawer is not at its goal.
fn look_at_joint(robot: &mut Robot, work: &DrawerWork) -> Result<ObjectJoint, Failure> {
    let id = &work.drawer.id;
    let settled = robot.settle(REST_SECS)?;
    settled.at_rest(&[id]).map_err(|failure| Failure {
        reason: Reason::VerificationFailed,
        ..failure
    })?;
    let percept = settled.percept;
    let Some(joint) = percept.joint_of(id).cloned() else {
        let text = format!("the joint of {id} was seen before, but is not any more");
        return Err(Failure::new(Reason::ObjectNotFound, text).in_phase(Phase::Perceive));
    };
    let off_m = (joint.opening - work.goal_m).abs();
    if off_m <= AT_GOAL_M {
        return Ok(joint);
    }
    let text = format!(
        "{id} is {:.3} m open, {off_m:.3} m from where it should be (at most {AT_GOAL_M} m)",
        joint.opening
    );
    Err(Failure::new(Reason::VerificationFailed, text)
        .about([id.clone()])
        .measured("off_goal", off_m, Some(AT_GOAL_M), "m"))
}

/// Why the drawer is not where it should be: it is stuck, or the hand lost the handle.
fn explain(robot: &mut Robot, work: &DrawerWork, hold: &Hold, failure: Failure) -> Failure {
    let told = [
        Reason::GraspSlipped,
        Reason::ObjectDropped,
        Reason::TrackingError,
        Reason::VerificationFailed,
    ];
    let Ok(percept) = robot.perceive() else {
        return failure;
    };
    let id = &work.drawer.id;
    let Some(joint) = percept
        .joint_of(id)
        .filter(|_| told.contains(&failure.reason))
    else {
        return failure;
    };
    let moved_m = (joint.opening - work.joint.opening).abs();
    let wanted_m = (work.goal_m - work.joint.opening).abs();
    let Ok(felt) = robot.observe().map(|now| now.gripper) else {
        return failure;
    };
    let holds = felt.holds(grip_lost_below(hold.grasp.width_m));
    let (reason, what) = if holds && moved_m < STUCK_M {
        (Reason::JointNotMoved, "did not move")
    } else {
        (Reason::HandleSlipped, "left the hand on the way")
    };
    let text = format!(
        "{id} {what}: {moved_m:.3} m of {wanted_m:.3} m ({})",
        failure.detail
    );
    let mut told = Failure::new(reason, text).about([id.clone()]).measured(
        "travel",
        moved_m,
        Some(wanted_m),
        "m",
    );
    told.moment = failure.moment;
    told.phase = failure.phase;
    let most_n = robot.info.gripper.max_force_n;
    if told.reason == Reason::HandleSlipped && work.force_n.is_none_or(|n| n < most_n) {
        told = told.retry_with(json!({ "force_n": most_n }));
    }
    told
}

/// Lets go of the handle and goes back the way the hand came.
fn leave(robot: &mut Robot, work: &DrawerWork, hold: &Hold) -> Result<(), Failure> {
    robot.begin("leave");
    ease(robot);
    open(robot, hold.opening_m)?;
    robot.held = None;
    let percept = robot.perceive()?;
    let scene = robot
        .planning_scene(&percept)
        .touching(work.drawer.id.clone());
    let away = retreat(&robot.world_from_tool()?);
    robot
        .go(MotionGoal::Line(away), &scene, DESCENT_SPEED)
        .map(drop)
}

/// Looks whether the drawer stayed at its goal, with nothing holding it.
pub(super) fn verify(robot: &mut Robot, work: &DrawerWork) -> Result<Success, Failure> {
    let joint = look_at_joint(robot, work)?;
    let id = &work.drawer.id;
    let text = format!(
        "{id} is {:.3} m of {:.3} m open",
        joint.opening, joint.travel
    );
    Ok(Success::new(text).about([id.clone()]).measured(
        "opening",
        joint.opening,
        Some(work.goal_m),
        "m",
    ))
}
