//! Checks that a robot file agrees with its URDF.

use regrasp_kinematics::{JointKind, RobotModel};
use regrasp_scene::Motor;

use crate::assembly::Assembly;
use crate::{Result, SimError};

/// A joint with a servo: arm joints first, in the robot file's order, then fingers.
pub(crate) struct Drive {
    pub(crate) joint_idx: usize,
    pub(crate) motor: Motor,
}

pub(crate) fn check(assembly: &Assembly<'_>) -> Result<Vec<Drive>> {
    let Assembly { model, file, .. } = assembly;
    let n = file.arm_joints.len();
    count("arm.joints", n.max(1), n)?;
    count("arm.home_rad", n, file.home.len())?;
    count("arm.motors", n, file.motors.len())?;
    let n_accelerations = file.max_acceleration.len();
    count("arm.max_acceleration_rad_per_s2", n, n_accelerations)?;
    let n_fingers = file.gripper.finger_joints.len();
    if n_fingers != 0 {
        count("gripper.finger_joints", 2, n_fingers)?;
    }
    let arm = file.arm_joints.iter().zip(file.motors.iter().copied());
    let gripper = file.gripper.finger_joints.iter();
    let joints = arm.chain(gripper.map(|name| (name, file.gripper.motor)));
    let drives = joints.map(|(name, motor)| drive(model, name, motor));
    let drives = drives.collect::<Result<Vec<_>, _>>()?;
    check_coverage(model, &drives)?;
    check_fingers(assembly, &drives[n..])?;
    check_base(assembly)?;
    link(model, &file.tool_link)?;
    Ok(drives)
}

fn count(field: &str, expected: usize, got: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    Err(SimError::count(field, got, expected))
}

fn link(model: &RobotModel, name: &str) -> Result<usize> {
    model
        .link_idx(name)
        .ok_or_else(|| unknown("link", name, model.links().iter().map(|l| &*l.name)))
}

fn unknown<'a>(element: &str, name: &str, known: impl Iterator<Item = &'a str>) -> SimError {
    let known = known.collect::<Vec<_>>().join(", ");
    SimError::robot(format_args!(
        "there is no {element} `{name}` (known: {known})"
    ))
}

fn drive(model: &RobotModel, name: &str, motor: Motor) -> Result<Drive> {
    let joint_idx = model
        .joint_idx(name)
        .ok_or_else(|| unknown("joint", name, model.joints().iter().map(|j| &*j.name)))?;
    let joint = &model.joints()[joint_idx];
    let bad = |problem: &str| Err(SimError::joint(name, problem));
    if !joint.kind.is_movable() {
        return bad("is fixed and cannot be driven");
    }
    if joint.limits.effort <= 0.0 {
        return bad("has an effort limit of 0 in the URDF, so it cannot be driven");
    }
    let gains = [motor.kp, motor.kd, motor.armature, motor.damping];
    if gains.iter().any(|g| !(g.is_finite() && *g >= 0.0)) || motor.kp == 0.0 {
        return bad("has a servo gain that is negative or not finite, or a stiffness of 0");
    }
    Ok(Drive { joint_idx, motor })
}

fn check_coverage(model: &RobotModel, drives: &[Drive]) -> Result<()> {
    let undriven =
        model.joints().iter().enumerate().find(|(i, joint)| {
            joint.kind.is_movable() && !drives.iter().any(|d| d.joint_idx == *i)
        });
    match undriven {
        Some((_, joint)) => {
            let problem = "moves but is neither a joint of the arm nor of a finger";
            Err(SimError::joint(&joint.name, problem))
        }
        None => Ok(()),
    }
}

fn check_fingers(assembly: &Assembly<'_>, fingers: &[Drive]) -> Result<()> {
    let Assembly { model, file, .. } = assembly;
    for finger in fingers {
        let joint = &model.joints()[finger.joint_idx];
        if joint.kind != JointKind::Prismatic {
            let problem = "carries a finger and must be prismatic";
            return Err(SimError::joint(&joint.name, problem));
        }
    }
    let finger_bodies = assembly.finger_bodies();
    for name in &file.gripper.finger_links {
        let link_idx = link(model, name)?;
        if !finger_bodies.contains(&assembly.body_of_link[link_idx]) {
            let problem = "is listed as a finger but no finger joint carries it";
            return Err(SimError::link(name, problem));
        }
    }
    Ok(())
}

fn check_base(assembly: &Assembly<'_>) -> Result<()> {
    let Assembly { model, file, .. } = assembly;
    let base = link(model, &file.base_link)?;
    if assembly.body_of_link[base] == 0 {
        return Ok(());
    }
    let problem = "is the base but a movable joint carries it";
    Err(SimError::link(&file.base_link, problem))
}
