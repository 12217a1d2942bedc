//! Coming in from the side, under a roof, or aslant past what hangs over a place.

use nalgebra::{Translation3, Vector3};
use regrasp_api::{Failure, Held, MotionGoal, Percept, Phase, Reason};
use regrasp_robot::Robot;

use super::work::{DESCENT_SPEED, PlaceWork, has_landed};
use crate::candidates::{Approach, ApproachConditions, first_possible};
use crate::grasp::Hand;
use crate::params::APPROACH_M;
use crate::release::tool_at;
use crate::spot::{Around, Spot};

/// Carries what is held in from the side, to just above one of some spots with a way in.
pub(super) fn enter(
    robot: &mut Robot,
    percept: &Percept,
    work: &mut PlaceWork,
    mut spots: Vec<Spot>,
    conditions: &ApproachConditions<'_>,
) -> Result<(), Failure> {
    let hand = Hand::new(&robot.info.gripper);
    let around = Around::new(percept, &work.held.id);
    spots.retain(|spot| around.has_room(&hand, &work.held, spot));
    if spots.is_empty() {
        return Err(no_room(work));
    }
    let approaches: Vec<Approach> = spots.iter().map(|spot| way_in(&work.held, spot)).collect();
    let planned = first_possible(robot, &approaches, conditions)?;
    robot.follow(&planned.travel)?;
    work.spots = vec![spots.swap_remove(planned.idx)];
    let is_lowered = !work.spot().is_from_side();
    let phase = if is_lowered { "lower" } else { "enter" };
    lower(robot, work, phase, &approaches[planned.idx], conditions)
}

/// Goes the straight way to where it lets go.
pub(super) fn lower(
    robot: &mut Robot,
    work: &PlaceWork,
    phase: &str,
    approach: &Approach,
    conditions: &ApproachConditions<'_>,
) -> Result<(), Failure> {
    robot.begin(phase);
    let there = MotionGoal::Line(approach.world_from_tool);
    match robot.go(there, conditions.line_scene, DESCENT_SPEED) {
        Err(failure) if has_landed(robot, work, &failure) => Ok(()),
        outcome => outcome.map(drop),
    }
}

fn no_room(work: &PlaceWork) -> Failure {
    let (id, support) = (&work.held.id, &work.spot().support);
    let text = format!("where {id} would stand on {support} the hand that holds it so has no room");
    Failure::new(Reason::GoalInCollision, text)
        .in_phase(Phase::Plan)
        .about([support.clone()])
}

/// The straight way of the tool to where it lets go of it: from above, or from the side.
pub(super) fn way_in(held: &Held, spot: &Spot) -> Approach {
    let world_from_tool = tool_at(held, &spot.world_from_object);
    let back = spot.way_back.unwrap_or(Vector3::z() * APPROACH_M);
    Approach {
        world_from_before: Translation3::from(back) * world_from_tool,
        world_from_tool,
    }
}
