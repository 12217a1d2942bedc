//! State that the arm reports once a millisecond.

use franka::{Errors, RobotMode, RobotState};

use regrasp_api::{FiredMonitor, GripperState, JointReadings, MonitorChecks, Observation, Pose};

use crate::limits::Joints;

/// The used part of the arm's state. Plain data: it passes between threads by copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmState {
    pub(crate) time_ms: u64,
    /// Time of arrival, ns since the link was made.
    pub(crate) received_ns: u64,
    pub(crate) q: Joints,
    pub(crate) dq: Joints,
    pub(crate) q_d: Joints,
    pub(crate) dq_d: Joints,
    pub(crate) torque: Joints,
    pub(crate) external_torque: Joints,
    pub(crate) wrench_in_base: [f64; 6],
    pub(crate) mode: RobotMode,
    pub(crate) errors: Errors,
    pub(crate) last_errors: Errors,
    pub(crate) success_rate: f64,
}

impl ArmState {
    pub(crate) fn new(state: &RobotState, received_ns: u64) -> Self {
        Self {
            time_ms: state.time.as_millis(),
            received_ns,
            q: state.q,
            dq: state.dq,
            q_d: state.q_d,
            dq_d: state.dq_d,
            torque: state.tau_J,
            external_torque: state.tau_ext_hat_filtered,
            wrench_in_base: state.O_F_ext_hat_K,
            mode: state.robot_mode,
            errors: state.current_errors,
            last_errors: state.last_motion_errors,
            success_rate: state.control_command_success_rate,
        }
    }

    /// Converts to an observation at a time of the caller's clock.
    pub(crate) fn observation(
        &self,
        time_secs: f64,
        world_from_base: Pose,
        gripper: GripperState,
    ) -> Observation {
        Observation {
            time_secs,
            world_from_base,
            joint_positions: self.q.to_vec(),
            joint_velocities: self.dq.to_vec(),
            joint_efforts: self.torque.to_vec(),
            gripper,
            contacts: vec![],
        }
    }

    /// Returns the first monitor that fires at this state, `at_ms` after the motion began.
    pub(crate) fn look(
        &self,
        checks: &mut MonitorChecks,
        width_m: f64,
        at_ms: u64,
    ) -> Option<FiredMonitor> {
        let readings = JointReadings {
            width_m,
            external_torque: &self.external_torque,
            lag: &off(&self.q, &self.q_d),
            speed_error: &off(&self.dq, &self.dq_d),
        };
        checks.look(&readings, at_ms)
    }

    /// Index and value of the largest joint value.
    pub(crate) fn largest(values: &Joints) -> (usize, f64) {
        let sizes = values.iter().map(|v| v.abs()).enumerate();
        let larger =
            |best: (usize, f64), now: (usize, f64)| if now.1 > best.1 { now } else { best };
        sizes.fold((0, 0.0), larger)
    }
}

pub(crate) fn off(a: &Joints, b: &Joints) -> Joints {
    std::array::from_fn(|i| a[i] - b[i])
}
