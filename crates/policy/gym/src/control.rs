//! Conversion of actions to targets of arm and gripper.

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use regrasp::api::{Pose, RobotInfo};
use regrasp::policy::{Reach, Steering};
use regrasp::robot::Robot;

use crate::{ControlMode, EnvError, Result};

/// Maximum change of a joint in one action, rad: about the speed limit at 20 Hz.
const JOINT_STEP_RAD: f64 = 0.1;
/// Maximum change of the tool's position along an axis in one action, m.
const TOOL_STEP_M: f64 = 0.05;
/// Maximum component of the tool's rotation vector in one action, rad.
const TOOL_TURN_RAD: f64 = 0.2;

/// Bounds of each component of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    /// Lower bounds.
    pub low: Vec<f64>,
    /// Upper bounds.
    pub high: Vec<f64>,
    /// Name of each component, with its unit.
    pub names: Vec<String>,
}

impl Space {
    /// Returns the action space of a mode; `limits` are the lower and upper joint limits, rad.
    pub(crate) fn of(mode: ControlMode, limits: &[[f64; 2]], info: &RobotInfo) -> Self {
        let mut space = Self {
            low: vec![],
            high: vec![],
            names: vec![],
        };
        match mode {
            ControlMode::JointDelta => {
                for name in &info.joint_names {
                    space.add(-1.0, 1.0, &format!("delta {name} (fraction of a step)"));
                }
            }
            ControlMode::Joint => {
                for (name, [low, high]) in info.joint_names.iter().zip(limits) {
                    space.add(*low, *high, &format!("{name} (rad)"));
                }
            }
            ControlMode::EeDelta | ControlMode::Osc => {
                for axis in ["x", "y", "z", "about x", "about y", "about z"] {
                    let name = format!("tool delta {axis} (fraction of a step)");
                    space.add(-1.0, 1.0, &name);
                }
            }
            ControlMode::Ee => {
                let room = &info.workspace;
                for (i, axis) in ["x", "y", "z"].iter().enumerate() {
                    space.add(room.min[i], room.max[i], &format!("tool {axis} (m)"));
                }
                for axis in ["x", "y", "z"] {
                    let pi = std::f64::consts::PI;
                    space.add(-pi, pi, &format!("tool rotation vector {axis} (rad)"));
                }
            }
        }
        let gripper = match mode {
            ControlMode::Osc => "gripper (> 0 closes, < 0 opens)",
            _ => "gripper (> 0 opens, else closes)",
        };
        space.add(-1.0, 1.0, gripper);
        space
    }

    fn add(&mut self, low: f64, high: f64, name: &str) {
        self.low.push(low);
        self.high.push(high);
        self.names.push(name.to_owned());
    }

    /// Clips an action to the space.
    ///
    /// # Errors
    ///
    /// [`EnvError::BadAction`] if it has the wrong length or a component that is not finite.
    pub(crate) fn clip(&self, action: &[f64]) -> Result<Vec<f64>> {
        if action.len() != self.low.len() {
            let (n, expected, names) = (action.len(), self.low.len(), self.names.join(", "));
            return Err(EnvError::BadAction(format!(
                "it has {n} numbers, expected {expected}: {names}"
            )));
        }
        if let Some(i) = action.iter().position(|a| !a.is_finite()) {
            return Err(EnvError::BadAction(format!(
                "`{}` is {}; expected a finite number",
                self.names[i], action[i]
            )));
        }
        let bounds = self.low.iter().zip(&self.high);
        let pairs = action.iter().zip(bounds);
        let clipped = pairs.map(|(a, (low, high))| a.clamp(*low, *high));
        Ok(clipped.collect())
    }
}

/// Sets the target of the arm. If a tool target is unreachable, the previous target remains.
pub(crate) fn set_target(
    robot: &mut Robot,
    steering: &mut Steering,
    control: ControlMode,
    arm: &[f64],
) -> Result<()> {
    let joints: Option<Vec<f64>> = match control {
        ControlMode::JointDelta => {
            let from = steering.commanded().iter().zip(arm);
            Some(from.map(|(q, a)| q + a * JOINT_STEP_RAD).collect())
        }
        ControlMode::Joint => Some(arm.to_vec()),
        ControlMode::EeDelta | ControlMode::Ee | ControlMode::Osc => None,
    };
    if let Some(joints) = joints {
        steering.set_target(joints);
        return Ok(());
    }
    let base = robot.observe()?.world_from_base;
    let (goal, reach) = if control == ControlMode::Ee {
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(arm[3], arm[4], arm[5]));
        let at = Translation3::new(arm[0], arm[1], arm[2]);
        (Pose::from_parts(at, turn), Reach::Any)
    } else {
        let tool = base * robot.motion.base_from_tool(steering.commanded());
        let goal = moved(&tool, arm, TOOL_STEP_M, TOOL_TURN_RAD);
        (goal, Reach::Near)
    };
    let target_set = steering.set_tool_target(robot, &base, goal, reach);
    target_set.map_err(|error| EnvError::BadAction(error.detail))
}

/// Returns a pose, translated along and rotated about the axes of World by fractions of `step_m`
/// and `turn_rad`.
pub(crate) fn moved(from: &Pose, arm: &[f64], step_m: f64, turn_rad: f64) -> Pose {
    let by = Vector3::new(arm[0], arm[1], arm[2]) * step_m;
    let turn = Vector3::new(arm[3], arm[4], arm[5]) * turn_rad;
    let to = Translation3::from(from.translation.vector + by);
    Pose::from_parts(to, UnitQuaternion::from_scaled_axis(turn) * from.rotation)
}
