//! Evaluation of a motion's monitors in every cycle.

use regrasp_api::Monitor;

use crate::limits::Joints;
use crate::state::ArmState;

#[derive(Clone, Copy, Debug)]
enum Sense {
    /// Finger distance below the check's limit, or above this one, m.
    Width(f64),
    ExternalTorque,
    Lag,
    SpeedError,
}

#[derive(Clone, Copy, Debug)]
struct Check {
    idx: usize,
    sense: Sense,
    limit: f64,
    for_ms: u64,
    since_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fired {
    pub(crate) idx: usize,
    pub(crate) measured: f64,
    pub(crate) joint: Option<usize>,
}

/// Monitors that the arm's sensors can evaluate.
#[derive(Clone, Debug)]
pub(crate) struct Checks(Vec<Check>);

impl Checks {
    pub(crate) fn of(monitors: &[Monitor]) -> Self {
        let check = |(idx, monitor): (usize, &Monitor)| {
            let (sense, limit, for_secs) = match monitor {
                Monitor::GripLost {
                    min_width_m,
                    max_width_m,
                } => {
                    let most_m = max_width_m.unwrap_or(f64::INFINITY);
                    (Sense::Width(most_m), *min_width_m, 0.0)
                }
                Monitor::ExternalTorque {
                    max_torque_nm,
                    for_secs,
                } => (Sense::ExternalTorque, *max_torque_nm, *for_secs),
                Monitor::TrackingError {
                    max_error,
                    for_secs,
                } => (Sense::Lag, *max_error, *for_secs),
                Monitor::SpeedError {
                    max_error_per_s,
                    for_secs,
                } => (Sense::SpeedError, *max_error_per_s, *for_secs),
                Monitor::PadsEmpty { .. }
                | Monitor::HeldSlips { .. }
                | Monitor::HeldTurns { .. }
                | Monitor::UnexpectedContact { .. }
                | Monitor::PressesTooHard { .. }
                | Monitor::FingerBlocked { .. } => return None,
            };
            Some(Check {
                idx,
                sense,
                limit,
                for_ms: (for_secs * 1e3).round() as u64,
                since_ms: None,
            })
        };
        Self(monitors.iter().enumerate().filter_map(check).collect())
    }

    /// Returns the first monitor that fires at this state, `at_ms` after the motion began.
    pub(crate) fn look(&mut self, state: &ArmState, width_m: f64, at_ms: u64) -> Option<Fired> {
        for check in &mut self.0 {
            let (joint, measured) = match check.sense {
                Sense::Width(_) => (None, width_m),
                Sense::ExternalTorque => of(ArmState::largest(&state.external_torque)),
                Sense::Lag => of(ArmState::largest(&off(&state.q, &state.q_d))),
                Sense::SpeedError => of(ArmState::largest(&off(&state.dq, &state.dq_d))),
            };
            let is_over = match check.sense {
                Sense::Width(most_m) => measured < check.limit || measured > most_m,
                _ => measured > check.limit,
            };
            if !is_over {
                check.since_ms = None;
                continue;
            }
            let since_ms = *check.since_ms.get_or_insert(at_ms);
            if at_ms - since_ms >= check.for_ms {
                return Some(Fired {
                    idx: check.idx,
                    measured,
                    joint,
                });
            }
        }
        None
    }
}

fn of((joint, value): (usize, f64)) -> (Option<usize>, f64) {
    (Some(joint), value)
}

pub(crate) fn off(a: &Joints, b: &Joints) -> Joints {
    std::array::from_fn(|i| a[i] - b[i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use franka::RobotState;

    #[test]
    fn a_torque_fires_after_its_time_and_a_jolt_does_not() {
        let mut checks = Checks::of(&[
            Monitor::PadsEmpty { for_secs: 0.005 },
            Monitor::ExternalTorque {
                max_torque_nm: 15.0,
                for_secs: 0.005,
            },
        ]);
        let mut state = ArmState::new(&RobotState::default(), 0);
        state.external_torque[3] = -16.0;
        let fired: Vec<_> = (0..=5).map(|ms| checks.look(&state, 0.0, ms)).collect();
        assert!(fired[..5].iter().all(Option::is_none));
        let fired = fired[5].expect("16 N m for 5 ms");
        assert_eq!((fired.idx, fired.joint), (1, Some(3)));
        state.external_torque[3] = 0.0;
        assert!(checks.look(&state, 0.0, 6).is_none());
        state.external_torque[3] = 16.0;
        assert!(checks.look(&state, 0.0, 7).is_none(), "a jolt");
    }

    #[test]
    fn a_grip_is_lost_at_once_both_ways() {
        let mut checks = Checks::of(&[Monitor::GripLost {
            min_width_m: 0.03,
            max_width_m: Some(0.045),
        }]);
        let state = ArmState::new(&RobotState::default(), 0);
        assert!(checks.look(&state, 0.031, 0).is_none());
        for lost_m in [0.029, 0.046] {
            let fired = checks
                .look(&state, lost_m, 1)
                .expect("too narrow or too wide");
            assert!((fired.measured - lost_m).abs() < 1e-12);
        }
    }
}
