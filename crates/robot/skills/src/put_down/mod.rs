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
use crate::spot::{Rest, Spot, is_level};
use enter::{enter, way_in};
use let_fall::Above;
use ways::{Poses, Ways, all_poses};
use work::{DESCENT_SPEED, approaches, has_landed};

pub(crate) use verify::verify_placed;
pub use work::PlaceWork;
pub(crate) use work::{any_of, work};

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
    if !work.ways_back.is_empty() {
        match (
            enter(robot, &percept, work, &conditions),
            work.instead.take(),
        ) {
            (Err(failure), Some(instead)) if failure.phase == Some(Phase::Plan) => {
                let held = work.held.clone();
                *work = *instead;
                work.take_as(held);
            }
            (outcome, _) => return outcome,
        }
    }
    let hand = Hand::new(&robot.info.gripper);
    let poses = Poses::new(&hand, percept.object(&work.support), work);
    let above = match work.rest {
        Rest::Laid => None,
        _ => Above::new(&hand, &work.held, &free, &work.support),
    };
    let ways = Ways::new(work, poses, above.as_ref());
    let (planned, falls) = ways.first_possible(robot, conditions)?;
    let (poses, approaches) = if falls { ways.falling } else { ways.lowered };
    if falls {
        work.rest = Rest::Heaped;
    }
    robot.follow(&planned.travel)?;
    work.world_from_object = poses[planned.idx];
    robot.begin("lower");
    let down = MotionGoal::Line(approaches[planned.idx].world_from_tool);
    match robot.go(down, &touching, DESCENT_SPEED) {
        Err(failure) if has_landed(robot, work, &failure) => Ok(()),
        outcome => outcome.map(drop),
    }
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
    let work = work(held.clone(), spot.clone());
    let Some(above) = Above::new(hand, held, scene, &spot.support) else {
        return vec![];
    };
    let poses = all_poses(&work);
    match poses.iter().any(|pose| above.has_room(pose)) {
        true => vec![],
        false => approaches(&work, &above.over(&poses)),
    }
}

/// The ways of the tool that put it down there, one for each turn of it.
pub(crate) fn ways(held: &Held, spot: &Spot) -> Vec<Approach> {
    if spot.way_back.is_some() {
        return vec![way_in(held, spot)];
    }
    let work = work(held.clone(), spot.clone());
    approaches(&work, &all_poses(&work))
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
    match work.ways_back.first() {
        Some(way) if is_level(way) => leave_along(robot, &scene, *way, DESCENT_SPEED),
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
    if failure.reason != Reason::PathBlocked || !failure.entities.contains(&work.support) {
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
        let mut pairs = placed
            .fingers
            .iter()
            .flat_map(|f| others.iter().map(move |o| (f, o)));
        pairs.all(|(finger, other)| finger.gap_m(other, RELEASE_ROOM_M).is_none())
    };
    let [.., least_m] = widths;
    Ok(widths.into_iter().find(fits).unwrap_or(least_m))
}
