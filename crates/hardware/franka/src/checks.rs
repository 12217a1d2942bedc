//! Evaluation of a motion's monitors in every cycle.

use regrasp_api::{FiredMonitor, JointReadings, MonitorChecks};

use crate::limits::Joints;
use crate::state::ArmState;

/// Returns the first monitor that fires at this state, `at_ms` after the motion began.
pub(crate) fn look(
    checks: &mut MonitorChecks,
    state: &ArmState,
    width_m: f64,
    at_ms: u64,
) -> Option<FiredMonitor> {
    let readings = JointReadings {
        width_m,
        external_torque: &state.external_torque,
        lag: &off(&state.q, &state.q_d),
        speed_error: &off(&state.dq, &state.dq_d),
    };
    checks.look(&readings, at_ms)
}

pub(crate) fn off(a: &Joints, b: &Joints) -> Joints {
    std::array::from_fn(|i| a[i] - b[i])
}
