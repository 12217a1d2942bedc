//! `carry_to`: moves the held object to a point and keeps it there.

use nalgebra::{Translation3, Vector3};
use regrasp_api::{
    Failure, HandUse, Held, Literal, MotionGoal, Operator, Phase, PlanningScene, Pose, Reason,
    Success,
};
use regrasp_robot::{Result, Robot, Skill};

use crate::grasp::is_from_side;
use crate::hold::{SLIP_M, carry_speed, despite_shifts, if_possible, tighten};
use crate::lookahead::CarryToArgs;
use crate::params::{N_SHIFTS, TOLERANCE_M};
use crate::poses::{raised, tool_poses};
use crate::sight;

/// Moves the held object to a point and holds it there.
#[derive(Clone, Copy, Debug, Default)]
pub struct CarryTo;

/// The held object and the point at which it should be held.
#[derive(Clone, Debug)]
pub struct CarryTask {
    held: Held,
    point: Vector3<f64>,
}

/// Heights above the point that are tried to avoid contact, m: less than what [`correct`] corrects.
const RISES_M: [f64; 3] = [0.0, 0.002, 0.0045];

impl Skill for CarryTo {
    type Args = CarryToArgs;
    type Task = CarryTask;
    const NAME: &'static str = "carry_to";
    const DESCRIPTION: &'static str = "Holds the object in the hand at a point. Moves its origin \
         to that point in World, and keeps it.";
    const HAND: HandUse = HandUse::Keeps;
    const OPERATORS: &'static [Operator] = &[Operator::new(
        &[Operator::OBJECT, Operator::POINT],
        &[Literal::so("holding", &["object", "point"])],
    )];

    fn precondition(&self, robot: &mut Robot, args: &CarryToArgs) -> Result<CarryTask> {
        Ok(CarryTask {
            held: sight::held(robot)?,
            point: Vector3::new(args.x, args.y, args.z),
        })
    }

    fn run(&self, robot: &mut Robot, _: &CarryToArgs, task: &mut CarryTask) -> Result<()> {
        robot.begin("transport");
        let mut rotation = None;
        let carried = despite_shifts(robot, |robot| {
            task.held = sight::held(robot)?;
            let tool_from_object = &task.held.tool_from_object;
            let scene = sight::scene(robot)?;
            let now = robot.world_from_tool()? * tool_from_object;
            let rotation = *rotation.get_or_insert(now.rotation);
            let there = Pose::from_parts(task.point.into(), rotation);
            let poses = tool_poses(&there, tool_from_object);
            travel_clear(robot, &poses, &scene)
        });
        carried.map_err(|failure| tighten(robot, failure))?;
        for _ in 0..N_SHIFTS {
            if !correct(robot, task)? {
                break;
            }
        }
        Ok(())
    }

    fn verify(&self, robot: &mut Robot, _: &CarryToArgs, task: &CarryTask) -> Result<Success> {
        sight::held(robot).map_err(|failure| Failure {
            reason: Reason::ObjectDropped,
            ..failure
        })?;
        let id = &task.held.id;
        let seen = sight::see_again(robot, id)?;
        let off_m = (seen.position() - task.point).norm();
        let limit_m = TOLERANCE_M + 3.0 * seen.position_std_m;
        if off_m > limit_m {
            let text = format!("{id} is {off_m:.4} m from its target point (limit {limit_m:.4} m)");
            return Err(Failure::new(Reason::VerificationFailed, text)
                .about([id.clone()])
                .measured("off_target", off_m, Some(limit_m), "m"));
        }
        let text = format!("{id} is held {off_m:.4} m from its target point");
        let success = Success::new(text).about([id.clone()]);
        Ok(success.measured("off_target", off_m, Some(limit_m), "m"))
    }
}

/// Moves to one of several tool poses, raised just enough to keep the held object out of contact.
fn travel_clear(robot: &mut Robot, poses: &[Pose], scene: &PlanningScene) -> Result<()> {
    let mut outcome = Ok(());
    for rise_m in RISES_M {
        let poses = poses.iter().map(|pose| raised(pose, rise_m)).collect();
        outcome = travel(robot, poses, scene);
        match &outcome {
            Err(failure)
                if failure.phase == Some(Phase::Plan)
                    && failure.reason == Reason::GoalInCollision => {}
            _ => break,
        }
    }
    outcome
}

/// Moves to one of several tool poses. An object that is held from the side is kept level, on a
/// straight line, if possible.
fn travel(robot: &mut Robot, poses: Vec<Pose>, scene: &PlanningScene) -> Result<()> {
    let speed = carry_speed(robot)?;
    let from_side = is_from_side(&robot.world_from_tool()?);
    for pose in poses.iter().filter(|_| from_side) {
        if if_possible(robot.go(MotionGoal::Line(*pose), scene, speed))? {
            return Ok(());
        }
    }
    let goal = MotionGoal::AnyPose(poses);
    robot.go(goal, scene, speed).map(drop)
}

/// Corrects the pose if the held object has shifted in the hand, and updates the grasp. Returns
/// false if there is nothing to correct or no correction can be planned.
fn correct(robot: &mut Robot, task: &mut CarryTask) -> Result<bool> {
    let held = &mut task.held;
    let (seen, tool_from_object) = sight::see_in_hand(robot, &held.id)?;
    let off = task.point - seen.position();
    let noise_m = 3.0 * seen.position_std_m;
    // A larger offset cannot be a shift in the hand: the object is lost, and the verification
    // reports that.
    let may_have_shifted = (0.5 * TOLERANCE_M + noise_m)..=(SLIP_M + noise_m);
    if !may_have_shifted.contains(&off.norm()) || robot.held.is_none() {
        return Ok(false);
    }
    robot.begin("correct");
    let world_from_tool = robot.world_from_tool()?;
    held.tool_from_object = tool_from_object;
    robot.held = Some(held.clone());
    let scene = sight::scene(robot)?;
    let there = Translation3::from(off) * world_from_tool;
    let speed = carry_speed(robot)?;
    // If no correction can be planned, the verification reports the remaining error.
    if_possible(robot.go(MotionGoal::Line(there), &scene, speed))
}
