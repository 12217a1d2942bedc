//! Manual control by keyboard: moves of the tool, opening and closing of the gripper.
//!
//! These are skills like any other, so that bad values are rejected and failures have reasons, but
//! planners are not offered them.

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp_api::{Failure, GripperCommand, MotionGoal, Pose, Reason, Success, Trajectory};
use regrasp_robot::{Robot, Skill, SkillSet};
use schemars::JsonSchema;
use serde::Deserialize;

/// Greatest displacement of the tool along an axis per order, m.
const FURTHEST_M: f64 = 0.1;
/// Greatest rotation of the tool per order, rad.
const MOST_RAD: f64 = 0.5;
/// Fraction of the arm's limits that manual moves use: half, so that a stop is soft.
const SPEED: f64 = 0.5;
/// Time for a released object to fall, s.
const FALL_SECS: f64 = 0.2;

pub(crate) fn skills() -> SkillSet {
    SkillSet::new().with(MoveTool).with(MoveFingers)
}

struct MoveTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MoveToolArgs {
    /// Displacement in World, m.
    by_m: [f64; 3],
    /// Rotation about World's z axis, rad.
    turn_rad: f64,
}

impl Skill for MoveTool {
    type Args = MoveToolArgs;
    type Task = Pose;
    const NAME: &'static str = "teleoperate";
    const DESCRIPTION: &'static str = "Moves the tool a little on a straight line.";

    fn precondition(&self, robot: &mut Robot, args: &MoveToolArgs) -> Result<Pose, Failure> {
        let far = args.by_m.iter().find(|d| d.abs() > FURTHEST_M);
        if let Some(far) = far {
            let text = format!("a move of {far:.3} m exceeds the limit of {FURTHEST_M} m");
            return Err(Failure::new(Reason::BadArguments, text));
        }
        if args.turn_rad.abs() > MOST_RAD {
            let text = format!(
                "a turn of {:.3} rad exceeds the limit of {MOST_RAD} rad",
                args.turn_rad
            );
            return Err(Failure::new(Reason::BadArguments, text));
        }
        let from = robot.world_from_tool()?;
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), args.turn_rad);
        let to = from.translation.vector + Vector3::from(args.by_m);
        Ok(Pose::from_parts(
            Translation3::from(to),
            turn * from.rotation,
        ))
    }

    fn run(&self, robot: &mut Robot, _: &MoveToolArgs, to: &mut Pose) -> Result<(), Failure> {
        let percept = robot.perceive()?;
        let scene = robot.planning_scene(&percept);
        robot.go(MotionGoal::Line(*to), &scene, SPEED).map(drop)
    }

    fn verify(&self, robot: &mut Robot, _: &MoveToolArgs, to: &Pose) -> Result<Success, Failure> {
        /// Accuracy of the servos, m.
        const NEAR_M: f64 = 0.005;
        let at = robot.world_from_tool()?.translation.vector;
        let off_m = (at - to.translation.vector).norm();
        let found = format!("the tool is at x={:.3} y={:.3} z={:.3}", at.x, at.y, at.z);
        Ok(Success::verified(off_m <= NEAR_M, found)?.measured("off", off_m, Some(NEAR_M), "m"))
    }
}

struct MoveFingers;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MoveFingersArgs {
    /// True to open the gripper, false to close it.
    open: bool,
    /// Distance between the fingers to open to, m.
    width_m: Option<f64>,
    /// Force of closing, N.
    force_n: Option<f64>,
}

impl Skill for MoveFingers {
    type Args = MoveFingersArgs;
    type Task = ();
    const NAME: &'static str = "gripper";
    const DESCRIPTION: &'static str = "Opens the gripper, or closes it on the object between the \
                                       fingers.";

    fn precondition(&self, _: &mut Robot, _: &MoveFingersArgs) -> Result<(), Failure> {
        Ok(())
    }

    fn run(&self, robot: &mut Robot, args: &MoveFingersArgs, (): &mut ()) -> Result<(), Failure> {
        if !args.open {
            return close(robot, args.force_n);
        }
        let hand = &robot.info.gripper;
        let command = GripperCommand::MoveTo {
            width_m: args.width_m.unwrap_or(hand.max_width_m),
            speed_m_per_s: hand.default_speed_m_per_s,
        };
        robot.held = None;
        robot.grip(command)?;
        robot.wait(FALL_SECS).map(drop)
    }

    fn verify(
        &self,
        robot: &mut Robot,
        args: &MoveFingersArgs,
        (): &(),
    ) -> Result<Success, Failure> {
        let width_m = robot.observe()?.gripper.width_m;
        let held = robot.held.as_ref().map(|held| held.id.clone());
        let text = match (&held, args.open) {
            (Some(id), _) => format!("the gripper holds {id}, {width_m:.4} m wide"),
            (None, true) => format!("the gripper is open ({width_m:.4} m)"),
            (None, false) => format!("the gripper closed to {width_m:.4} m and holds nothing"),
        };
        Ok(Success::new(text).about(held))
    }
}

/// Closes the fingers and identifies the object between them.
fn close(robot: &mut Robot, force_n: Option<f64>) -> Result<(), Failure> {
    let hand = &robot.info.gripper;
    let command = GripperCommand::Grasp {
        force_n: force_n.unwrap_or(hand.default_force_n),
        speed_m_per_s: hand.default_speed_m_per_s,
    };
    robot.grip(command)?;
    robot.held = None;
    let percept = robot.perceive()?;
    robot.recognise_held(&percept)
}

/// Skill that follows a motion of another program, under the robot's monitors.
pub(crate) struct FollowMotion(pub(crate) Trajectory);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoArgs {}

impl Skill for FollowMotion {
    type Args = NoArgs;
    type Task = ();
    const NAME: &'static str = "follow";
    const DESCRIPTION: &'static str = "Follows a timed motion of the arm's joints.";

    fn precondition(&self, robot: &mut Robot, _: &NoArgs) -> Result<(), Failure> {
        let (n, own) = (self.0.n_joints(), robot.info.joint_names.len());
        if n != own {
            let text = format!("the motion is for {n} joints, but the arm has {own}");
            return Err(Failure::new(Reason::BadArguments, text));
        }
        Ok(())
    }

    fn run(&self, robot: &mut Robot, _: &NoArgs, (): &mut ()) -> Result<(), Failure> {
        robot.follow(&self.0).map(drop)
    }

    fn verify(&self, robot: &mut Robot, _: &NoArgs, (): &()) -> Result<Success, Failure> {
        /// Accuracy of the servos at rest, rad.
        const NEAR_RAD: f64 = 0.02;
        let now = robot.observe()?;
        let joints = now.joint_positions.iter().zip(self.0.last_position());
        let off = joints.map(|(is, end)| (is - end).abs()).fold(0.0, f64::max);
        let found = format!("the arm is {off:.4} rad from the end of the motion");
        Ok(Success::verified(off <= NEAR_RAD, found)?.measured("off", off, Some(NEAR_RAD), "rad"))
    }
}
