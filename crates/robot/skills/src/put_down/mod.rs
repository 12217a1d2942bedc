//! Carrying what is held to its place, letting go of it there, and looking whether it
//! stays.

mod enter;
mod let_fall;
mod verify;
mod ways;
mod work;

use regrasp_api::{
    Failure, GripperCommand, Held, MotionGoal, Percept, Phase, PlanningScene, Pose, Reason,
};
use regrasp_motion::Body;
use regrasp_robot::Robot;

use crate::candidates::{Approach, ApproachConditions};
use crate::grasp::Hand;
use crate::hold::{carry_speed, despite_shifts, ease, leave, leave_along};
use crate::poses::raised;
use crate::release::{RELEASE_GAP_M, RELEASE_OPENINGS_M, RELEASE_ROOM_M};
use crate::spot::{Rest, Spot};
use enter::{enter, lower, way_in};
use let_fall::Above;
use ways::{Ways, turns_of};
use work::{DESCENT_SPEED, approaches};

pub(crate) use verify::verify_placed;
pub use work::PlaceWork;
pub(crate) use work::any_of;

/// Fingers that are further apart than this beyond the object do not hold it any more, m: more than
/// their encoders may be off.
const LOOSE_M: f64 = 0.0003;

/// Carries what is held to its spot and lets go of it.
pub(crate) fn put_down(robot: &mut Robot, work: &mut PlaceWork) -> Result<(), Failure> {
    despite_shifts(robot, |robot| {
        if let Some(held) = &robot.held {
            work.take_as(held.clone());
        }
        bring(robot, work)
    })?;
    release(robot, work)
}

/// Carries what is held to just above its spot.
fn bring(robot: &mut Robot, work: &mut PlaceWork) -> Result<(), Failure> {
    robot.begin("transport");
    let percept = robot.perceive()?;
    let free = robot.planning_scene(&percept);
    let touching = work.touching(free.clone());
    let conditions = ApproachConditions {
        travel_scene: &free,
        line_scene: &touching,
        gripper_width_m: robot.observe()?.gripper.width_m,
        speed_scale: carry_speed(robot)?,
    };
    let spots = std::mem::take(&mut work.spots);
    let (aslant, straight): (Vec<Spot>, Vec<Spot>) =
        spots.into_iter().partition(|spot| spot.way_back.is_some());
    if !aslant.is_empty() {
        work.spots.clone_from(&aslant);
        let outcome = enter(robot, &percept, work, aslant, &conditions);
        let is_planned = !matches!(&outcome, Err(f) if f.phase == Some(Phase::Plan));
        if is_planned || straight.is_empty() {
            return outcome;
        }
    }
    work.spots = straight;
    let hand = Hand::new(&robot.info.gripper);
    let support = &work.spot().support;
    let above = Above::new(&hand, &work.held, &free, support);
    let above = above.filter(|_| work.spot().rest != Rest::Laid);
    let ways = Ways::new(&hand, percept.object(support), work, above.as_ref());
    let (planned, falls) = ways.first_possible(robot, &work.spot().support, &conditions)?;
    let (poses, approaches) = if falls { &ways.falling } else { &ways.lowered };
    robot.follow(&planned.travel)?;
    let spot = work.spot().clone();
    work.spots = vec![Spot {
        world_from_object: poses[planned.idx],
        rest: if falls { Rest::Heaped } else { spot.rest },
        ..spot
    }];
    lower(robot, work, "lower", &approaches[planned.idx], &conditions)
}

/// Whether the arm could put something down there, obstacles aside, if it `reaches` the tool
/// poses that it does.
pub(crate) fn is_reachable(held: &Held, spot: &Spot, reaches: impl Fn(&Pose) -> bool) -> bool {
    ways(held, spot)
        .iter()
        .any(|way| reaches(&way.world_from_before) && reaches(&way.world_from_tool))
}

/// The ways of the tool to where it can be let fall there, as far as it has to be: none if the
/// hand gets down to where it would stand.
pub(crate) fn ways_to_let_fall(
    hand: &Hand,
    held: &Held,
    scene: &PlanningScene,
    spot: &Spot,
) -> Vec<Approach> {
    let Some(above) = Above::new(hand, held, scene, &spot.support) else {
        return vec![];
    };
    let poses = turns_of(spot);
    match poses.iter().any(|pose| above.has_room(pose)) {
        true => vec![],
        false => approaches(held, &above.over(&poses)),
    }
}

/// The ways of the tool that put it down there, one for each turn of it.
pub(crate) fn ways(held: &Held, spot: &Spot) -> Vec<Approach> {
    match spot.way_back {
        Some(_) => vec![way_in(held, spot)],
        None => approaches(held, &turns_of(spot)),
    }
}

fn release(robot: &mut Robot, work: &PlaceWork) -> Result<(), Failure> {
    robot.begin("release");
    ease(robot);
    let percept = robot.perceive()?;
    let width_m = release_width(robot, &percept, work)?;
    open(robot, work, width_m)?;
    robot.held = None;
    robot.begin("retreat");
    let percept = robot.perceive()?;
    let scene = work
        .touching(robot.planning_scene(&percept))
        .touching(work.held.id.clone());
    match work.spot().way_back {
        Some(way) if work.spot().is_from_side() => leave_along(robot, &scene, way, DESCENT_SPEED),
        _ => leave(robot, &scene, DESCENT_SPEED),
    }
}

/// Opens the fingers. A wall may stop one of them when both have let go already: that is enough.
/// What was carried may have shifted up in the hand, so that the fingertips press on what it should
/// stand on, and do not get apart: then they open a little higher.
fn open(robot: &mut Robot, work: &PlaceWork, width_m: f64) -> Result<(), Failure> {
    let command = GripperCommand::MoveTo {
        width_m,
        speed_m_per_s: robot.info.gripper.default_speed_m_per_s,
    };
    let Err(failure) = robot.grip(command) else {
        return Ok(());
    };
    if failure.reason != Reason::PathBlocked || !failure.entities.contains(&work.spot().support) {
        return Err(failure);
    }
    // Either way it is loose in the hand, and stands or falls by no more than that.
    robot.held = None;
    if is_loose(robot, work)? {
        return Ok(());
    }
    let percept = robot.perceive()?;
    let scene = work
        .touching(robot.planning_scene(&percept))
        .touching(work.held.id.clone());
    let higher = raised(&robot.world_from_tool()?, RELEASE_GAP_M);
    robot.go(MotionGoal::Line(higher), &scene, DESCENT_SPEED)?;
    match robot.grip(command) {
        Err(failure) if failure.reason != Reason::PathBlocked || !is_loose(robot, work)? => {
            Err(failure)
        }
        _ => Ok(()),
    }
}

/// Whether the fingers are so far apart that they cannot hold it any more.
fn is_loose(robot: &mut Robot, work: &PlaceWork) -> Result<bool, Failure> {
    let width_m = robot.observe()?.gripper.width_m;
    Ok(width_m > work.held.width_m + LOOSE_M)
}

/// How far the fingers open to let go.
fn release_width(robot: &mut Robot, percept: &Percept, work: &PlaceWork) -> Result<f64, Failure> {
    let gripper = &robot.info.gripper;
    let max_m = gripper.max_width_m;
    let hand = Hand::new(gripper);
    let world_from_tool = robot.world_from_tool()?;
    let others = percept.objects.iter().filter(|o| o.id != work.held.id);
    let others: Vec<_> = others
        .filter_map(|o| Body::new(&o.shape, &o.world_from_object))
        .collect();
    let widths = RELEASE_OPENINGS_M.map(|opening_m| (work.held.width_m + opening_m).min(max_m));
    let fits = |width_m: &f64| {
        let placed = hand.at(&world_from_tool, *width_m);
        // The hand is there already.
        let mut others = others.iter();
        others.all(|other| {
            let mut fingers = placed.fingers.iter();
            fingers.all(|finger| finger.gap_m(other, RELEASE_ROOM_M).is_none())
        })
    };
    let [.., least_m] = widths;
    Ok(widths.into_iter().find(fits).unwrap_or(least_m))
}
