//! The motions of pouring: there, tilted until nothing flows any more, and back upright.

use regrasp_api::{
    Failure, MotionFailure, MotionGoal, MotionPlanner, MotionReport, MotionRequest, Percept, Phase,
    PlanningScene, Pose, Reason, Robot, Trajectory,
};

use super::way::{Grip, HAND_OFF_M, Scenery, Way};
use super::{LEANS_RAD, PourWork, UPRIGHT_RAD, lean_rad};
use crate::candidates::summary;
use crate::grasp::Hand;
use crate::hold::{carry_speed, tighten};
use crate::look;

/// Part of the usual speed for tilting, so that nothing is thrown.
const TILT_SPEED: f64 = 0.8;
/// Ways for which motions are planned before a pour gives up.
const MAX_PLANNED: usize = 24;
/// Stances with ample room for every joint that are as good as all.
const N_STANDS: usize = 4;
/// What a joint should be from its limits while tilting, as a part of half its range.
const AMPLE_ROOM: f64 = 0.05;
/// From which tilt on something may flow.
const FLOWS_FROM: usize = 2;
/// Which tilts are stopped at on the way back: every so many.
const BACK_STEP: usize = 2;
/// How often a tilt goes on after the container has turned in the hand.
const N_CORRECTIONS: usize = 2;
/// How often the flow is looked at, s.
const LOOK_EVERY_SECS: f64 = 0.1;
/// Nothing flows any more if nothing has left for this many looks.
const STILL_LOOKS: usize = 3;
/// Most looks at one tilt: nothing takes longer than two seconds.
const MOST_LOOKS: usize = 20;

/// Carries the container there upright, tilts it, and turns it upright again.
pub(super) fn pour(robot: &mut Robot, work: &mut PourWork) -> Result<(), Failure> {
    robot.begin("transport");
    let percept = robot.perceive()?;
    let (way, travel) = choose(robot, &percept, work)?;
    robot
        .follow(&travel)
        .or_else(|failure| go_on(robot, &travel, failure))?;
    robot.begin("tilt");
    let speed = TILT_SPEED * carry_speed(robot);
    let mut reached = 0;
    for (idx, pose) in way.poses.iter().enumerate().skip(1) {
        tilt_to(robot, work, pose, speed)?;
        reached = idx;
        if idx >= FLOWS_FROM && flow(robot, work)? == 0 {
            break;
        }
    }
    robot.begin("turn_back");
    let mut idx = reached;
    while idx > 0 {
        idx = turn_back(robot, work, &way.poses, idx, speed)?;
    }
    straighten(robot, work, &way.poses[0], speed)
}

/// Goes on to where a motion led after what is held has shifted in the hand: presses harder,
/// and goes on from there.
fn go_on(
    robot: &mut Robot,
    travel: &Trajectory,
    failure: Failure,
) -> Result<MotionReport, Failure> {
    if failure.reason != Reason::GraspSlipped {
        return Err(failure);
    }
    let failure = tighten(robot, failure);
    look::held(robot)?;
    let percept = robot.perceive()?;
    let scene = robot.planning_scene(&percept);
    let there = MotionGoal::Joints(travel.last_position().to_vec());
    let speed = carry_speed(robot);
    match robot.go(there, &scene, speed) {
        Err(blocked) if blocked.phase == Some(Phase::Plan) => Err(failure),
        outcome => outcome,
    }
}

/// Turns back over several tilts at once if that is free, else over one. Returns at which it
/// is then.
fn turn_back(
    robot: &mut Robot,
    work: &PourWork,
    poses: &[Pose],
    from: usize,
    speed: f64,
) -> Result<usize, Failure> {
    let far = from.saturating_sub(BACK_STEP);
    match tilt_to(robot, work, &poses[far], speed) {
        Err(failure) if failure.phase == Some(Phase::Plan) && far + 1 < from => {
            tilt_to(robot, work, &poses[from - 1], speed)?;
            Ok(from - 1)
        }
        outcome => outcome.map(|()| far),
    }
}

/// Turns away what is left of a lean once it is turned back.
fn straighten(
    robot: &mut Robot,
    work: &PourWork,
    standing: &Pose,
    speed: f64,
) -> Result<(), Failure> {
    let container = look::see_again(robot, &work.held.id)?;
    if lean_rad(&container.world_from_object) < UPRIGHT_RAD {
        return Ok(());
    }
    match tilt_to(robot, work, standing, speed) {
        // What is poured is poured: that it leans is told, and no failure.
        Err(failure) if failure.phase == Some(Phase::Plan) => Ok(()),
        outcome => outcome,
    }
}

/// Brings the container to a pose in World. Its weight may turn it between the pads on the way:
/// then it is brought there from how it is in the hand by then.
fn tilt_to(
    robot: &mut Robot,
    work: &PourWork,
    world_from_container: &Pose,
    speed: f64,
) -> Result<(), Failure> {
    let mut outcome = tilt_once(robot, work, world_from_container, speed);
    for _ in 0..N_CORRECTIONS {
        match &outcome {
            Err(failure) if failure.reason == Reason::GraspSlipped => {
                look::held(robot)?;
                outcome = tilt_once(robot, work, world_from_container, speed);
            }
            _ => break,
        }
    }
    outcome
}

/// Brings the container to a pose in World, as it is in the hand now.
fn tilt_once(
    robot: &mut Robot,
    work: &PourWork,
    world_from_container: &Pose,
    speed: f64,
) -> Result<(), Failure> {
    let container = look::see_again(robot, &work.held.id)?;
    let tool_from_container = robot.world_from_tool().inverse() * container.world_from_object;
    if let Some(held) = &mut robot.held {
        held.tool_from_object = tool_from_container;
    }
    let percept = robot.perceive()?;
    let scene = tilting_scene(robot, &percept, work);
    let goal = MotionGoal::Line(world_from_container * tool_from_container.inverse());
    robot.go(goal, &scene, speed).map(drop)
}

/// What may be touched while it is tilted: what comes out of it.
fn tilting_scene(robot: &Robot, percept: &Percept, work: &PourWork) -> PlanningScene {
    let contents = work.before.objects().iter();
    let mut scene = contents.fold(robot.planning_scene(percept), |scene, id| {
        scene.touching(id.clone())
    });
    scene.keep_up = None;
    scene
}

/// Waits until nothing flows any more, and says how much is left.
fn flow(robot: &mut Robot, work: &PourWork) -> Result<usize, Failure> {
    let mut before = usize::MAX;
    let mut n_still = 0;
    for _ in 0..MOST_LOOKS {
        let percept = robot.perceive()?;
        let container = percept.object(&work.held.id);
        let left = container.map_or(before, |o| work.before.count_in(&percept, o));
        n_still = if left == before { n_still + 1 } else { 0 };
        before = left;
        if left == 0 || n_still == STILL_LOOKS {
            break;
        }
        robot.wait(LOOK_EVERY_SECS)?;
    }
    Ok(before)
}

/// The first way whose motions are all possible, and the motion to its beginning.
fn choose(
    robot: &mut Robot,
    percept: &Percept,
    work: &PourWork,
) -> Result<(Way, Trajectory), Failure> {
    let (Some(container), Some(target)) =
        (percept.object(&work.held.id), percept.object(&work.target))
    else {
        let text = format!("{} or {} is not seen any more", work.held.id, work.target);
        return Err(Failure::new(Reason::ObjectNotFound, text));
    };
    let Some(scenery) = Scenery::new(container, target) else {
        let text = format!(
            "{} or {} is no container any more",
            work.held.id, work.target
        );
        return Err(Failure::new(Reason::VerificationFailed, text));
    };
    let now = robot.observe();
    let tilting = tilting_scene(robot, percept, work);
    // One that was stopped while it was tilted cannot stay upright on the way.
    let upright = match lean_rad(&container.world_from_object) > LEANS_RAD {
        true => tilting.clone(),
        false => robot.planning_scene(percept),
    };
    let speed_scale = carry_speed(robot);
    let plan = |start: &[f64], goal: MotionGoal, scene: &PlanningScene| {
        let request = MotionRequest {
            world_from_base: now.world_from_base,
            start,
            gripper_width_m: now.gripper.width_m,
            goal,
            scene,
            speed_scale,
            keep_up: scene.keep_up,
        };
        let planned = robot.motion.plan(&request);
        planned.map(|planned| planned.trajectory)
    };
    let ways = scenery.ways();
    let hand = Hand::new(&robot.info.gripper);
    let grip = Grip {
        tool_from_object: work.held.tool_from_object,
        width_m: work.held.width_m,
    };
    let mut failures: Vec<MotionFailure> = vec![];
    let clear = scenery.clear_ways(&ways, &hand, &grip, HAND_OFF_M);
    for way in clear.take(MAX_PLANNED) {
        let poses = way.tool_poses(&grip.tool_from_object);
        let start = &now.joint_positions;
        let scenes = [&upright, &tilting];
        let base = &now.world_from_base;
        match plan_way(&*robot.motion, base, &plan, start, &poses, scenes) {
            Ok(travel) => return Ok((way.clone(), travel)),
            Err(failure @ MotionFailure::StartInCollision { .. }) => return Err(failure.into()),
            Err(failure) => failures.push(failure),
        }
    }
    let what = format!("no way to tilt {} over {}", work.held.id, work.target);
    if failures.is_empty() {
        let text = format!("{what}: the hand is always in the way, as it holds it");
        return Err(Failure::new(Reason::NoGraspFound, text).about([work.held.id.clone()]));
    }
    let mut failure = summary(failures);
    failure.detail = format!("{what}: {}", failure.detail).into();
    Err(failure)
}

/// The motion to the first of several tool poses, if from there all others can be reached
/// one after the other. An arm with a joint to spare can stand in many ways at the first: those
/// from which the others work are found before a way there is searched, and those that leave
/// every joint some room are taken first, since what is tilted may turn in the hand.
pub(crate) fn plan_way(
    motion: &dyn MotionPlanner,
    world_from_base: &Pose,
    plan: &impl Fn(&[f64], MotionGoal, &PlanningScene) -> Result<Trajectory, MotionFailure>,
    start: &[f64],
    poses: &[Pose],
    [upright, tilting]: [&PlanningScene; 2],
) -> Result<Trajectory, MotionFailure> {
    let Some((first, others)) = poses.split_first() else {
        return plan(start, MotionGoal::Joints(start.to_vec()), upright);
    };
    // The least room that a joint has at one of them.
    let room = |from: &[f64]| {
        let mut at = from.to_vec();
        let mut room = motion.limit_margin(&at);
        for pose in others {
            let line = plan(&at, MotionGoal::Line(*pose), tilting);
            at = line.map_err(as_goal)?.last_position().to_vec();
            room = room.min(motion.limit_margin(&at));
        }
        Ok(room)
    };
    let mut last = None;
    let (mut ample, mut scant) = (vec![], vec![]);
    for joints in motion.configurations(world_from_base, first, start)? {
        match room(&joints) {
            Ok(room) if room < AMPLE_ROOM => scant.push(joints),
            Ok(_) => ample.push(joints),
            Err(failure) => last = Some(failure),
        }
        if ample.len() == N_STANDS {
            break;
        }
    }
    for stands in [ample, scant].into_iter().filter(|s| !s.is_empty()) {
        match plan(start, MotionGoal::AnyJoints(stands), upright) {
            Ok(travel) => return Ok(travel),
            Err(failure) => last = Some(failure),
        }
    }
    Err(last.unwrap_or_else(|| MotionFailure::Unreachable {
        detail: "the arm cannot stand there".into(),
        pos_err_m: f64::INFINITY,
        tol_m: 0.0,
    }))
}

/// The arm is not there yet: what it would touch there is no trouble of where it is.
fn as_goal(failure: MotionFailure) -> MotionFailure {
    match failure {
        MotionFailure::StartInCollision { pair } => {
            MotionFailure::GoalInCollision { pairs: vec![pair] }
        }
        other => other,
    }
}
