//! State that the arm reports once a millisecond.

use franka::RobotState;
use regrasp_api::{FiredMonitor, GripperState, JointReadings, MonitorChecks, Observation, Pose};

use crate::Joints;

/// State with its time of arrival. Plain data: it passes between threads by copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmState {
    /// Time of arrival, ns since the link was made.
    pub(crate) received_ns: u64,
    pub(crate) wire: RobotState,
}

impl ArmState {
    /// Time of the arm's clock, ms.
    pub(crate) fn time_ms(&self) -> u64 {
        self.wire.time.as_millis()
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
            joint_positions: self.wire.q.to_vec(),
            joint_velocities: self.wire.dq.to_vec(),
            joint_efforts: self.wire.tau_J.to_vec(),
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
        let wire = &self.wire;
        let readings = JointReadings {
            width_m,
            external_torque: &wire.tau_ext_hat_filtered,
            lag: &off(&wire.q, &wire.q_d),
            speed_error: &off(&wire.dq, &wire.dq_d),
        };
        checks.look(&readings, at_ms)
    }

    /// Index and size of the joint value that is largest in size.
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
