//! Transport of the held object to its place, release, and verification.

mod approaches;
mod task;

use regrasp_api::{
    Failure, Held, MotionGoal, ObjectId, Percept, Phase, PlanningScene, Pose, Reason,
};
use regrasp_motion::Body;
use regrasp_robot::{Result, Robot};

use crate::arm::{Approach, PlannedApproach, TravelAndLine, along, first_possible, is_roundabout};
use crate::bodies::{bodies_around, keep_off};
use crate::candidates::list;
use crate::grasp::Hand;
use crate::hold::{carry_speed, despite_shifts, ease, is_unplanned, leave, leave_along};
use crate::params::{
    DESCENT_SPEED, OPEN_ROOM_M, RELEASE_GAP_M, RELEASE_OPENINGS_M, SWINGING_SPEED,
};
use crate::placement::Placement;
use crate::poses::raised;
use crate::sight;
use approaches::retreat;
use task::has_landed;

pub(crate) use approaches::{approach_to, approaches, by_kind};
pub use task::PlaceTask;
pub(crate) use task::{any_of, verify_close, verify_placed};

/// Finger distance beyond the object's width that releases it, m: more than the encoders' error.
const LOOSE_M: f64 = 0.0003;

/// Distance from obstacles at which an object is carried slowly, m: the lag at full speed.
const CLOSE_M: f64 = 0.005;
/// Number of points of a travel at which the distance is checked: every 2 cm if it is 1 m long.
const N_LOOKS: usize = 50;

pub(crate) fn put_down(robot: &mut Robot, task: &mut PlaceTask) -> Result<()> {
    despite_shifts(robot, |robot| {
        if let Some(held) = &robot.held {
            task.held = held.clone();
        }
        carry(robot, task)
    })?;
    release(robot, task)
}

fn carry(robot: &mut Robot, task: &mut PlaceTask) -> Result<()> {
    robot.begin("transport");
    let percept = robot.perceive()?;
    let free = robot.planning_scene(&percept);
    let touching = task.touching(free.clone());
    let hand = Hand::new(&robot.info.gripper);
    let mut why = None;
    for placements in by_kind(&hand, &free, &task.held, &task.placements) {
        if placements.is_empty() {
            continue;
        }
        let to = |placement| approach_to(&task.held, placement);
        let approaches: Vec<Approach> = placements.iter().map(to).collect();
        match first_in_its_time(robot, &approaches, [&free, &touching], (&hand, &percept)) {
            Ok((idx, travel)) => {
                robot.follow(&travel)?;
                task.placements = vec![placements[idx].clone()];
                let is_level = task.placement().is_from_side();
                robot.begin(if is_level { "enter" } else { "lower" });
                let there = MotionGoal::Line(approaches[idx].world_from_tool);
                return match robot.go(there, &touching, DESCENT_SPEED) {
                    Err(failure) if has_landed(robot, task, &failure) => Ok(()),
                    outcome => outcome.map(drop),
                };
            }
            Err(failure) if failure.phase == Some(Phase::Plan) => why = Some(failure),
            Err(failure) => return Err(failure),
        }
    }
    Err(why.unwrap_or_else(|| no_room(&hand, &percept, &free, task)))
}

/// Failure of a hand that has no room at any place. Names the loose objects without each of which
/// there would be room.
fn no_room(hand: &Hand, percept: &Percept, free: &PlanningScene, task: &PlaceTask) -> Failure {
    let (held, support) = (&task.held, &task.placement().support);
    let is_other = |id: &ObjectId| id != support && percept.is_loose(id);
    let blocks = |id: &&ObjectId| {
        let mut without = free.clone();
        without.obstacles.retain(|o| o.id != **id);
        let kinds = by_kind(hand, &without, held, &task.placements);
        kinds.iter().any(|placements| !placements.is_empty())
    };
    let others = free
        .obstacles
        .iter()
        .map(|o| &o.id)
        .filter(|id| is_other(id));
    let blockers: Vec<ObjectId> = others.filter(blocks).cloned().collect();
    let id = &held.id;
    let mut text = format!("the hand that holds {id} has no room at any place on {support}");
    if !blockers.is_empty() {
        text += &format!("; in the way: {}", list(&blockers));
    }
    Failure::new(Reason::GoalInCollision, text)
        .in_phase(Phase::Plan)
        .about([support.clone()].into_iter().chain(blockers))
}

/// Returns the first possible approach. Its travel is slow if it is roundabout, or passes so close
/// to an obstacle that the lag at full speed would cause contact.
fn first_in_its_time(
    robot: &mut Robot,
    approaches: &[Approach],
    scenes: TravelAndLine<'_>,
    (hand, percept): (&Hand, &Percept),
) -> Result<PlannedApproach> {
    let speed = carry_speed(robot)?;
    let (idx, travel) = first_possible(robot, approaches, scenes, speed)?;
    let world_from_base = robot.observe()?.world_from_base;
    let passes_close = |held: &Held| {
        let around = bodies_around(percept, &held.id);
        let mut poses = along(&*robot.motion, &travel, N_LOOKS);
        let body = Body::new(&held.shape, &Pose::identity());
        body.is_some_and(|body| {
            poses.any(|base_from_tool| {
                let world_from_tool = world_from_base * base_from_tool;
                let placed = [body.at(&(world_from_tool * held.tool_from_object))];
                let hand = hand.at(&world_from_tool, held.width_m);
                !keep_off(&placed, &around, CLOSE_M) || !hand.keeps_off(&around, CLOSE_M, CLOSE_M)
            })
        })
    };
    let is_close = robot.held.as_ref().is_some_and(passes_close);
    match is_roundabout(&*robot.motion, &travel) || is_close {
        true => first_possible(robot, approaches, scenes, SWINGING_SPEED * speed),
        false => Ok((idx, travel)),
    }
}

/// Returns true if the arm reaches both poses of an approach to the placement in any rotation.
pub(crate) fn is_reachable(
    held: &Held,
    placement: &Placement,
    reaches: impl Fn(&Pose) -> bool,
) -> bool {
    let approaches = approaches(held, placement);
    approaches.iter().any(|line| line.is_reachable(&reaches))
}

fn release(robot: &mut Robot, task: &PlaceTask) -> Result<()> {
    robot.begin("release");
    ease(robot);
    let percept = robot.perceive()?;
    let gripper = &robot.info.gripper;
    let (hand, max_m) = (Hand::new(gripper), gripper.max_width_m);
    let world_from_tool = robot.world_from_tool()?;
    let others = bodies_around(&percept, &task.held.id);
    let widths = RELEASE_OPENINGS_M.map(|opening_m| (task.held.width_m + opening_m).min(max_m));
    let fits = |width_m: &f64| {
        let fingers = hand.at(&world_from_tool, *width_m).fingers;
        keep_off(&fingers, &others, OPEN_ROOM_M)
    };
    let [.., least_m] = widths;
    open(
        robot,
        task,
        widths.into_iter().find(fits).unwrap_or(least_m),
    )?;
    robot.held = None;
    robot.begin("retreat");
    let scene = task.releasing(sight::scene(robot)?);
    let back = retreat(task.placement());
    if task.placement().is_from_side() {
        return leave_along(robot, &scene, back);
    }
    let left = leave(robot, &scene);
    if !is_unplanned(&left) {
        return left;
    }
    // If the hand cannot retreat along its axis, it retreats along its approach.
    let along = leave_along(robot, &scene, back);
    if is_unplanned(&along) { left } else { along }
}

/// Opens the fingers. If an obstacle stops one of them after both have released the object, that is
/// enough. If the object has shifted up in the hand, the fingertips press on the support and cannot
/// open; then they are raised slightly first.
fn open(robot: &mut Robot, task: &PlaceTask, width_m: f64) -> Result<()> {
    let is_stopped = |failure: &Failure| failure.reason == Reason::PathBlocked;
    let Err(failure) = robot.open_to(width_m) else {
        return Ok(());
    };
    if is_stopped(&failure) && is_loose(robot, task)? {
        return Ok(());
    }
    if !is_stopped(&failure) || !failure.entities.contains(&task.placement().support) {
        return Err(failure);
    }
    // The object is loose in the hand, and falls by at most the release height.
    robot.held = None;
    let scene = task.releasing(sight::scene(robot)?);
    let higher = raised(&robot.world_from_tool()?, RELEASE_GAP_M);
    robot.go(MotionGoal::Line(higher), &scene, DESCENT_SPEED)?;
    match robot.open_to(width_m) {
        Err(failure) if !is_stopped(&failure) || !is_loose(robot, task)? => Err(failure),
        _ => Ok(()),
    }
}

fn is_loose(robot: &mut Robot, task: &PlaceTask) -> Result<bool> {
    let width_m = robot.observe()?.gripper.width_m;
    Ok(width_m > task.held.width_m + LOOSE_M)
}
