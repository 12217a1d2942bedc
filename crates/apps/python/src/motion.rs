//! Motions requested by Python.

use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use regrasp::api::{
    Failure, GripperCommand, GripperInfo, MotionGoal, MotionRequest, Pose, Reason, Trajectory,
};
use regrasp::robot::Robot;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Wanted {
    /// Joint positions, rad.
    Joints(Vec<f64>),
    /// Tool pose in World, along any path.
    Pose(Placed),
    /// Tool pose in World, along a straight line.
    Line(Placed),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Placed {
    position: [f64; 3],
    /// Orientation; `None` keeps the present one.
    quat_xyzw: Option<[f64; 4]>,
}

/// Builds a pose from a position and a quaternion given by the user.
pub(crate) fn given_quat(position: [f64; 3], quat: [f64; 4]) -> Result<Pose, String> {
    let [x, y, z, w] = quat;
    let quaternion = Quaternion::new(w, x, y, z);
    let is_unit = (quaternion.norm() - 1.0).abs() < 1e-3;
    if !is_unit || position.iter().any(|v| !v.is_finite()) {
        return Err(format!(
            "use the pose {position:?}, {quat:?}: expected finite numbers and a quaternion \
             x, y, z, w of length 1"
        ));
    }
    Ok(Pose::from_parts(
        Translation3::from(position),
        UnitQuaternion::from_quaternion(quaternion),
    ))
}

impl Wanted {
    fn goal(self, robot: &mut Robot) -> Result<MotionGoal, Failure> {
        let bad = |text: String| Failure::new(Reason::BadArguments, text);
        let mut pose = |at: Placed| -> Result<Pose, Failure> {
            match at.quat_xyzw {
                Some(quat) => given_quat(at.position, quat).map_err(bad),
                None => {
                    let now = robot.world_from_tool()?;
                    let at = Translation3::from(at.position);
                    Ok(Pose::from_parts(at, now.rotation))
                }
            }
        };
        Ok(match self {
            Self::Joints(joints) => {
                let n = robot.info.joint_names.len();
                if joints.len() != n || joints.iter().any(|q| !q.is_finite()) {
                    let text = format!("expected {n} finite joint positions, got {joints:?}");
                    return Err(bad(text));
                }
                MotionGoal::Joints(joints)
            }
            Self::Pose(at) => MotionGoal::AnyPose(vec![pose(at)?]),
            Self::Line(at) => MotionGoal::Line(pose(at)?),
        })
    }
}

/// Plans a motion around all perceived objects.
pub(crate) fn plan(robot: &mut Robot, wanted: Wanted, speed: f64) -> Result<Trajectory, Failure> {
    if !(speed > 0.0 && speed <= 1.0) {
        let text =
            format!("the speed is {speed}; expected a fraction of the limits above 0, at most 1");
        return Err(Failure::new(Reason::BadArguments, text));
    }
    let goal = wanted.goal(robot)?;
    let percept = robot.perceive()?;
    let scene = robot.planning_scene(&percept);
    let now = robot.observe()?;
    let planned = robot.motion.plan(&MotionRequest {
        world_from_base: now.world_from_base,
        start: &now.joint_positions,
        gripper_width_m: now.gripper.width_m,
        goal,
        scene: &scene,
        speed_scale: speed,
        keep_up: scene.keep_up,
    })?;
    Ok(planned.trajectory)
}

/// Gripper command: move to a width, or grasp with a force.
pub(crate) fn gripper_command(
    gripper: &GripperInfo,
    width_m: Option<f64>,
    force_n: Option<f64>,
) -> Result<GripperCommand, Failure> {
    let speed_m_per_s = gripper.default_speed_m_per_s;
    match (width_m, force_n) {
        (Some(width), None) if (gripper.min_width_m..=gripper.max_width_m).contains(&width) => {
            Ok(GripperCommand::move_to(width, speed_m_per_s))
        }
        (None, Some(force)) if force > 0.0 && force <= gripper.max_force_n => {
            Ok(GripperCommand::grasp(force, speed_m_per_s))
        }
        _ => {
            let text = format!(
                "expected a width from {} to {} m, or a force up to {} N, and not both",
                gripper.min_width_m, gripper.max_width_m, gripper.max_force_n
            );
            Err(Failure::new(Reason::BadArguments, text))
        }
    }
}
