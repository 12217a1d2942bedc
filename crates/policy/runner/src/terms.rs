//! Terms under which another benchmark lets policies attempt a task.

use regrasp_api::ToolServo;
use serde::{Deserialize, Serialize};

/// Controller, rate and time limit of another benchmark for policies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyTerms {
    /// Control steps per second of simulated time.
    pub rate_hz: f64,
    /// Steps before the policy's first step, in which the tool stays and the gripper opens.
    pub n_settling: u64,
    /// Maximum number of steps of the policy.
    pub max_steps: u64,
    /// Servo that moves the tool.
    pub servo: ToolServo,
    /// Translation of the tool's goal for an action component of 1, m.
    pub step_m: f64,
    /// Rotation of the tool's goal for an action component of 1, rad.
    pub turn_rad: f64,
}
