//! An arm behind ROS controllers: `--robot ros2:FILE`.

use std::fs;
use std::path::{Path, PathBuf};

use regrasp::LoadedRobot;
use regrasp::api::{CancelToken, World};
use regrasp::scene::RobotFile;
use regrasp_ros2::{ArmSettings, RosArm};

use super::arguments::MotionArguments;
use crate::ros_facts::facts;
use crate::{CliError, Result, RobotArguments, Terminal, complain};

fn settings(path: &str) -> Result<ArmSettings> {
    let text = fs::read_to_string(path);
    let text = text.map_err(|error| CliError::file(format_args!("read `{path}`: {error}")))?;
    ArmSettings::from_yaml(&text).map_err(|error| CliError::file(format_args!("{error}")))
}

/// Robot file that the settings name: relative to their file if it exists there, else a built-in
/// name or a path.
pub(super) fn robot_file(path: &str) -> Result<RobotFile> {
    let name = PathBuf::from(settings(path)?.robot);
    let beside = Path::new(path)
        .parent()
        .unwrap_or(Path::new(""))
        .join(&name);
    let robot = RobotArguments {
        robot_file: Some(if beside.is_file() { beside } else { name }),
    };
    robot.load()
}

/// Joins the ROS network without moving the arm. Afterwards Ctrl-C cancels the token.
pub(super) fn connect(
    path: &str,
    loaded: &LoadedRobot,
    motion: &MotionArguments,
    cancel: &CancelToken,
) -> Result<Box<dyn World>> {
    let mut settings = settings(path)?;
    settings.speed = motion.speed.unwrap_or(settings.speed);
    let workspace = motion.bounds.workspace_in_base_m();
    settings.workspace_in_base_m = workspace.unwrap_or(settings.workspace_in_base_m);
    settings.approve_first_motion &= !motion.bounds.approve_motion;
    let tool = loaded.base_from_tool();
    let tool = Box::new(move |q: &[f64]| tool(q).translation.vector.into());
    let approve = |text: &str| {
        let question = format!("First motion: {text}. Approve it?");
        Terminal.approves(&question).unwrap_or(false)
    };
    let arm = RosArm::connect(facts(loaded)?, settings, tool, Box::new(approve));
    let arm = arm.map_err(|error| CliError::file(format_args!("{error}")))?;
    complain(&format!("connected to the ROS arm of `{path}`"));
    let token = cancel.clone();
    ctrlc::set_handler(move || token.cancel())?;
    complain("Ctrl-C stops the arm");
    Ok(Box::new(arm))
}
