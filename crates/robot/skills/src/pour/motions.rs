//! Motions of pouring: travel, tilting until the flow ends, and back to upright.

use regrasp_api::{Failure, MotionGoal, MotionReport, Phase, Pose, Reason, Trajectory};
use regrasp_robot::{Result, Robot};

use super::selection::{select, tilting_scene};
use super::task::{PourTask, UPRIGHT_RAD, lean_rad};
use crate::hold::{carry_speed, despite_shifts, if_possible, is_unplanned, tighten};
use crate::params::{LOOK_EVERY_SECS, N_SHIFTS};
use crate::sight;

/// Fraction of the usual speed for tilting, so that no contents are thrown.
const TILT_SPEED: f64 = 0.8;
/// Index of the first tilt at which objects may flow.
const FLOWS_FROM: usize = 2;
/// Number of tilts that are combined on the way back.
const BACK_STEP: usize = 2;
/// Number of looks without a change after which the flow has ended.
const STILL_LOOKS: usize = 3;
/// Largest number of looks at one tilt: no flow takes longer than two seconds.
const MOST_LOOKS: usize = 20;

/// Pours, along another path if the container shifts too far in the hand for the planned tilt.
pub(super) fn pour(robot: &mut Robot, task: &PourTask) -> Result<()> {
    let mut stuck = None;
    for _ in 0..=N_SHIFTS {
        stuck = pour_once(robot, task)?;
        if stuck.is_none() {
            break;
        }
    }
    stuck.map_or(Ok(()), Err)
}

/// Carries the container upright to the target, tilts it, and returns it to upright. Returns the
/// failure if it could not be tilted until the flow ended; another path may then be tried.
fn pour_once(robot: &mut Robot, task: &PourTask) -> Result<Option<Failure>> {
    robot.begin("transport");
    let percept = robot.perceive()?;
    let (path, travel) = select(robot, &percept, task)?;
    robot
        .follow(&travel)
        .or_else(|failure| go_on(robot, &travel, failure))?;
    robot.begin("tilt");
    let speed = TILT_SPEED * carry_speed(robot)?;
    let mut stops = vec![robot.observe()?.joint_positions];
    let mut stuck = None;
    for (idx, pose) in path.poses.iter().enumerate().skip(1) {
        if let Err(failure) = tilt_to(robot, task, pose, speed) {
            stuck = Some(still_held(robot, failure)?);
            break;
        }
        stops.push(robot.observe()?.joint_positions);
        if idx >= FLOWS_FROM && flow(robot, task)? == 0 {
            break;
        }
    }
    robot.begin("turn_back");
    while stops.len() > 1 {
        turn_back(robot, task, &path.poses, &mut stops, speed)?;
    }
    let container = sight::see_again(robot, &task.held.id)?;
    if lean_rad(&container.world_from_object) >= UPRIGHT_RAD {
        // The pour is done, so a remaining lean is reported but is not a failure.
        if_possible(tilt_to(robot, task, &path.poses[0], speed))?;
    }
    Ok(stuck)
}

/// Returns the failure of a tilt as a value if the container is still in the hand and nothing was
/// touched, else as an error. If the container turned in the hand, the grip is tightened.
fn still_held(robot: &mut Robot, failure: Failure) -> Result<Failure> {
    let failure = tighten(robot, failure);
    let is_held = failure.phase == Some(Phase::Plan) || failure.reason == Reason::GraspSlipped;
    if is_held { Ok(failure) } else { Err(failure) }
}

/// Completes a motion after the held object has shifted: tightens the grip and continues.
fn go_on(robot: &mut Robot, travel: &Trajectory, failure: Failure) -> Result<MotionReport> {
    if failure.reason != Reason::GraspSlipped {
        return Err(failure);
    }
    let failure = tighten(robot, failure);
    sight::held(robot)?;
    let scene = sight::scene(robot)?;
    let there = MotionGoal::Joints(travel.last_position().to_vec());
    let speed = carry_speed(robot)?;
    match robot.go(there, &scene, speed) {
        Err(blocked) if blocked.phase == Some(Phase::Plan) => Err(failure),
        outcome => outcome,
    }
}

/// Tilts back over several tilts at once if that is free, else over one. If the container has
/// shifted too far in the hand to return to its earlier poses, the arm returns to its earlier joint
/// positions.
fn turn_back(
    robot: &mut Robot,
    task: &PourTask,
    poses: &[Pose],
    stops: &mut Vec<Vec<f64>>,
    speed: f64,
) -> Result<()> {
    let from = stops.len() - 1;
    let far = from.saturating_sub(BACK_STEP);
    let mut outcome = tilt_to(robot, task, &poses[far], speed);
    let mut back = far;
    if is_unplanned(&outcome) && far + 1 < from {
        outcome = tilt_to(robot, task, &poses[from - 1], speed);
        back = from - 1;
    }
    if is_unplanned(&outcome) {
        let percept = robot.perceive()?;
        let scene = tilting_scene(robot, &percept, task);
        let stood = MotionGoal::Joints(stops[back].clone());
        outcome = robot.go(stood, &scene, speed).map(drop);
    }
    stops.truncate(back + 1);
    outcome
}

/// Moves the container to a pose in World. Its weight may turn it between the pads on the way; then
/// the motion is completed from its actual pose in the hand.
fn tilt_to(
    robot: &mut Robot,
    task: &PourTask,
    world_from_container: &Pose,
    speed: f64,
) -> Result<()> {
    despite_shifts(robot, |robot| {
        let (_, tool_from_container) = sight::see_in_hand(robot, &task.held.id)?;
        if let Some(held) = &mut robot.held {
            held.tool_from_object = tool_from_container;
        }
        let percept = robot.perceive()?;
        let scene = tilting_scene(robot, &percept, task);
        let goal = MotionGoal::Line(world_from_container * tool_from_container.inverse());
        robot.go(goal, &scene, speed).map(drop)
    })
}

/// Waits until the flow ends, and returns the number of objects left.
fn flow(robot: &mut Robot, task: &PourTask) -> Result<usize> {
    let mut before = usize::MAX;
    let mut n_still = 0;
    for _ in 0..MOST_LOOKS {
        let percept = robot.perceive()?;
        let container = percept.object(&task.held.id);
        let left = container.map_or(before, |o| task.before.count_in(&percept, o));
        n_still = if left == before { n_still + 1 } else { 0 };
        before = left;
        if left == 0 || n_still == STILL_LOOKS {
            break;
        }
        robot.wait(LOOK_EVERY_SECS)?;
    }
    Ok(before)
}
