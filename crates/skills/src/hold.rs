//! Whether the hand holds what it should, and what to do when it does not.

use std::f64::consts::SQRT_2;

use nalgebra::Translation3;
use regrasp_api::{
    Failure, GripperCommand, Held, MotionGoal, ObjectId, PerceivedObject, Percept, Phase,
    PlanningScene, Pose, Reason, Success,
};
use regrasp_motion::Body;
use regrasp_relations::{grip_lost_below, is_supported_by};
use regrasp_robot::Robot;

use crate::grasp::{Grasp, Hand, is_from_side, retreat};
use crate::pick::{DESCENT_SPEED, PickWork, SLIP_M, STOPPED_SHORT, raised};
use crate::sight;

/// Part of the usual speed for what is held from the side.
const SIDE_SPEED: f64 = 0.5;

/// Speed fraction for the present grip. What is held from the side is carried slowly:
/// it can swing about the closing direction and hit the palm.
pub(crate) fn carry_speed(robot: &mut Robot) -> Result<f64, Failure> {
    let from_side = robot.held.is_some() && is_from_side(&robot.world_from_tool()?);
    let usual = robot.usual_speed();
    Ok(if from_side { SIDE_SPEED * usual } else { usual })
}

/// Opens and backs off after closing on nothing.
pub(crate) fn missed(robot: &mut Robot, work: &PickWork, grasp: &Grasp, width_m: f64) -> Failure {
    let failure = Failure::new(
        Reason::GraspMissed,
        format!(
            "the fingers closed to {width_m:.4} m without holding {} ({:.4} m wide)",
            work.target.id, grasp.width_m
        ),
    )
    .about([work.target.id.clone()])
    .measured(
        "finger_width",
        width_m,
        Some(grip_lost_below(grasp.width_m)),
        "m",
    )
    .hint("look again and pick once more");
    back_off(robot, &work.target);
    failure
}

/// Opens and backs off after fingers that stopped before they touched anything.
pub(crate) fn stopped_short(
    robot: &mut Robot,
    work: &PickWork,
    grasp: &Grasp,
    width_m: f64,
) -> Failure {
    let text = format!(
        "the fingers stopped {width_m:.4} m apart and touch nothing; {} is {:.4} m wide",
        work.target.id, grasp.width_m
    );
    back_off(robot, &work.target);
    Failure::new(Reason::TrackingError, text)
        .about([work.target.id.clone()])
        .measured(STOPPED_SHORT, width_m, Some(grasp.width_m), "m")
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

/// How often a motion goes on after what is held has shifted in the hand.
const N_SHIFTS: usize = 2;

/// Moves what is held, and goes on from where it stopped when that has only shifted in the
/// hand: `motion` plans anew each time, from how it is held by then.
pub(crate) fn despite_shifts(
    robot: &mut Robot,
    mut motion: impl FnMut(&mut Robot) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let at_first = robot.held.clone();
    let mut outcome = motion(robot);
    for _ in 0..N_SHIFTS {
        match (&outcome, &at_first) {
            (Err(failure), Some(held)) if has_only_shifted(robot, failure, held) => {
                outcome = motion(robot);
            }
            _ => break,
        }
    }
    outcome
}

/// Whether what ended a motion is only that the object lies a little differently in the hand
/// than `at_first`. How it is held now is remembered.
fn has_only_shifted(robot: &mut Robot, failure: &Failure, at_first: &Held) -> bool {
    if failure.reason != Reason::GraspSlipped || sight::held(robot).is_err() {
        return false;
    }
    let Ok(seen) = sight::see_again(robot, &at_first.id) else {
        return false;
    };
    let Ok(world_from_tool) = robot.world_from_tool() else {
        return false;
    };
    let tool_from_object = world_from_tool.inverse() * seen.world_from_object;
    let before = at_first.tool_from_object.translation.vector;
    let shift_m = (tool_from_object.translation.vector - before).norm();
    let is_there = shift_m <= SLIP_M + 3.0 * seen.position_std_m;
    if let Some(held) = robot.held.as_mut().filter(|_| is_there) {
        held.tool_from_object = tool_from_object;
    }
    is_there
}

/// Presses with all the force that the gripper has, so that what slipped in the hand
/// stays there.
pub(crate) fn tighten(robot: &mut Robot, failure: Failure) -> Failure {
    if failure.reason == Reason::GraspSlipped && robot.held.is_some() {
        let force_n = robot.info.gripper.max_force_n;
        let speed_m_per_s = robot.info.gripper.default_speed_m_per_s;
        let command = GripperCommand::Grasp {
            force_n,
            speed_m_per_s,
        };
        let _ = robot.grip(command);
        // What is light and round may be pressed out instead.
        if let Err(lost) = sight::held(robot) {
            let text = format!(
                "{}; pressing with {force_n:.0} N did not keep it: {}",
                failure.detail, lost.detail
            );
            return Failure {
                reason: Reason::ObjectDropped,
                detail: text.into_boxed_str(),
                ..failure
            };
        }
    }
    failure
}

/// Lets fingers that press with more than the usual force press with that. Let go of at
/// once, they would spring away, which looks as if something held them back.
pub(crate) fn ease(robot: &mut Robot) {
    let force_n = robot.info.gripper.default_force_n;
    let felt = robot.observe();
    if felt.is_ok_and(|now| now.gripper.grip_force_n <= 1.05 * force_n) {
        return;
    }
    let speed_m_per_s = robot.info.gripper.default_speed_m_per_s;
    // What comes of it is for the motion that opens them to tell.
    let _ = robot.grip(GripperCommand::Grasp {
        force_n,
        speed_m_per_s,
    });
}

/// Parts of the usual way back, the first that the arm can go.
const WAYS_BACK: [f64; 3] = [1.0, 0.6, 0.35];

/// Goes back in a straight line from what was let go of, less far where the arm cannot go
/// all the way.
pub(crate) fn leave(robot: &mut Robot, scene: &PlanningScene, speed: f64) -> Result<(), Failure> {
    let from = robot.world_from_tool()?;
    let away = retreat(&from).translation.vector - from.translation.vector;
    let mut outcome = Ok(());
    for part in WAYS_BACK {
        let there = Translation3::from(part * away) * from;
        outcome = robot.go(MotionGoal::Line(there), scene, speed).map(drop);
        if !matches!(&outcome, Err(failure) if failure.phase == Some(Phase::Plan)) {
            break;
        }
    }
    outcome
}

/// Opens the hand and goes back the way it came; fingers that something holds are opened once
/// the hand is away from it. Trouble on the way is not told: the caller already has the cause,
/// and the next skill plans from wherever the arm is.
pub(crate) fn back_off(robot: &mut Robot, target: &PerceivedObject) {
    let width_m = robot.info.gripper.max_width_m;
    let speed_m_per_s = robot.info.gripper.default_speed_m_per_s;
    robot.held = None;
    ease(robot);
    let open = GripperCommand::MoveTo {
        width_m,
        speed_m_per_s,
    };
    let is_open = robot.grip(open).is_ok();
    let Ok(percept) = robot.perceive() else {
        return;
    };
    let scene = touching_all_near(robot.planning_scene(&percept), target, &percept);
    let _ = leave(robot, &scene, DESCENT_SPEED);
    if !is_open {
        let _ = robot.grip(open);
    }
}

/// Allows touching the target and what it stands on: both touch as the lift begins.
pub(crate) fn touching_all_near(
    scene: PlanningScene,
    target: &PerceivedObject,
    percept: &Percept,
) -> PlanningScene {
    let below = percept
        .objects
        .iter()
        .filter(|other| is_supported_by(target, other));
    below.fold(scene.touching(target.id.clone()), |scene, other| {
        scene.touching(other.id.clone())
    })
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

/// What has moved in the hand by less than this while it was lifted sits still in it, m: ten
/// times what a firm grip leaves.
const STEADY_M: f64 = 0.002;
/// What has moved further is watched for this long, s, …
const WATCH_SECS: f64 = 0.3;
/// … and may move by this meanwhile, m: what slides a little faster is out within the minute.
const CREEP_M: f64 = 0.0005;

/// Makes sure that what has moved in the hand does not go on doing so; otherwise brings it down
/// again before it falls.
fn stays(robot: &mut Robot, work: &PickWork, before: &PerceivedObject) -> Result<(), Failure> {
    let id = &work.target.id;
    let tool_from_before = robot.world_from_tool()?.inverse() * before.world_from_object;
    robot.wait(WATCH_SECS)?;
    let seen = sight::see_again(robot, id)?;
    let world_from_tool = robot.world_from_tool()?;
    let tool_from_object = world_from_tool.inverse() * seen.world_from_object;
    let moved = tool_from_object.translation.vector - tool_from_before.translation.vector;
    let (creep_m, limit_m) = (moved.norm(), CREEP_M + 3.0 * SQRT_2 * seen.position_std_m);
    if creep_m <= limit_m {
        return Ok(());
    }
    set_down(
        robot,
        &work.target,
        &raised(&world_from_tool, -work.lifted_m),
    );
    Err(Failure::new(
        Reason::GraspSlipped,
        format!(
            "{id} goes on sliding in the hand, {creep_m:.4} m within {WATCH_SECS} s (at most \
             {limit_m:.4} m)"
        ),
    )
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
