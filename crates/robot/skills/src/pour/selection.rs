//! Selection of a pouring path that the arm can follow, and of its initial configuration.

use regrasp_api::{
    Failure, MotionFailure, MotionGoal, Percept, PlanningScene, Pose, Reason, Trajectory,
};
use regrasp_robot::{Result, Robot};

use super::path::{PourPath, Scenery};
use super::task::{PourTask, lean_rad};
use crate::arm::{AMPLE_ROOM, Arm, TravelAndLine, as_goal};
use crate::candidates::summary;
use crate::grasp::Hand;
use crate::hold::carry_speed;
use crate::params::{FALLEN_RAD, HAND_MARGIN_M, MAX_PLANNED};

/// Sufficient number of configurations with ample room for every joint.
const N_STANDS: usize = 4;

/// Returns the first path whose motions are all possible, and the motion to its start.
pub(super) fn select(
    robot: &mut Robot,
    percept: &Percept,
    task: &PourTask,
) -> Result<(PourPath, Trajectory)> {
    let (id, into) = (&task.held.id, &task.target);
    let Some((container, target)) = percept.object(id).zip(percept.object(into)) else {
        let text = format!("{id} or {into} is no longer seen");
        return Err(Failure::new(Reason::ObjectNotFound, text));
    };
    let Some(scenery) = Scenery::new(container, target) else {
        let text = format!("{id} or {into} is no longer seen as a container");
        return Err(Failure::new(Reason::VerificationFailed, text));
    };
    let now = robot.observe()?;
    let tilting = tilting_scene(robot, percept, task);
    // After an interrupted tilt, the container cannot stay upright on the way.
    let upright = match lean_rad(&container.world_from_object) > FALLEN_RAD {
        true => tilting.clone(),
        false => robot.planning_scene(percept),
    };
    let speed = carry_speed(robot)?;
    let arm = Arm {
        speed,
        ..Arm::new(robot, &now)
    };
    let paths = scenery.paths();
    let hand = Hand::new(&robot.info.gripper);
    // The container may have turned in the hand since the pour began.
    let held = robot.held.as_ref().unwrap_or(&task.held);
    let mut failures: Vec<MotionFailure> = vec![];
    let clear = scenery.clear_paths(&paths, &hand, held, HAND_MARGIN_M);
    for path in clear.take(MAX_PLANNED) {
        let poses = path.tool_poses(&held.tool_from_object);
        match plan_to_path(&arm, &poses, [&upright, &tilting]) {
            Ok(travel) => return Ok((path.clone(), travel)),
            Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(failure.into()),
            Err(failure) => failures.push(failure),
        }
    }
    let nothing = "with this grasp, the hand is always in the way";
    let mut failure = summary(failures, (Some(id), nothing));
    failure.detail = format!("{id} cannot be tilted over {into}: {}", failure.detail).into();
    Err(failure)
}

pub(super) fn tilting_scene(robot: &Robot, percept: &Percept, task: &PourTask) -> PlanningScene {
    let mut scene = robot.planning_scene(percept);
    scene.may_touch.extend(task.before.objects.iter().cloned());
    scene.keep_up = None;
    scene
}

/// Plans the motion to the first of several tool poses, such that the others can be reached one
/// after the other. A redundant arm reaches the first pose in many configurations. Those from which
/// the others are reachable are found before the travel is planned. Those with ample room for every
/// joint come first, since the container may turn in the hand.
pub(crate) fn plan_to_path(
    arm: &Arm<'_>,
    poses: &[Pose],
    [travelling, tilting]: TravelAndLine<'_>,
) -> Result<Trajectory, MotionFailure> {
    let Some((first, others)) = poses.split_first() else {
        return arm.travel(MotionGoal::Joints(arm.start.to_vec()), travelling);
    };
    let mut failed = vec![];
    let (mut ample, mut scant) = (vec![], vec![]);
    for joints in arm.configurations(first)? {
        match arm.lines(joints.clone(), others, tilting) {
            (lines, Some(failure)) => failed.push((lines.n, as_goal(failure))),
            (lines, None) if lines.room < AMPLE_ROOM => scant.push(joints),
            _ => ample.push(joints),
        }
        if ample.len() == N_STANDS {
            break;
        }
    }
    for stands in [ample, scant].into_iter().filter(|s| !s.is_empty()) {
        match arm.travel(MotionGoal::AnyJoints(stands), travelling) {
            Ok(travel) => return Ok(travel),
            // All tilts are possible from there, so only the travel fails.
            Err(failure) => failed.push((others.len(), failure)),
        }
    }
    Err(furthest(failed))
}

/// Failure of the configuration that reached the largest number of poses, the first among equals.
fn furthest(failures: Vec<(usize, MotionFailure)>) -> MotionFailure {
    // Of equal ones, `max_by_key` returns the last.
    let furthest = failures.into_iter().rev().max_by_key(|(n, _)| *n);
    let unreachable = || MotionFailure::Unreachable {
        detail: "no configuration of the arm reaches the start of the tilt".into(),
        pos_err_m: f64::INFINITY,
        tol_m: 0.0,
    };
    furthest.map_or_else(unreachable, |(_, failure)| failure)
}

#[cfg(test)]
mod tests {
    use regrasp_api::CollisionPair;

    use super::*;

    fn blocked(by: &str) -> MotionFailure {
        let (link, other) = (by.to_owned(), "its limit".to_owned());
        MotionFailure::PathBlocked {
            blockers: vec![CollisionPair { link, other }],
        }
    }

    #[test]
    fn the_failure_of_the_configuration_that_got_furthest_is_reported() {
        let failed = [(1, "elbow"), (4, "wrist"), (4, "hand"), (2, "shoulder")];
        let failed = failed.map(|(n_reached, by)| (n_reached, blocked(by)));
        let text = furthest(failed.into()).to_string();
        assert!(text.contains("wrist"), "{text}");
        let text = furthest(vec![]).to_string();
        assert!(text.contains("no configuration"), "{text}");
    }
}
