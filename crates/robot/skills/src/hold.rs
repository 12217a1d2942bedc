//! Holding: how fast what is held may go, what to do when it slips, how to let go of it.

use nalgebra::{Translation3, Vector3};
use regrasp_api::{
    Failure, GripperEnd, Held, MotionGoal, ObjectId, PerceivedObject, Percept, Phase,
    PlanningScene, Pose, Reason,
};
use regrasp_relations::{grip_lost_below, is_supported_by};
use regrasp_robot::Robot;

use crate::bodies::near;
use crate::grasp::{is_from_side, retreat};
use crate::params::{DESCENT_SPEED, N_SHIFTS, SWINGING_SPEED, THING_ROOM_M};
use crate::sight;

/// Motion of the object while the fingers close, or in the hand during the lift,
/// that still counts as held, m.
pub(crate) const SLIP_M: f64 = 0.02;

/// The held thing as it would be seen at a pose in World.
pub(crate) fn seen_at(held: &Held, world_from_object: Pose) -> PerceivedObject {
    PerceivedObject {
        id: held.id.clone(),
        category: String::new(),
        color: None,
        shape: held.shape.clone(),
        world_from_object,
        position_std_m: 0.0,
        movable: true,
    }
}

/// A thing that is seen in the hand, as held by fingers so far apart, m.
pub(crate) fn held_as(seen: PerceivedObject, tool_from_object: Pose, width_m: f64) -> Held {
    Held {
        id: seen.id,
        shape: seen.shape,
        tool_from_object,
        width_m,
        mass_kg: None,
    }
}

/// The failure of fingers that closed without holding something that is so wide, m.
pub(crate) fn missed(id: &ObjectId, what: &str, wide_m: f64, width_m: f64) -> Failure {
    let text = format!(
        "the fingers stopped at {width_m:.4} m without holding {what} ({wide_m:.4} m wide)"
    );
    let least_m = Some(grip_lost_below(wide_m));
    Failure::new(Reason::GraspMissed, text)
        .about([id.clone()])
        .measured("finger_width", width_m, least_m, "m")
}

/// Speed fraction for the present grip. What is held from the side is carried slowly:
/// it can swing about the closing direction and hit the palm.
pub(crate) fn carry_speed(robot: &mut Robot) -> Result<f64, Failure> {
    let from_side = robot.held.is_some() && is_from_side(&robot.world_from_tool()?);
    let usual = robot.usual_speed();
    Ok(if from_side {
        SWINGING_SPEED * usual
    } else {
        usual
    })
}

/// Moves what is held, and goes on from where it stopped when that has only shifted in the
/// hand: `motion` plans again each time, from how it is held by then.
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

/// Returns true if what ended a motion is only that the object lies a little differently in the
/// hand than `at_first`. How it is held now is remembered.
fn has_only_shifted(robot: &mut Robot, failure: &Failure, at_first: &Held) -> bool {
    if failure.reason != Reason::GraspSlipped || sight::held(robot).is_err() {
        return false;
    }
    let Ok((seen, tool_from_object)) = sight::see_in_hand(robot, &at_first.id) else {
        return false;
    };
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
        let _ = robot.close_with(force_n);
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
    // What comes of it is for the motion that opens them to tell.
    let _ = robot.close_with(force_n);
}

/// Opens the fingers so far, m, or as far as they open: what was held is not any more.
pub(crate) fn let_go(robot: &mut Robot, width_m: f64) -> Result<(), Failure> {
    ease(robot);
    robot.open_to(width_m.min(robot.info.gripper.max_width_m))?;
    robot.held = None;
    Ok(())
}

/// Returns true if a motion was made that may be left out where there is no way: whatever comes next
/// plans from where the hand is.
pub(crate) fn if_possible<T>(outcome: Result<T, Failure>) -> Result<bool, Failure> {
    match outcome {
        Err(failure) if failure.phase == Some(Phase::Plan) => Ok(false),
        outcome => outcome.map(|_| true),
    }
}

/// Parts of the usual way back, the first that the arm can go.
const WAYS_BACK: [f64; 3] = [1.0, 0.6, 0.35];

/// Things that a hand may lean on at once as it begins to go back.
const MAX_LEANT_ON: usize = 3;

/// Goes back in a straight line from what was let go of, less far where the arm cannot go
/// all the way.
pub(crate) fn leave(robot: &mut Robot, scene: &PlanningScene, speed: f64) -> Result<(), Failure> {
    let from = robot.world_from_tool()?;
    let away = retreat(&from).translation.vector - from.translation.vector;
    leave_along(robot, scene, away, speed)
}

/// The same along a way in World, m.
pub(crate) fn leave_along(
    robot: &mut Robot,
    scene: &PlanningScene,
    away: Vector3<f64>,
    speed: f64,
) -> Result<(), Failure> {
    let from = robot.world_from_tool()?;
    let mut scene = scene.clone();
    let mut outcome = Ok(());
    for part in WAYS_BACK {
        let there = Translation3::from(part * away) * from;
        outcome = robot.go(MotionGoal::Line(there), &scene, speed).map(drop);
        // What the hand leans on as it begins to go back keeps nobody from going back.
        for _ in 0..MAX_LEANT_ON {
            match &outcome {
                Err(failure) if failure.reason == Reason::StartInCollision => {
                    let leant_on = &failure.entities;
                    scene.obstacles.retain(|o| !leant_on.contains(&o.id));
                    outcome = robot.go(MotionGoal::Line(there), &scene, speed).map(drop);
                }
                _ => break,
            }
        }
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
    robot.held = None;
    ease(robot);
    let is_open = robot.open_to(width_m).is_ok();
    let Ok(percept) = robot.perceive() else {
        return;
    };
    let scene = touching_all_near(robot.planning_scene(&percept), target, &percept);
    let _ = leave(robot, &scene, DESCENT_SPEED);
    if !is_open {
        let _ = robot.open_to(width_m);
    }
}

/// Allows touching the target, what it stands on and what it stands against: all touch, or nearly,
/// as the lift begins.
pub(crate) fn touching_all_near(
    scene: PlanningScene,
    target: &PerceivedObject,
    percept: &Percept,
) -> PlanningScene {
    let others = percept.objects.iter().filter(|o| o.id != target.id);
    let supports = others.filter(|other| is_supported_by(target, other));
    let touched = supports.map(|o| o.id.clone());
    let touched = touched.chain(near(percept, target, THING_ROOM_M));
    touched.fold(scene.touching(target.id.clone()), PlanningScene::touching)
}

pub(crate) fn open(robot: &mut Robot, width_m: f64) -> Result<(), Failure> {
    if (robot.observe()?.gripper.width_m - width_m).abs() < 1e-6 {
        return Ok(());
    }
    let report = robot.open_to(width_m)?;
    if report.end == GripperEnd::Reached {
        return Ok(());
    }
    let got_m = report.after.gripper.width_m;
    let text = format!("the fingers stopped at {got_m:.4} m on the way to {width_m:.4} m");
    Err(Failure::new(Reason::TrackingError, text).measured(
        "finger_width",
        got_m,
        Some(width_m),
        "m",
    ))
}

#[cfg(test)]
mod tests {
    use regrasp_testkit::{cuboid, percept};

    use super::*;

    fn thing(id: &str, x: f64, z: f64) -> PerceivedObject {
        regrasp_testkit::thing(id, id, cuboid([0.05; 3]), [x, 0.0, z])
    }

    #[test]
    fn what_stands_against_its_neighbour_may_be_lifted() {
        // A bowl a millimetre beside a plate was gripped, and then there was no free path up.
        let (bowl, table) = (thing("bowl", 0.0, 0.05), thing("table", 0.0, -0.05));
        let percept = percept(vec![
            bowl.clone(),
            table,
            thing("plate", 0.1005, 0.05),
            thing("mug", -0.11, 0.05),
        ]);
        let scene = touching_all_near(PlanningScene::default(), &bowl, &percept);
        let may_touch = |id: &str| scene.may_touch.contains(&ObjectId::new(id));
        assert_eq!(
            ["bowl", "table", "plate", "mug"].map(may_touch),
            [true, true, true, false]
        );
    }
}
