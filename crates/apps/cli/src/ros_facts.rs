//! Facts about a robot, for ROS.

use std::path::Path;

use regrasp::LoadedRobot;
use regrasp::api::Pose;
use regrasp::mesh::read_text;
use regrasp_ros2::{ArmJoint, FingerJoints, RobotFacts};

use crate::{CliError, Result};

pub(crate) fn facts(loaded: &LoadedRobot) -> Result<RobotFacts> {
    let (file, model) = (loaded.file(), loaded.model());
    let description = match &file.urdf_text {
        Some(text) => text.to_string(),
        None => read(&file.urdf)?,
    };
    let joint = |name: &String| {
        let joint = &model.joints()[model.joint_idx(name)?];
        Some(ArmJoint {
            name: name.clone(),
            lower: joint.limits.lower,
            upper: joint.limits.upper,
            velocity: joint.limits.velocity,
        })
    };
    let info = loaded.info(&Pose::identity());
    Ok(RobotFacts {
        description,
        arm: info.joint_names.iter().filter_map(joint).collect(),
        fingers: match model.linkage() {
            Some(linkage) => FingerJoints {
                names: vec![linkage.drive.clone()],
                position_by_width: linkage.drive_by_width.clone(),
            },
            None => {
                FingerJoints::sliding(file.gripper.finger_joints.clone(), file.gripper.max_width_m)
            }
        },
        gripper: info.gripper.clone(),
    })
}

fn read(path: &Path) -> Result<String> {
    let text = read_text(path);
    text.map_err(|error| CliError::file(format_args!("read `{}`: {error}", path.display())))
}
