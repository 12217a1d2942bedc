//! Pouring what is in one container into another.

mod contents;
mod way;

use nalgebra::Vector3;
use regrasp_api::{
    Failure, HandUse, Held, MotionFailure, MotionGoal, MotionRequest, ObjectId, PerceivedObject,
    Percept, Phase, PlanningScene, Pose, Reason, Robot, Skill, Success, Trajectory, objects_on,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::candidates::summary;
use crate::grasp::Hand;
use crate::hold::{carry_speed, tighten};
use crate::look;
use contents::Contents;
use way::HAND_OFF_M;
pub(crate) use way::{Grip, PLANNED_OFF_M, Scenery, Way};

/// Pours what is in the container in the hand into another.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pour;

/// Arguments of [`Pour`].
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PourArgs {
    /// Into what: an open container, an id or a phrase such as "the bowl".
    #[schemars(extend("x-names-object" = true))]
    pub target: String,
    /// Which part of what is poured has to arrive there, from 0 to 1; 0.8 if left out.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub at_least: Option<f64>,
}

/// What [`Pour`] knows about what it does.
#[derive(Clone, Debug)]
pub struct PourWork {
    held: Held,
    target: ObjectId,
    before: Contents,
}

/// The part that has to arrive if nobody says so.
const ENOUGH: f64 = 0.8;
/// Ways for which motions are planned before a pour gives up.
const MAX_PLANNED: usize = 24;
/// A target that leans more than this holds nothing, rad.
const LEANS_RAD: f64 = 0.3;
/// What leans less than this stands upright, rad.
const UPRIGHT_RAD: f64 = 0.03;
/// Part of the usual speed for tilting, so that nothing is thrown.
const TILT_SPEED: f64 = 0.8;
/// From which tilt on something may flow.
const FLOWS_FROM: usize = 2;
/// Which tilts are stopped at on the way back: every so many.
const BACK_STEP: usize = 2;
/// How often the flow is looked at, s.
const LOOK_EVERY_SECS: f64 = 0.1;
/// Nothing flows any more if nothing has left for this many looks.
const STILL_LOOKS: usize = 3;
/// Most looks at one tilt: nothing takes longer than two seconds.
const MOST_LOOKS: usize = 20;
/// Time for the world to come to rest before it is judged, s.
const REST_SECS: f64 = 3.0;

impl Skill for Pour {
    type Args = PourArgs;
    type Work = PourWork;
    const NAME: &'static str = "pour";
    const DESCRIPTION: &'static str = "Pours what is in the container in the hand into another \
         open container: tilts it over that one until nothing more comes out, and turns it \
         upright again. The container stays in the hand.";
    const HAND: HandUse = HandUse::Keeps;

    fn precondition(&self, robot: &mut Robot, args: &PourArgs) -> Result<PourWork, Failure> {
        check_part(args)?;
        let held = look::held(robot)?;
        let (percept, target) = look::find(robot, &args.target)?;
        if target.id == held.id {
            let text = format!(
                "argument `target`: {} cannot be poured into itself",
                held.id
            );
            return Err(Failure::new(Reason::BadArguments, text).about([held.id]));
        }
        check_target(&percept, &held.id, &target)?;
        let container = look::see_again(robot, &held.id)?;
        let before = Contents::of(&percept, &container);
        if container.shape.cavity().is_none() || before.count() == 0 {
            let what = match container.shape.cavity() {
                None => "is no container",
                Some(_) => "is empty, as far as is seen",
            };
            let text = format!("{} {what}: there is nothing to pour", held.id);
            return Err(Failure::new(Reason::NothingToPour, text).about([held.id]));
        }
        Ok(PourWork {
            held,
            target: target.id,
            before,
        })
    }

    fn run(&self, robot: &mut Robot, _args: &PourArgs, work: &mut PourWork) -> Result<(), Failure> {
        pour(robot, work).map_err(|failure| tighten(robot, failure))
    }

    fn verify(
        &self,
        robot: &mut Robot,
        args: &PourArgs,
        work: &PourWork,
    ) -> Result<Success, Failure> {
        let percept = robot.perceive_at_rest(REST_SECS)?;
        let seen = |id: &ObjectId| percept.object(id).cloned();
        let count = |id: &ObjectId| seen(id).map_or(0, |o| work.before.count_in(&percept, &o));
        let all = work.before.count();
        let (arrived, left) = (count(&work.target), count(&work.held.id));
        let spilled = all - (arrived + left).min(all);
        let part = arrived as f64 / all as f64;
        let least = args.at_least.unwrap_or(ENOUGH);
        let text = format!(
            "of {} in {}, {arrived} are in {} now, {left} where they were, {spilled} beside",
            work.before.described(),
            work.held.id,
            work.target
        );
        let ids = [work.held.id.clone(), work.target.clone()];
        if part >= least {
            let lean_rad = seen(&work.held.id).map_or(0.0, |o| lean_rad(&o.world_from_object));
            return Ok(Success::new(text)
                .about(ids)
                .measured("poured", part, Some(least), "")
                .measured("spilled", spilled as f64, None, "")
                .measured("lean", lean_rad, Some(UPRIGHT_RAD), "rad"));
        }
        let reason = match spilled as f64 > (1.0 - least) * all as f64 {
            true => Reason::Spilled,
            false => Reason::VerificationFailed,
        };
        Err(Failure::new(reason, text)
            .about(ids)
            .measured("poured", part, Some(least), "")
            .measured("spilled", spilled as f64, None, ""))
    }
}

fn check_part(args: &PourArgs) -> Result<(), Failure> {
    match args.at_least {
        Some(part) if !(0.0..=1.0).contains(&part) => {
            let text = format!("argument `at_least`: {part}, expected a part from 0 to 1");
            Err(Failure::new(Reason::BadArguments, text))
        }
        _ => Ok(()),
    }
}

/// Whether the target is open upwards and nothing lies over it.
fn check_target(
    percept: &Percept,
    held: &ObjectId,
    target: &PerceivedObject,
) -> Result<(), Failure> {
    let id = &target.id;
    if target.shape.cavity().is_none() {
        let text = format!("argument `target`: {id} is no container");
        return Err(Failure::new(Reason::BadArguments, text).about([id.clone()]));
    }
    let lean_rad = lean_rad(&target.world_from_object);
    if lean_rad > LEANS_RAD {
        let text = format!("{id} leans by {lean_rad:.2} rad and would not hold what is poured");
        return Err(Failure::new(Reason::ContainerClosed, text)
            .about([id.clone()])
            .measured("lean", lean_rad, Some(LEANS_RAD), "rad"));
    }
    let inside = percept.objects_in(target);
    let covers = objects_on(percept, target)
        .into_iter()
        .filter(|o| &o.id != held && inside.iter().all(|inner| inner.id != o.id));
    let covers: Vec<ObjectId> = covers.map(|o| o.id.clone()).collect();
    if covers.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = covers.iter().map(ObjectId::as_str).collect();
    let text = format!("{} lies over {id}; take it off first", names.join(", "));
    Err(Failure::new(Reason::ObjectCovered, text).about(covers))
}

/// Carries the container there upright, tilts it, and turns it upright again.
fn pour(robot: &mut Robot, work: &mut PourWork) -> Result<(), Failure> {
    robot.begin("transport");
    let percept = robot.perceive()?;
    let (way, travel) = choose(robot, &percept, work)?;
    robot.follow(&travel)?;
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

/// How far an object's up direction is from the vertical, rad.
fn lean_rad(world_from_object: &Pose) -> f64 {
    (world_from_object.rotation * Vector3::z()).angle(&Vector3::z())
}

/// Brings the container to a pose in World, as it is in the hand now: while it is tilted its
/// weight may turn it between the pads a little.
fn tilt_to(
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
    let upright = robot.planning_scene(percept);
    let tilting = tilting_scene(robot, percept, work);
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
        match plan_way(&plan, &now.joint_positions, &poses, [&upright, &tilting]) {
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
/// one after the other.
pub(crate) fn plan_way(
    plan: &impl Fn(&[f64], MotionGoal, &PlanningScene) -> Result<Trajectory, MotionFailure>,
    start: &[f64],
    poses: &[Pose],
    [upright, tilting]: [&PlanningScene; 2],
) -> Result<Trajectory, MotionFailure> {
    let first = poses.iter().take(1).copied().collect();
    let travel = plan(start, MotionGoal::AnyPose(first), upright)?;
    let mut at = travel.last_position().to_vec();
    for pose in poses.iter().skip(1) {
        let line = plan(&at, MotionGoal::Line(*pose), tilting)?;
        at = line.last_position().to_vec();
    }
    Ok(travel)
}
