//! State of a pick: verification of the object in the hand, and recovery if it is not held.

use std::f64::consts::SQRT_2;

use regrasp_api::{
    Failure, Held, MotionGoal, ObjectId, PerceivedObject, Percept, Pose, Reason, Success,
};
use regrasp_relations::{grip_lost_above, grip_lost_below};
use regrasp_robot::{Result, Robot};

use crate::bodies::body_of;
use crate::grasp::Hand;
use crate::hold::{SLIP_M, back_off, touching_all_near};
use crate::params::{DESCENT_SPEED, SEEN_EXACT_M};
use crate::poses::raised;
use crate::sight;

/// Displacement in the hand during the lift up to which an object counts as held firmly, m: ten
/// times the usual one.
const STEADY_M: f64 = 0.002;
/// Period for which an object that is not held firmly is observed, s.
const WATCH_SECS: f64 = 0.3;
/// Largest number of periods of observation: an object that hangs at an angle needs time to settle.
const N_WATCHES: usize = 4;
/// Displacement in one period up to which an object counts as at rest in the hand, m: an object
/// that slides a little faster is lost within a minute.
const CREEP_M: f64 = 0.0005;

/// State of a call of [`Pick`](crate::Pick).
#[derive(Clone, Debug)]
pub struct PickTask {
    pub(crate) target: PerceivedObject,
    pub(crate) mass_kg: Option<f64>,
    pub(crate) force_n: Option<f64>,
    pub(crate) lifted_m: f64,
}

impl PickTask {
    pub(crate) fn new(percept: &Percept, target: PerceivedObject) -> Self {
        Self {
            mass_kg: percept.known(&target.id).and_then(|known| known.mass_kg),
            force_n: None,
            target,
            lifted_m: 0.0,
        }
    }

    /// Rejects an object that is known to be heavier than the arm's payload.
    pub(super) fn check_payload(&self, most_kg: Option<f64>) -> Result<()> {
        let (Some(mass_kg), Some(most_kg)) = (self.mass_kg, most_kg) else {
            return Ok(());
        };
        if mass_kg <= most_kg {
            return Ok(());
        }
        let id = &self.target.id;
        let text =
            format!("{id} weighs {mass_kg:.2} kg, and the arm carries at most {most_kg:.2} kg");
        Err(Failure::new(Reason::NoGraspFound, text)
            .about([id.clone()])
            .measured("mass", mass_kg, Some(most_kg), "kg"))
    }
}

/// Returns a slipping object to where it was taken from, and releases it there. An object that has
/// left the hand already is not followed: closed fingers would press on it from above.
pub(crate) fn set_down(robot: &mut Robot, target: &PerceivedObject, world_from_tool: &Pose) {
    // A grasp that is given up must not be monitored.
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

/// Checks that the lifted object is in the hand and stays there, by vision and finger width.
pub(crate) fn verify_held(robot: &mut Robot, task: &PickTask) -> Result<Success> {
    let id = &task.target.id;
    let width_m = robot.observe()?.gripper.width_m;
    let Some(held) = robot.held.clone() else {
        let text = format!("{id} is not in the hand");
        return Err(Failure::new(Reason::GraspSlipped, text));
    };
    let (percept, seen) = sight::see_with(robot, id)?;
    let expected = robot.world_from_tool()? * held.tool_from_object;
    let slip_m = (seen.position() - expected.translation.vector).norm();
    let rise_m = seen.position().z - task.target.position().z;
    let limit_m = SLIP_M + 3.0 * seen.position_std_m;
    let hand = robot.in_hand(&percept)?;
    let not_held = hand.not_held(id);
    if not_held.is_none() && slip_m <= limit_m && rise_m > 0.5 * task.lifted_m {
        if slip_m > STEADY_M + 3.0 * seen.position_std_m {
            stays(robot, task, &seen)?;
        }
        let text = format!("{id} is in the hand, {rise_m:.3} m above where it was");
        return Ok(Success::new(text)
            .about([id.clone()])
            .measured("lifted", rise_m, Some(0.5 * task.lifted_m), "m")
            .measured("slip", slip_m, Some(limit_m), "m"));
    }
    if width_m >= grip_lost_below(held.width_m) && slip_m > limit_m {
        check_target_held(robot, (id, held.width_m), width_m)?;
    }
    if robot.held.is_some() {
        let down = raised(&robot.world_from_tool()?, -task.lifted_m);
        set_down(robot, &task.target, &down);
    }
    let seen = not_held.map_or_else(String::new, |why| format!("; {why}"));
    let text = format!(
        "{id} slipped {slip_m:.4} m in the hand during the lift (limit {limit_m:.4} m); the \
         fingers closed to {width_m:.4} m{seen}"
    );
    Err(Failure::new(Reason::GraspSlipped, text)
        .about([id.clone()])
        .measured("slip", slip_m, Some(limit_m), "m"))
}

/// Checks that an object that moved in the hand comes to rest; otherwise lowers it before it falls.
fn stays(robot: &mut Robot, task: &PickTask, before: &PerceivedObject) -> Result<()> {
    let id = &task.target.id;
    let tool_from_first = robot.world_from_tool()?.inverse() * before.world_from_object;
    let mut place = tool_from_first.translation.vector;
    let (mut creep_m, mut limit_m) = (0.0, CREEP_M);
    for _ in 0..N_WATCHES {
        robot.wait(WATCH_SECS)?;
        let (seen, tool_from_object) = sight::see_in_hand(robot, id)?;
        let now = tool_from_object.translation.vector;
        (creep_m, place) = ((now - place).norm(), now);
        limit_m = CREEP_M + 3.0 * SQRT_2 * seen.position_std_m;
        if creep_m <= limit_m {
            if let Some(held) = robot.held.as_mut() {
                // The object's pose in the hand determines the pose in which it will stand.
                held.tool_from_object = tool_from_object;
            }
            return Ok(());
        }
        // The object may settle in the hand by up to this distance.
        if (now - tool_from_first.translation.vector).norm() > SLIP_M {
            break;
        }
    }
    let down = raised(&robot.world_from_tool()?, -task.lifted_m);
    set_down(robot, &task.target, &down);
    let text = format!(
        "{id} keeps sliding in the hand, {creep_m:.4} m within {WATCH_SECS} s (limit {limit_m:.4} \
         m)"
    );
    Err(Failure::new(Reason::GraspSlipped, text)
        .about([id.clone()])
        .measured("creep", creep_m, Some(limit_m), "m"))
}

#[derive(Clone, Debug, PartialEq)]
enum InFingers {
    Target,
    Other(PerceivedObject),
    Unknown,
}

/// Identifies the object between fingers that are `width_m` apart. The target counts as held if it
/// is seen there, or if no other object is and the width matches: a wall that turns between the
/// pads moves its object away from its earlier place.
fn in_fingers(
    hand: &Hand,
    percept: &Percept,
    world_from_tool: &Pose,
    (id, gripped_m): (&ObjectId, f64),
    width_m: f64,
) -> InFingers {
    /// Largest distance of an object in the hand from the tool point, m.
    const IN_HAND_M: f64 = 0.05;
    let is_between = |object: &PerceivedObject| {
        let body = body_of(object);
        body.is_some_and(|body| hand.is_around(&body, world_from_tool, width_m, SEEN_EXACT_M))
    };
    if percept.object(id).is_some_and(is_between) {
        return InFingers::Target;
    }
    let fits = (grip_lost_below(gripped_m)..=grip_lost_above(gripped_m)).contains(&width_m);
    let off_m = |o: &PerceivedObject| (o.position() - world_from_tool.translation.vector).norm();
    let others = percept.objects.iter().filter(|o| o.movable && &o.id != id);
    let near = others.filter(|o| off_m(o) < IN_HAND_M && (!fits || is_between(o)));
    match near.min_by(|a, b| off_m(a).total_cmp(&off_m(b))) {
        Some(other) => InFingers::Other(other.clone()),
        None if fits => InFingers::Target,
        None => InFingers::Unknown,
    }
}

/// Fails if the fingers hold anything but the target, which is `gripped_m` wide at the grasp.
/// Another object stays in the hand; an unidentified one is released, if the target is seen.
pub(crate) fn check_target_held(
    robot: &mut Robot,
    (id, gripped_m): (&ObjectId, f64),
    width_m: f64,
) -> Result<()> {
    let world_from_tool = robot.world_from_tool()?;
    let percept = robot.perceive().unwrap_or_default();
    let hand = Hand::new(&robot.info.gripper);
    let target = (id, gripped_m);
    let other = match in_fingers(&hand, &percept, &world_from_tool, target, width_m) {
        InFingers::Target => return Ok(()),
        InFingers::Other(object) => Some(object),
        InFingers::Unknown => None,
    };
    let other_id = other.as_ref().map(|o| o.id.clone());
    let what = other_id
        .as_ref()
        .map_or("an unknown object", |id| id.as_str());
    let text = format!("the hand holds {what} ({width_m:.4} m wide) instead of {id}");
    let failure = Failure::new(Reason::WrongObjectGrasped, text).about(other_id);
    robot.held = other.map(|object| {
        let tool_from_object = world_from_tool.inverse() * object.world_from_object;
        Held::of(&object, tool_from_object, width_m)
    });
    if robot.held.is_none()
        && let Some(target) = percept.object(id)
    {
        back_off(robot, target);
    }
    Err(failure)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use nalgebra::{UnitQuaternion, Vector3};
    use regrasp_testkit::{cuboid, percept, thing};

    use super::*;
    use crate::grasp::tests::gripper;

    #[test]
    fn a_wall_that_turned_between_the_pads_is_what_was_gripped() {
        // The rim of a bowl is 3.5 mm wide when grasped, and 5.4 mm after it turned in the hand.
        let plate = |id: &str, x: f64| thing(id, "", cuboid([0.06, 0.06, 0.002]), [x, 0.0, 0.2]);
        let down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
        let tool = Pose::from_parts(Vector3::new(0.0, 0.0, 0.2).into(), down);
        let hand = Hand::new(&gripper());
        let held = |objects: Vec<PerceivedObject>, width_m: f64| {
            let target = (&ObjectId::new("bowl"), 0.0035);
            in_fingers(&hand, &percept(objects), &tool, target, width_m)
        };
        let away = || plate("bowl", 0.1);
        assert_eq!(held(vec![away()], 0.0054), InFingers::Target);
        assert_eq!(held(vec![away()], 0.02), InFingers::Unknown);
        let beside = thing("cube", "", cuboid([0.01; 3]), [0.04, 0.0, 0.2]);
        assert_eq!(held(vec![away(), beside], 0.0054), InFingers::Target);
        let turned = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), FRAC_PI_2);
        let between = PerceivedObject {
            world_from_object: Pose::from_parts(Vector3::new(0.0, 0.0, 0.19).into(), turned),
            ..plate("cube", 0.0)
        };
        let found = held(vec![away(), between.clone()], 0.0054);
        assert_eq!(found, InFingers::Other(between));
    }
}
