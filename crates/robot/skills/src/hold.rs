//! Holding an object: speed limits, recovery from slips, and release.

use nalgebra::{Translation3, Vector3};
use regrasp_api::{
    Attachment, Failure, GripperEnd, Held, MotionGoal, ObjectId, PerceivedObject, Percept, Phase,
    PlanningScene, Pose, Reason,
};
use regrasp_relations::{grip_lost_below, is_supported_by};
use regrasp_robot::{Result, Robot};

use crate::bodies::near;
use crate::grasp::{is_from_side, retreat};
use crate::params::{BACK_M, DESCENT_SPEED, N_SHIFTS, OBJECT_ROOM_M, SWINGING_SPEED};
use crate::sight;

/// Largest displacement of an object that counts as held, m: in World while the fingers close, and
/// in the hand after that.
pub(crate) const SLIP_M: f64 = 0.02;

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

pub(crate) fn attachment(held: &Held) -> Attachment {
    Attachment {
        id: held.id.clone(),
        shape: held.shape.clone(),
        tool_from_object: held.tool_from_object,
    }
}

/// Failure for fingers that closed to `width_m` without holding an object of width `wide_m`.
pub(crate) fn missed(id: &ObjectId, what: &str, wide_m: f64, width_m: f64) -> Failure {
    let text = format!(
        "the fingers stopped at {width_m:.4} m without holding {what} ({wide_m:.4} m wide)"
    );
    let least_m = Some(grip_lost_below(wide_m));
    Failure::new(Reason::GraspMissed, text)
        .about([id.clone()])
        .measured("finger_width", width_m, least_m, "m")
}

/// Speed fraction for the current grasp. An object that is held from the side is carried slowly: it
/// can swing about the closing direction and hit the palm.
pub(crate) fn carry_speed(robot: &mut Robot) -> Result<f64> {
    let from_side = robot.held.is_some() && is_from_side(&robot.world_from_tool()?);
    let part = if from_side { SWINGING_SPEED } else { 1.0 };
    Ok(part * robot.usual_speed())
}

/// Moves the held object, and continues from where it stopped if the object has only shifted in the
/// hand. `motion` plans again each time with the updated grasp.
pub(crate) fn despite_shifts(
    robot: &mut Robot,
    mut motion: impl FnMut(&mut Robot) -> Result<()>,
) -> Result<()> {
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

/// Returns true if the object only shifted in the hand since `at_first`; then updates the grasp.
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

/// Closes with the gripper's full force if the held object slipped. Returns the failure, with the
/// reason `object_dropped` if the object is lost all the same.
pub(crate) fn tighten(robot: &mut Robot, failure: Failure) -> Failure {
    if failure.reason == Reason::GraspSlipped && robot.held.is_some() {
        let force_n = robot.info.gripper.max_force_n;
        let _ = robot.close_with(force_n);
        // Light, round objects may be squeezed out by the larger force.
        if let Err(lost) = sight::held(robot) {
            let text = format!(
                "{}; a grip of {force_n:.0} N did not hold it either: {}",
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

/// Reduces the grip force to the usual one. Fingers that are released under a larger force spring
/// open, which looks as if an obstacle held them.
pub(crate) fn ease(robot: &mut Robot) {
    let force_n = robot.info.gripper.default_force_n;
    let felt = robot.observe();
    if !felt.is_ok_and(|now| now.gripper.grip_force_n <= 1.05 * force_n) {
        // If this fails, the opening of the fingers reports it.
        let _ = robot.close_with(force_n);
    }
}

/// Opens the fingers to `width_m`, or as far as they go, and forgets the held object.
pub(crate) fn let_go(robot: &mut Robot, width_m: f64) -> Result<()> {
    ease(robot);
    robot.open_to(width_m.min(robot.info.gripper.max_width_m))?;
    robot.held = None;
    Ok(())
}

/// Returns true if an optional motion was made, and false if none could be planned: the next motion
/// plans from the current state.
pub(crate) fn if_possible<T>(outcome: Result<T>) -> Result<bool> {
    match is_unplanned(&outcome) {
        true => Ok(false),
        false => outcome.map(|_| true),
    }
}

/// Returns true if no motion could be planned, so that none has begun.
pub(crate) fn is_unplanned<T>(outcome: &Result<T>) -> bool {
    matches!(outcome, Err(failure) if failure.phase == Some(Phase::Plan))
}

/// Makes the first of several motions that can be planned. `options` is not empty.
pub(crate) fn first_planned<O>(
    options: impl IntoIterator<Item = O>,
    mut motion: impl FnMut(O) -> Result<()>,
) -> Result<()> {
    let mut outcome = Ok(());
    for option in options {
        outcome = motion(option);
        if !is_unplanned(&outcome) {
            break;
        }
    }
    outcome
}

/// Largest number of times that a motion is planned again without the obstacles at its start.
const MAX_LEANT_ON: usize = 3;

/// Makes a motion that may begin in contact, real or only perceived. Objects in contact at its
/// start are not obstacles.
pub(crate) fn out_of_contact<T>(
    robot: &mut Robot,
    scene: &PlanningScene,
    motion: impl Fn(&mut Robot, &PlanningScene) -> Result<T>,
) -> Result<T> {
    let mut scene = scene.clone();
    let mut outcome = motion(robot, &scene);
    for _ in 0..MAX_LEANT_ON {
        match &outcome {
            Err(f) if f.reason == Reason::StartInCollision => {
                scene.obstacles.retain(|o| !f.entities.contains(&o.id));
                outcome = motion(robot, &scene);
            }
            _ => break,
        }
    }
    outcome
}

/// Retreats in a straight line from a released object, less far if the arm cannot go all the way.
pub(crate) fn leave(robot: &mut Robot, scene: &PlanningScene) -> Result<()> {
    let from = robot.world_from_tool()?;
    let away = retreat(&from).translation.vector - from.translation.vector;
    leave_along(robot, scene, away)
}

/// Retreats along a displacement in World, m, or half as far, and so on, by at least [`BACK_M`].
pub(crate) fn leave_along(
    robot: &mut Robot,
    scene: &PlanningScene,
    away: Vector3<f64>,
) -> Result<()> {
    let from = robot.world_from_tool()?;
    let half = |away: &Vector3<f64>| Some(0.5 * away).filter(|half| half.norm() >= BACK_M);
    first_planned(std::iter::successors(Some(away), half), |away| {
        let line = MotionGoal::Line(Translation3::from(away) * from);
        out_of_contact(robot, scene, |robot, scene| {
            robot.go(line.clone(), scene, DESCENT_SPEED).map(drop)
        })
    })
}

/// Opens the hand and retreats along its approach. If the opening fails, repeats it afterwards.
/// Failures are not reported: the caller has the cause, and the next skill plans from what it sees.
pub(crate) fn back_off(robot: &mut Robot, target: &PerceivedObject) {
    let width_m = robot.info.gripper.max_width_m;
    robot.held = None;
    ease(robot);
    let is_open = robot.open_to(width_m).is_ok();
    let Ok(percept) = robot.perceive() else {
        return;
    };
    let scene = touching_all_near(robot.planning_scene(&percept), target, &percept);
    let _ = leave(robot, &scene);
    if !is_open {
        let _ = robot.open_to(width_m);
    }
}

/// Allows contact with the target, its supports and the objects near it: all are in contact, or
/// nearly so, when the hand lifts the target or leaves it.
pub(crate) fn touching_all_near(
    scene: PlanningScene,
    target: &PerceivedObject,
    percept: &Percept,
) -> PlanningScene {
    let others = percept.objects.iter().filter(|o| o.id != target.id);
    let supports = others.filter(|other| is_supported_by(target, other));
    let mut scene = scene.touching(target.id.clone());
    scene.may_touch.extend(supports.map(|o| o.id.clone()));
    scene.may_touch.extend(near(percept, target, OBJECT_ROOM_M));
    scene
}

/// Height by which an object can rise before its top meets something that it may touch, such as the
/// upper board of the shelf that carries it, m.
pub(crate) fn headroom_m(
    scene: &PlanningScene,
    percept: &Percept,
    object: &PerceivedObject,
) -> f64 {
    const PART: f64 = 0.7;
    let bounds = object.aabb_in_world();
    let (middle, half) = (bounds.center(), 0.5 * bounds.size());
    let others = percept.objects.iter().filter(|o| o.id != object.id);
    let others = others.filter(|o| scene.may_touch.contains(&o.id));
    let rises = others.flat_map(|other| {
        let other_from_world = other.world_from_object.inverse();
        let corners = [
            [0.0, 0.0],
            [PART, PART],
            [PART, -PART],
            [-PART, PART],
            [-PART, -PART],
        ];
        corners.into_iter().filter_map(move |[x, y]| {
            let from = middle + Vector3::new(x * half.x, y * half.y, half.z);
            let up = other_from_world * Vector3::z();
            other.shape.ahead(&(other_from_world * from), &up)
        })
    });
    let rises = rises.map(|[enters_m, _]| enters_m).filter(|m| *m > 0.0);
    rises.fold(f64::INFINITY, f64::min)
}

pub(crate) fn open(robot: &mut Robot, width_m: f64) -> Result<()> {
    if (robot.observe()?.gripper.width_m - width_m).abs() < 1e-6 {
        return Ok(());
    }
    let report = robot.open_to(width_m)?;
    if report.end == GripperEnd::Reached {
        return Ok(());
    }
    let got_m = report.after.gripper.width_m;
    let text = format!("the fingers stopped at {got_m:.4} m on the way to {width_m:.4} m");
    let failure = Failure::new(Reason::TrackingError, text);
    Err(failure.measured("finger_width", got_m, Some(width_m), "m"))
}

#[cfg(test)]
mod tests {
    use regrasp_api::Shape;
    use regrasp_testkit::{cuboid, percept};

    use super::*;

    fn thing(id: &str, x: f64, z: f64) -> PerceivedObject {
        regrasp_testkit::thing(id, id, cuboid([0.05; 3]), [x, 0.0, z])
    }

    #[test]
    fn what_stands_against_its_neighbour_may_be_lifted() {
        // The bowl stands half a millimetre beside the plate, too close for a free path up.
        let (bowl, table) = (thing("bowl", 0.0, 0.05), thing("table", 0.0, -0.05));
        let others = [thing("plate", 0.1005, 0.05), thing("mug", -0.11, 0.05)];
        let percept = percept([bowl.clone(), table].into_iter().chain(others).collect());
        let scene = touching_all_near(PlanningScene::default(), &bowl, &percept);
        let may_touch = |id: &str| scene.may_touch.contains(&ObjectId::new(id));
        let touched = ["bowl", "table", "plate", "mug"].map(may_touch);
        assert_eq!(touched, [true, true, true, false]);
    }

    #[test]
    fn an_object_rises_to_the_upper_board_of_its_shelf() {
        let board = |z: f64| regrasp_api::solids::boxed([0.0, 0.0, z], [0.2, 0.2, 0.01], 0.0);
        let parts = vec![board(-0.06), board(0.15)];
        let shelf = regrasp_testkit::fixed("shelf", "shelf", Shape::Compound { parts }, [0.0; 3]);
        let can = thing("can", 0.05, 0.0);
        let scene = PlanningScene::default().touching(shelf.id.clone());
        let rise_m = headroom_m(&scene, &percept(vec![can.clone(), shelf]), &can);
        regrasp_testkit::near("rise, m", rise_m, 0.09, 1e-9);
    }
}
