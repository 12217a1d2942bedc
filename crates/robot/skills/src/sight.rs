//! Perception with retries, and checks of objects and of the hand before a skill begins.

use regrasp_api::{
    Aabb, Failure, Held, ObjectId, PerceivedObject, Percept, Phase, PlanningScene, Pose, Reason,
};
use regrasp_relations::{InHand, grip_lost_below, is_inside, objects_on};
use regrasp_robot::{Result, Robot};

use crate::candidates::list;
use crate::params::LOOK_EVERY_SECS;

/// Number of looks before an object counts as missing: perception may miss it now and then.
const N_LOOKS: usize = 4;
/// Number of looks for an object seen a moment ago, which is more likely hidden than gone.
const N_LOOKS_AGAIN: usize = 12;

pub(crate) fn see_again(robot: &mut Robot, id: &ObjectId) -> Result<PerceivedObject> {
    see_with(robot, id).map(|(_, object)| object)
}

pub(crate) fn see_with(robot: &mut Robot, id: &ObjectId) -> Result<(Percept, PerceivedObject)> {
    look_for(robot, N_LOOKS_AGAIN, |_, percept| {
        percept.object(id).cloned().ok_or_else(|| {
            let text = format!("{id} is no longer seen, in {N_LOOKS_AGAIN} consecutive looks");
            Failure::new(Reason::ObjectNotFound, text)
                .in_phase(Phase::Perceive)
                .about([id.clone()])
        })
    })
}

pub(crate) fn see_in_hand(robot: &mut Robot, id: &ObjectId) -> Result<(PerceivedObject, Pose)> {
    let seen = see_again(robot, id)?;
    let tool_from_object = robot.world_from_tool()?.inverse() * seen.world_from_object;
    Ok((seen, tool_from_object))
}

pub(crate) fn scene(robot: &mut Robot) -> Result<PlanningScene> {
    let percept = robot.perceive()?;
    Ok(robot.planning_scene(&percept))
}

/// Finds the object that a phrase names, looking again while nothing matches.
pub(crate) fn find(robot: &mut Robot, phrase: &str) -> Result<(Percept, PerceivedObject)> {
    look_for(robot, N_LOOKS, |robot, percept| {
        robot.find(percept, phrase).cloned()
    })
}

fn look_for(
    robot: &mut Robot,
    n_looks: usize,
    find: impl Fn(&Robot, &Percept) -> Result<PerceivedObject>,
) -> Result<(Percept, PerceivedObject)> {
    let mut n_left = n_looks;
    loop {
        let percept = robot.perceive()?;
        n_left -= 1;
        match find(robot, &percept) {
            Ok(object) => return Ok((percept, object)),
            Err(failure) if failure.reason != Reason::ObjectNotFound || n_left == 0 => {
                return Err(failure);
            }
            Err(_) => robot.wait(LOOK_EVERY_SECS)?,
        };
    }
}

/// Checks that an object is in the workspace and that nothing lies on it. Its contents are allowed.
pub(crate) fn check_at_hand(
    robot: &Robot,
    percept: &Percept,
    object: &PerceivedObject,
) -> Result<()> {
    let id = &object.id;
    let p = object.position();
    let workspace = &robot.info.workspace;
    if !workspace.contains(&p.into()) {
        let Aabb { min, max } = workspace;
        let text = format!(
            "{id} is outside the workspace, at x={:.3} y={:.3} z={:.3} (World; the workspace \
             reaches from {min:.2?} to {max:.2?})",
            p.x, p.y, p.z
        );
        return Err(Failure::new(Reason::ObjectOutOfWorkspace, text).about([id.clone()]));
    }
    check_uncovered(percept, object, None)
}

/// Checks that nothing lies on an object except its contents and the held object.
pub(crate) fn check_uncovered(
    percept: &Percept,
    object: &PerceivedObject,
    held: Option<&ObjectId>,
) -> Result<()> {
    let covers = objects_on(percept, object).into_iter();
    let covers = covers.filter(|o| !is_inside(o, object) && Some(&o.id) != held);
    let covers: Vec<ObjectId> = covers.map(|o| o.id.clone()).collect();
    if covers.is_empty() {
        return Ok(());
    }
    let text = format!(
        "{} on top of {}; take it off first",
        list(&covers),
        object.id
    );
    Err(Failure::new(Reason::ObjectCovered, text).about(covers))
}

/// Checks that the hand is empty. Forgets an object that perception and fingers do not confirm.
pub(crate) fn check_free(robot: &mut Robot) -> Result<()> {
    let Some(held) = robot.held.clone() else {
        return Ok(());
    };
    let percept = robot.perceive()?;
    if let InHand::Lost { .. } = robot.in_hand(&percept)? {
        return Ok(());
    }
    let text = format!("the hand holds {}; put it down first", held.id);
    Err(Failure::new(Reason::GripperOccupied, text).about([held.id]))
}

/// Replaces a failure by its explanation, which takes over its phase, moment and measurements.
pub(crate) fn explained_by(explanation: Failure, failure: Failure) -> Failure {
    let mut measured = explanation.measured;
    measured.extend(failure.measured);
    Failure {
        measured,
        moment: failure.moment,
        phase: failure.phase,
        ..explanation
    }
}

/// Returns the held object, confirmed by the fingers, and the object that a phrase names as target.
/// If both are the same, fails with `never` in the message.
pub(crate) fn held_and_target(
    robot: &mut Robot,
    phrase: &str,
    never: &str,
) -> Result<(Held, Percept, PerceivedObject)> {
    let held = held(robot)?;
    let (percept, target) = find(robot, phrase)?;
    if target.id == held.id {
        let text = format!("argument `target`: {} {never} itself", held.id);
        return Err(Failure::new(Reason::BadArguments, text).about([held.id]));
    }
    Ok((held, percept, target))
}

/// Returns the held object, confirmed by the fingers.
///
/// If the fingers have closed too far to hold it, forgets the object and fails with
/// `gripper_empty`.
pub(crate) fn held(robot: &mut Robot) -> Result<Held> {
    let Some(held) = robot.held.clone() else {
        let text = "the hand is empty; pick an object first";
        return Err(Failure::new(Reason::GripperEmpty, text));
    };
    let width_m = robot.observe()?.gripper.width_m;
    let least_m = grip_lost_below(held.width_m);
    if width_m >= least_m {
        return Ok(held);
    }
    robot.held = None;
    let text = format!(
        "{} is no longer in the hand (fingers closed to {width_m:.4} m, it is {:.4} m wide)",
        held.id, held.width_m
    );
    Err(Failure::new(Reason::GripperEmpty, text)
        .about([held.id])
        .measured("finger_width", width_m, Some(least_m), "m"))
}
