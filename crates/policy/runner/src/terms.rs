//! The terms on which another benchmark lets policies do a task.

use regrasp_api::ToolServo;
use serde::{Deserialize, Serialize};

/// How another benchmark drives the robot for a policy, and for how long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyTerms {
    /// Its control steps a second of simulated time.
    pub rate_hz: f64,
    /// Steps before the policy's first, with the arm pulled to where it is and an open gripper.
    pub n_settling: u64,
    /// The policy's steps, at most.
    pub max_steps: u64,
    /// What moves the tool.
    pub servo: ToolServo,
    /// A number of 1 of an action moves the goal of the tool so far, m.
    pub step_m: f64,
    /// A number of 1 of an action turns the goal of the tool so far, rad.
    pub turn_rad: f64,
}
