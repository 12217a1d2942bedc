//! `regrasp arm`: manual commands to a real arm.

use std::fmt::Display;

use clap::{Args, Subcommand};
use nalgebra::Vector3;
use regrasp::api::{
    CancelToken, GripperCommand, GripperEnd, GripperReport, MonitorStop, MotionEnd, MotionGoal,
    MotionPlanner, MotionRequest, PlanningScene, RobotError, Watch, World,
};
use regrasp::scene::builtin_robot;
use regrasp::{LoadedRobot, SetupError};
use regrasp_external_perception::Placement;
use regrasp_franka::{FrankaArm, N_JOINTS};
use regrasp_session::real::{ArmAddress, robot_of};
use serde_json::json;

use super::arguments::{ConnectionArguments, MotionArguments, connect};
use crate::{CliError, ExitCode, Result, complain, number_in, say, say_json};

#[derive(Debug, Subcommand)]
pub(crate) enum ArmCommand {
    /// Print the state of the arm. Nothing moves.
    Status {
        #[command(flatten)]
        link: LinkArguments,
        /// Print JSON, and nothing else, on standard output.
        #[arg(long)]
        json: bool,
    },
    /// Move to the home configuration. Obstacles are not known and not avoided: watch the arm.
    Home {
        #[command(flatten)]
        link: LinkArguments,
        #[command(flatten)]
        motion: MotionArguments,
    },
    /// Home the hand, which measures how far its fingers travel. Needed once after power-on, with
    /// nothing between the fingers.
    HomeHand {
        #[command(flatten)]
        link: LinkArguments,
    },
    /// Clear a reflex, without moving anything.
    Recover {
        #[command(flatten)]
        link: LinkArguments,
    },
    /// Open the hand.
    Open {
        #[command(flatten)]
        link: LinkArguments,
    },
    /// Close the hand until it meets resistance, and keep pressing.
    Close {
        #[command(flatten)]
        link: LinkArguments,
        /// Force on the object between the fingers, N.
        #[arg(long, default_value_t = 20.0, value_parser = force)]
        force: f64,
    },
    /// Turn one joint, or move the tool on a straight line. Obstacles are not known and not
    /// avoided.
    Jog {
        #[command(flatten)]
        link: LinkArguments,
        #[command(flatten)]
        motion: MotionArguments,
        #[command(flatten)]
        step: StepArguments,
    },
}

#[derive(Args, Debug)]
pub(crate) struct LinkArguments {
    /// The arm: franka:HOST; append :v5 to accept only a Panda, or :v10 to accept only an FR3.
    #[arg(long, value_name = "franka:HOST", value_parser = ArmAddress::parse)]
    robot: ArmAddress,
    #[command(flatten)]
    connection: ConnectionArguments,
}

#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
pub(crate) struct StepArguments {
    /// A joint, counted from 1.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=7), requires = "by",
          conflicts_with_all = ["dx", "dy", "dz"])]
    joint: Option<u8>,
    /// Rotation of the joint, rad.
    #[arg(long, value_name = "RAD", requires = "joint", allow_hyphen_values = true,
          value_parser = number_in(-0.5..=0.5))]
    by: Option<f64>,
    /// Displacement of the tool along x of the arm's base, m.
    #[arg(long, value_name = "M", allow_hyphen_values = true, value_parser = number_in(-0.5..=0.5))]
    dx: Option<f64>,
    /// Displacement along y, m.
    #[arg(long, value_name = "M", allow_hyphen_values = true, value_parser = number_in(-0.5..=0.5))]
    dy: Option<f64>,
    /// Displacement along z, m.
    #[arg(long, value_name = "M", allow_hyphen_values = true, value_parser = number_in(-0.5..=0.5))]
    dz: Option<f64>,
}

fn force(text: &str) -> Result<f64, String> {
    crate::values::number(text, "a number of newtons above 0 and at most 70", |x| {
        x > 0.0 && x <= 70.0
    })
}

/// Connected arm, with its robot model and motion planner.
struct Stand {
    loaded: LoadedRobot,
    arm: FrankaArm,
    cancel: CancelToken,
}

impl Stand {
    fn new(link: &LinkArguments, motion: Option<&MotionArguments>) -> Result<Self> {
        let loaded = LoadedRobot::new(builtin_robot()?)?;
        let cancel = CancelToken::new();
        let speed = motion.and_then(|motion| motion.speed);
        let bounds = motion.map(|motion| &motion.bounds);
        let connection = link.connection.to(link.robot.clone(), speed, bounds);
        let arm = connect(&connection, motion, &loaded, &cancel)?;
        let loaded = robot_of(arm.report().kind, &loaded)?;
        Ok(Self {
            loaded,
            arm,
            cancel,
        })
    }

    fn watch(&self) -> Watch {
        Watch {
            monitors: vec![],
            cancel: self.cancel.clone(),
        }
    }

    /// Moves along a path that avoids only the arm's own collisions.
    fn go(&mut self, goal: MotionGoal) -> Result<ExitCode> {
        let now = self.arm.observe().map_err(setup_error)?;
        let request = MotionRequest {
            world_from_base: now.world_from_base,
            start: &now.joint_positions,
            gripper_width_m: now.gripper.width_m,
            goal,
            scene: &PlanningScene::default(),
            speed_scale: 1.0,
            keep_up: None,
        };
        let planned = match self.loaded.arm_planner().plan(&request) {
            Ok(planned) => planned,
            Err(failure) => return Ok(stopped(format_args!("no motion: {failure}"))),
        };
        let watch = self.watch();
        let report = match self.arm.follow(&planned.trajectory, &watch) {
            Ok(report) => report,
            Err(error) => return Ok(stopped(error)),
        };
        Ok(match report.end {
            MotionEnd::Completed => {
                let counts = self.arm.cycle_counts();
                say(&format!(
                    "moved for {:.2} s; tracking error at most {:.4} rad; {} of {} control cycles \
                     missed",
                    report.duration_secs, report.peak_tracking_error, counts.missed, counts.cycles
                ));
                ExitCode::Ok
            }
            MotionEnd::Cancelled { at_secs } | MotionEnd::Stopped(MonitorStop { at_secs, .. }) => {
                stopped(format_args!(
                    "stopped after {at_secs:.2} s; the arm is at rest"
                ))
            }
        })
    }

    fn grip(&mut self, command: GripperCommand) -> Result<ExitCode> {
        let watch = self.watch();
        let report = self.arm.command_gripper(command, &watch);
        let grasps = matches!(command, GripperCommand::Grasp { .. });
        Ok(report.map_or_else(stopped, |report| gripped(&report, grasps)))
    }
}

fn gripped(report: &GripperReport, grasps: bool) -> ExitCode {
    let is_unconfirmed = grasps && report.after.gripper.grip_force_n <= 0.0;
    let end = match report.end {
        GripperEnd::Reached => "the fingers reached their goal",
        GripperEnd::Stalled if is_unconfirmed => {
            "the hand does not confirm that anything is between the fingers"
        }
        GripperEnd::Stalled => "something is between the fingers",
        GripperEnd::TimedOut => "the fingers are still moving",
        GripperEnd::Stopped(_) | GripperEnd::Cancelled => "the fingers were stopped",
    };
    let width_m = report.after.gripper.width_m;
    say(&format!("{end}; they are {width_m:.4} m apart"));
    match report.end {
        GripperEnd::Stalled if is_unconfirmed => ExitCode::TaskFailed,
        GripperEnd::Reached | GripperEnd::Stalled => ExitCode::Ok,
        _ => ExitCode::TaskFailed,
    }
}

fn setup_error(error: RobotError) -> CliError {
    SetupError::from(error).into()
}

/// Reports a motion that was not made or not completed, which is not an error of the command.
fn stopped(why: impl Display) -> ExitCode {
    complain(&why.to_string());
    ExitCode::TaskFailed
}

pub(crate) fn arm(command: &ArmCommand) -> Result<ExitCode> {
    match command {
        ArmCommand::Status { link, json } => status(link, *json),
        ArmCommand::Home { link, motion } => {
            let mut stand = Stand::new(link, Some(motion))?;
            let home = stand.loaded.file().home.clone();
            stand.go(MotionGoal::Joints(home))
        }
        ArmCommand::HomeHand { link } => {
            let mut stand = Stand::new(link, None)?;
            let watch = stand.watch();
            let report = stand.arm.home_hand(&watch);
            Ok(report.map_or_else(stopped, |report| gripped(&report, false)))
        }
        ArmCommand::Recover { link } => {
            let mut stand = Stand::new(link, None)?;
            if let Err(error) = stand.arm.recover() {
                return Ok(stopped(error));
            }
            say(&format!("the arm is ready ({})", stand.arm.status().mode));
            Ok(ExitCode::Ok)
        }
        ArmCommand::Open { link } => {
            let mut stand = Stand::new(link, None)?;
            let gripper = &stand.loaded.file().gripper;
            let open = GripperCommand::move_to(gripper.max_width_m, FINGER_M_PER_S);
            stand.grip(open)
        }
        ArmCommand::Close { link, force } => {
            let mut stand = Stand::new(link, None)?;
            stand.grip(GripperCommand::grasp(*force, FINGER_M_PER_S))
        }
        ArmCommand::Jog { link, motion, step } => jog(link, motion, step),
    }
}

/// Speed of the fingers: half of the hand's maximum, m/s.
const FINGER_M_PER_S: f64 = 0.05;

fn jog(link: &LinkArguments, motion: &MotionArguments, step: &StepArguments) -> Result<ExitCode> {
    let mut stand = Stand::new(link, Some(motion))?;
    let now = stand.arm.observe().map_err(setup_error)?;
    if let (Some(joint), Some(by)) = (step.joint, step.by) {
        let mut joints = now.joint_positions;
        let at = joints.get_mut(usize::from(joint) - 1);
        at.into_iter().for_each(|position| *position += by);
        return stand.go(MotionGoal::Joints(joints));
    }
    let by = [step.dx, step.dy, step.dz].map(Option::unwrap_or_default);
    let mut base_from_tool = stand
        .loaded
        .arm_planner()
        .base_from_tool(&now.joint_positions);
    base_from_tool.translation.vector += Vector3::from(by);
    stand.go(MotionGoal::Line(now.world_from_base * base_from_tool))
}

fn status(link: &LinkArguments, json: bool) -> Result<ExitCode> {
    let mut stand = Stand::new(link, None)?;
    let status = stand.arm.status();
    let base_from_tool = stand.loaded.arm_planner().base_from_tool(&status.joints);
    let base_from_tool = Placement::from(base_from_tool);
    let report = stand.arm.report();
    if json {
        say_json(json!({
            "arm": report.kind,
            "protocol": report.server_version,
            "realtime_kernel": report.has_realtime_kernel,
            "realtime_priority": report.has_realtime_priority,
            "thresholds_confirmed": report.thresholds_confirmed,
            "notices": report.notices,
            "status": status,
            "base_from_tool": base_from_tool,
        }))?;
        return Ok(ExitCode::Ok);
    }
    say(&format!("mode:            {}", status.mode));
    let errors = match status.errors.as_slice() {
        [] => "none".to_owned(),
        errors => errors.join(", "),
    };
    say(&format!("errors:          {errors}"));
    let numbers = |values: &[f64; N_JOINTS]| values.map(|v| format!("{v:.3}")).join(", ");
    let joints = numbers(&status.joints);
    say(&format!("joints:          [{joints}] rad"));
    let torques = numbers(&status.external_torques);
    say(&format!("external torque: [{torques}] N m"));
    let (open_m, celsius) = (status.width_m, status.hand_celsius);
    say(&format!(
        "hand:            {open_m:.4} m open, {celsius} deg C"
    ));
    let (position, quat_xyzw) = (base_from_tool.position, base_from_tool.quat_xyzw);
    // In the format of `regrasp calibrate`.
    say(&format!(
        "base_from_tool:  {{position: {position:.6?}, quat_xyzw: {quat_xyzw:.6?}}}"
    ));
    say(&format!("age:             {:.3} s", status.age_secs));
    Ok(ExitCode::Ok)
}
