//! Carrying what is held to its place, letting go of it there, and looking whether it
//! stays.

mod let_fall;
mod verify;
mod ways;
mod work;

use regrasp_api::{Failure, Held, MotionGoal, Percept, Phase, PlanningScene, Pose, Reason};
use regrasp_robot::Robot;

use crate::bodies::bodies;
use crate::candidates::{
    Approach, ApproachConditions, PlannedApproach, first_possible, is_roundabout,
};
use crate::grasp::Hand;
use crate::hold::{carry_speed, despite_shifts, ease, leave, leave_along};
use crate::poses::raised;
use crate::release::{RELEASE_GAP_M, RELEASE_OPENINGS_M, RELEASE_ROOM_M};
use crate::sight;
use crate::spot::Spot;
use ways::{by_kind, way_in};
use work::{DESCENT_SPEED, has_landed};

pub(crate) use verify::verify_placed;
pub(crate) use ways::{ways, ways_to_let_fall};
pub use work::PlaceWork;
pub(crate) use work::any_of;

/// Part of the usual speed on a way that is roundabout: it swings the hand over, and what is
/// held could turn in it.
const ROUNDABOUT_SPEED: f64 = 0.5;
/// Fingers that are further apart than this beyond the object do not hold it any more, m: more than
/// their encoders may be off.
const LOOSE_M: f64 = 0.0003;

/// Carries what is held to its spot and lets go of it.
pub(crate) fn put_down(robot: &mut Robot, work: &mut PlaceWork) -> Result<(), Failure> {
    despite_shifts(robot, |robot| {
        if let Some(held) = &robot.held {
            work.held = held.clone();
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
    let hand = Hand::new(&robot.info.gripper);
    let mut why = no_room(work);
    for spots in by_kind(&hand, &percept, &free, &work.held, &work.spots) {
        if spots.is_empty() {
            continue;
        }
        let ways: Vec<Approach> = spots.iter().map(|s| way_in(&work.held, s)).collect();
        match first_in_its_time(robot, &ways, &conditions) {
            Ok(planned) => {
                robot.follow(&planned.travel)?;
                work.spots = vec![spots[planned.idx].clone()];
                return lower(robot, work, &ways[planned.idx], &touching);
            }
            Err(failure) if failure.phase == Some(Phase::Plan) => why = failure,
            Err(failure) => return Err(failure),
        }
    }
    Err(why)
}

/// The first way that is possible; slowly if it is roundabout.
fn first_in_its_time(
    robot: &mut Robot,
    ways: &[Approach],
    conditions: &ApproachConditions<'_>,
) -> Result<PlannedApproach, Failure> {
    let planned = first_possible(robot, ways, conditions)?;
    if !is_roundabout(&*robot.motion, &planned.travel) {
        return Ok(planned);
    }
    let slower = ApproachConditions {
        speed_scale: ROUNDABOUT_SPEED * conditions.speed_scale,
        ..*conditions
    };
    first_possible(robot, ways, &slower)
}

/// Goes the straight way to where it lets go.
fn lower(
    robot: &mut Robot,
    work: &PlaceWork,
    way: &Approach,
    touching: &PlanningScene,
) -> Result<(), Failure> {
    let is_level = work.spot().is_from_side();
    robot.begin(if is_level { "enter" } else { "lower" });
    let there = MotionGoal::Line(way.world_from_tool);
    match robot.go(there, touching, DESCENT_SPEED) {
        Err(failure) if has_landed(robot, work, &failure) => Ok(()),
        outcome => outcome.map(drop),
    }
}

/// The hand, or a finger of it, would stand in something wherever it went.
fn no_room(work: &PlaceWork) -> Failure {
    let (id, support) = (&work.held.id, &work.spot().support);
    let text = format!("where {id} would stand on {support} the hand that holds it so has no room");
    Failure::new(Reason::GoalInCollision, text)
        .in_phase(Phase::Plan)
        .about([support.clone()])
}

/// Whether the arm could put something down there, obstacles aside, if it `reaches` the tool
/// poses that it does.
pub(crate) fn is_reachable(held: &Held, spot: &Spot, reaches: impl Fn(&Pose) -> bool) -> bool {
    ways(held, spot)
        .iter()
        .any(|way| reaches(&way.world_from_before) && reaches(&way.world_from_tool))
}

fn release(robot: &mut Robot, work: &PlaceWork) -> Result<(), Failure> {
    robot.begin("release");
    ease(robot);
    let percept = robot.perceive()?;
    let width_m = release_width(robot, &percept, work)?;
    open(robot, work, width_m)?;
    robot.held = None;
    robot.begin("retreat");
    let scene = work
        .touching(sight::scene(robot)?)
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
    let Err(failure) = robot.open_to(width_m) else {
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
    let scene = work
        .touching(sight::scene(robot)?)
        .touching(work.held.id.clone());
    let higher = raised(&robot.world_from_tool()?, RELEASE_GAP_M);
    robot.go(MotionGoal::Line(higher), &scene, DESCENT_SPEED)?;
    match robot.open_to(width_m) {
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
    let others: Vec<_> = bodies(percept, |o| o.id != work.held.id).collect();
    let widths = RELEASE_OPENINGS_M.map(|opening_m| (work.held.width_m + opening_m).min(max_m));
    let fits = |width_m: &f64| {
        let placed = hand.at(&world_from_tool, *width_m);
        // The hand is there already.
        let mut others = others.iter();
        others.all(|(_, other)| {
            let mut fingers = placed.fingers.iter();
            fingers.all(|finger| finger.gap_m(other, RELEASE_ROOM_M).is_none())
        })
    };
    let [.., least_m] = widths;
    Ok(widths.into_iter().find(fits).unwrap_or(least_m))
}
