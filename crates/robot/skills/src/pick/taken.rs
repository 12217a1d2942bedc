//! Whether the hand has what it closed on, and how it gives up what it has not.

use std::f64::consts::SQRT_2;

use regrasp_api::{Failure, Held, MotionGoal, ObjectId, PerceivedObject, Pose, Reason, Success};
use regrasp_motion::Body;
use regrasp_relations::grip_lost_below;
use regrasp_robot::Robot;

use crate::grasp::{Grasp, Hand};
use crate::hold::{DESCENT_SPEED, SLIP_M, back_off, touching_all_near};
use crate::poses::raised;
use crate::sight;

use super::work::PickWork;

/// Name of the finger distance at which closing fingers stopped before they touched
/// anything.
pub(crate) const STOPPED_SHORT: &str = "width_stopped_short";
/// What has moved in the hand by less than this while it was lifted sits still in it, m: ten
/// times what a firm grip leaves.
const STEADY_M: f64 = 0.002;
/// What has moved further is watched for this long, s, …
const WATCH_SECS: f64 = 0.3;
/// … so often, since what hangs askew settles …
const N_WATCHES: usize = 4;
/// … and may move by this the last time, m: what slides a little faster is out within the minute.
const CREEP_M: f64 = 0.0005;

/// Opens and backs off after closing on nothing.
pub(crate) fn missed(robot: &mut Robot, work: &PickWork, grasp: &Grasp, width_m: f64) -> Failure {
    let (id, wide_m) = (&work.target.id, grasp.width_m);
    let text =
        format!("the fingers stopped at {width_m:.4} m without holding {id} ({wide_m:.4} m wide)");
    let least_m = Some(grip_lost_below(wide_m));
    back_off(robot, &work.target);
    Failure::new(Reason::GraspMissed, text)
        .about([id.clone()])
        .measured("finger_width", width_m, least_m, "m")
        .hint("look again and pick once more")
}

/// Opens and backs off after fingers that stopped before they touched anything.
pub(crate) fn stopped_short(
    robot: &mut Robot,
    work: &PickWork,
    grasp: &Grasp,
    width_m: f64,
) -> Failure {
    let (id, wide_m) = (&work.target.id, grasp.width_m);
    let text = format!(
        "the fingers stopped {width_m:.4} m apart and touch nothing; {id} is {wide_m:.4} m wide"
    );
    back_off(robot, &work.target);
    Failure::new(Reason::TrackingError, text)
        .about([id.clone()])
        .measured(STOPPED_SHORT, width_m, Some(wide_m), "m")
}

/// Brings what is slipping back to where it was taken from, and lets go of it there. What has
/// left the hand already is not followed: closed fingers would press on it from above.
pub(crate) fn set_down(robot: &mut Robot, target: &PerceivedObject, world_from_tool: &Pose) {
    // Nothing watches a grip that is given up anyway.
    robot.held = None;
    let closed_m = robot.info.gripper.closed_below();
    let felt = robot.observe();
    let is_between = felt.is_ok_and(|now| now.gripper.presses(closed_m));
    if is_between && let Ok(percept) = robot.perceive() {
        let scene = touching_all_near(robot.planning_scene(&percept), target, &percept);
        let _ = robot.go(MotionGoal::Line(*world_from_tool), &scene, DESCENT_SPEED);
    }
    back_off(robot, target);
}

/// Whether what was lifted is in the hand and stays there, by what is seen and felt now.
pub(crate) fn verify_held(robot: &mut Robot, work: &PickWork) -> Result<Success, Failure> {
    let id = &work.target.id;
    let width_m = robot.observe()?.gripper.width_m;
    let Some(held) = robot.held.clone() else {
        return Err(Failure::new(
            Reason::GraspSlipped,
            format!("{id} is not in the hand"),
        ));
    };
    let (percept, seen) = sight::see_with(robot, id)?;
    let expected = robot.world_from_tool()? * held.tool_from_object;
    let slip_m = (seen.position() - expected.translation.vector).norm();
    let rise_m = seen.position().z - work.target.position().z;
    let limit_m = SLIP_M + 3.0 * seen.position_std_m;
    let least_m = grip_lost_below(held.width_m);
    let hand = robot.in_hand(&percept)?;
    let not_held = hand.not_held(id);
    if not_held.is_none() && slip_m <= limit_m && rise_m > 0.5 * work.lifted_m {
        if slip_m > STEADY_M + 3.0 * seen.position_std_m {
            stays(robot, work, &seen)?;
        }
        let text = format!("{id} is in the hand, {rise_m:.3} m above where it was");
        return Ok(Success::new(text)
            .about([id.clone()])
            .measured("lifted", rise_m, Some(0.5 * work.lifted_m), "m")
            .measured("slip", slip_m, Some(limit_m), "m"));
    }
    if width_m >= least_m && slip_m > limit_m {
        robot.held = None;
        return Err(something_else(robot, id, width_m));
    }
    if robot.held.is_some() {
        let down = raised(&robot.world_from_tool()?, -work.lifted_m);
        set_down(robot, &work.target, &down);
    }
    let seen = not_held.map_or_else(String::new, |why| format!("; {why}"));
    let text = format!(
        "{id} slipped {slip_m:.4} m in the hand while it was lifted (at most {limit_m:.4} m); the \
         fingers closed to {width_m:.4} m{seen}"
    );
    Err(Failure::new(Reason::GraspSlipped, text)
        .about([id.clone()])
        .measured("slip", slip_m, Some(limit_m), "m"))
}

/// Makes sure that what has moved in the hand does not go on doing so; otherwise brings it down
/// again before it falls.
fn stays(robot: &mut Robot, work: &PickWork, before: &PerceivedObject) -> Result<(), Failure> {
    let id = &work.target.id;
    let tool_from_first = robot.world_from_tool()?.inverse() * before.world_from_object;
    let mut place = tool_from_first.translation.vector;
    let (mut creep_m, mut limit_m) = (0.0, CREEP_M);
    for _ in 0..N_WATCHES {
        robot.wait(WATCH_SECS)?;
        let seen = sight::see_again(robot, id)?;
        let tool_from_object = robot.world_from_tool()?.inverse() * seen.world_from_object;
        let now = tool_from_object.translation.vector;
        (creep_m, place) = ((now - place).norm(), now);
        limit_m = CREEP_M + 3.0 * SQRT_2 * seen.position_std_m;
        if creep_m <= limit_m {
            if let Some(held) = robot.held.as_mut() {
                // It hangs otherwise than it was gripped, and lower down it stands otherwise.
                held.tool_from_object = tool_from_object;
            }
            return Ok(());
        }
        // As far as that it may settle.
        if (now - tool_from_first.translation.vector).norm() > SLIP_M {
            break;
        }
    }
    let world_from_tool = robot.world_from_tool()?;
    let down = raised(&world_from_tool, -work.lifted_m);
    set_down(robot, &work.target, &down);
    let text = format!(
        "{id} goes on sliding in the hand, {creep_m:.4} m within {WATCH_SECS} s (at most \
         {limit_m:.4} m)"
    );
    Err(Failure::new(Reason::GraspSlipped, text)
        .about([id.clone()])
        .measured("creep", creep_m, Some(limit_m), "m"))
}

/// Whether an object is where both fingers are, so that it is what they feel.
fn is_between_pads(
    robot: &Robot,
    world_from_tool: &Pose,
    object: &PerceivedObject,
    width_m: f64,
) -> bool {
    /// What is further from a finger is not pressed by it, m: perception may be off by it.
    const TOUCH_M: f64 = 0.003;
    let fingers = Hand::new(&robot.info.gripper).at(world_from_tool, width_m);
    Body::new(&object.shape, &object.world_from_object).is_some_and(|body| {
        let mut fingers = fingers.fingers.iter();
        fingers.all(|finger| finger.gap_m(&body, TOUCH_M).is_some())
    })
}

/// The fingers hold something, but it is not the target.
pub(crate) fn something_else(robot: &mut Robot, id: &ObjectId, width_m: f64) -> Failure {
    /// What is in the hand is no further from the tool point than this, m.
    const IN_HAND_M: f64 = 0.05;
    let world_from_tool = match robot.world_from_tool() {
        Ok(world_from_tool) => world_from_tool,
        Err(fault) => return fault,
    };
    let tool = world_from_tool.translation.vector;
    let percept = robot.perceive().unwrap_or_default();
    let near = percept
        .objects
        .iter()
        .filter(|o| o.movable && &o.id != id && (o.position() - tool).norm() < IN_HAND_M)
        .min_by(|a, b| {
            (a.position() - tool)
                .norm()
                .total_cmp(&(b.position() - tool).norm())
        });
    if let Some(target) = percept.object(id)
        && is_between_pads(robot, &world_from_tool, target, width_m)
    {
        back_off(robot, target);
        let text = format!(
            "{id} moved while the fingers closed on it, to where they hold it {width_m:.4} m apart; \
             it was let go"
        );
        return Failure::new(Reason::ObjectMoved, text).about([id.clone()]);
    }
    let what = near.map_or_else(|| "something unknown".to_owned(), |o| o.id.to_string());
    let failure = Failure::new(
        Reason::WrongObjectGrasped,
        format!("the hand holds {what} ({width_m:.4} m wide) instead of {id}"),
    )
    .about(near.map(|o| o.id.clone()));
    match near {
        Some(object) => {
            robot.held = Some(Held {
                id: object.id.clone(),
                shape: object.shape.clone(),
                tool_from_object: world_from_tool.inverse() * object.world_from_object,
                width_m,
                mass_kg: None,
            });
        }
        // Nobody could say where to put it: it stays where it is.
        None => {
            if let Some(target) = percept.object(id) {
                back_off(robot, target);
            }
        }
    }
    failure
}
