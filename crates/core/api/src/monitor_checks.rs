//! Evaluation of monitors by joint states alone, for arms that sense no contact forces.

use crate::{Monitor, MonitorStop, Watch};

#[derive(Clone, Copy, Debug)]
enum Quantity {
    /// Finger distance below the check's limit, or above this one, m.
    Width(f64),
    ExternalTorque,
    Lag,
    SpeedError,
}

#[derive(Clone, Copy, Debug)]
struct Check {
    idx: usize,
    quantity: Quantity,
    limit: f64,
    for_ms: u64,
    since_ms: Option<u64>,
}

/// Monitors of one motion, with their timers. [`MonitorChecks::look`] does not allocate.
#[derive(Clone, Debug)]
pub struct MonitorChecks(Vec<Check>);

/// Readings at one instant of a motion, by joint. Readings of a missing sensor are empty.
#[derive(Clone, Copy, Debug)]
pub struct JointReadings<'a> {
    /// Distance between the fingers, m.
    pub width_m: f64,
    /// External torques, N m.
    pub external_torque: &'a [f64],
    /// Deviations of the positions from their commands, rad.
    pub lag: &'a [f64],
    /// Deviations of the speeds from their commands, rad/s.
    pub speed_error: &'a [f64],
}

/// A monitor that fired.
#[derive(Clone, Copy, Debug)]
pub struct FiredMonitor {
    /// Index of the monitor in its watch.
    pub idx: usize,
    /// Measured value, in the unit of its limit.
    pub measured: f64,
    /// Index of the joint with this value, if the monitor is about joints.
    pub joint: Option<usize>,
}

impl FiredMonitor {
    /// Returns the report of the stop.
    pub fn stop(&self, watch: &Watch, at_secs: f64, joint_names: &[String]) -> MonitorStop {
        MonitorStop {
            monitor: watch.monitors[self.idx].clone(),
            at_secs,
            measured: self.measured,
            contact: None,
            joint: self.joint.and_then(|joint| joint_names.get(joint).cloned()),
        }
    }
}

impl MonitorChecks {
    /// Selects the monitors that joint states can evaluate.
    pub fn of(monitors: &[Monitor]) -> Self {
        let check = |(idx, monitor): (usize, &Monitor)| {
            let (quantity, limit, for_secs) = match monitor {
                Monitor::GripLost {
                    min_width_m,
                    max_width_m,
                } => {
                    let most_m = max_width_m.unwrap_or(f64::INFINITY);
                    (Quantity::Width(most_m), *min_width_m, 0.0)
                }
                Monitor::ExternalTorque {
                    max_torque_nm,
                    for_secs,
                } => (Quantity::ExternalTorque, *max_torque_nm, *for_secs),
                Monitor::TrackingError {
                    max_error,
                    for_secs,
                } => (Quantity::Lag, *max_error, *for_secs),
                Monitor::SpeedError {
                    max_error_per_s,
                    for_secs,
                } => (Quantity::SpeedError, *max_error_per_s, *for_secs),
                Monitor::PadsEmpty { .. }
                | Monitor::HeldSlips { .. }
                | Monitor::HeldTurns { .. }
                | Monitor::UnexpectedContact { .. }
                | Monitor::PressesTooHard { .. }
                | Monitor::FingerBlocked { .. } => return None,
            };
            Some(Check {
                idx,
                quantity,
                limit,
                for_ms: (for_secs * 1e3).round() as u64,
                since_ms: None,
            })
        };
        Self(monitors.iter().enumerate().filter_map(check).collect())
    }

    /// Returns the first monitor that fires, `at_ms` after the motion began.
    pub fn look(&mut self, now: &JointReadings<'_>, at_ms: u64) -> Option<FiredMonitor> {
        for check in &mut self.0 {
            let (joint, measured) = match check.quantity {
                Quantity::Width(_) => (None, now.width_m),
                Quantity::ExternalTorque => largest(now.external_torque),
                Quantity::Lag => largest(now.lag),
                Quantity::SpeedError => largest(now.speed_error),
            };
            let is_over = match check.quantity {
                Quantity::Width(most_m) => measured < check.limit || measured > most_m,
                _ => measured > check.limit,
            };
            if !is_over {
                check.since_ms = None;
                continue;
            }
            let since_ms = *check.since_ms.get_or_insert(at_ms);
            if at_ms - since_ms >= check.for_ms {
                return Some(FiredMonitor {
                    idx: check.idx,
                    measured,
                    joint,
                });
            }
        }
        None
    }
}

fn largest(values: &[f64]) -> (Option<usize>, f64) {
    let all = values.iter().map(|v| v.abs()).enumerate();
    all.fold((None, 0.0), |most, (joint, size)| match size > most.1 {
        true => (Some(joint), size),
        false => most,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const STILL: JointReadings<'_> = JointReadings {
        width_m: 0.0,
        external_torque: &[],
        lag: &[],
        speed_error: &[],
    };

    #[test]
    fn a_torque_fires_after_its_time_and_a_jolt_does_not() {
        let mut checks = MonitorChecks::of(&[
            Monitor::PadsEmpty { for_secs: 0.005 },
            Monitor::ExternalTorque {
                max_torque_nm: 15.0,
                for_secs: 0.005,
            },
        ]);
        let pressed = JointReadings {
            external_torque: &[0.0, 2.0, 0.0, -16.0],
            ..STILL
        };
        let fired: Vec<_> = (0..=5).map(|ms| checks.look(&pressed, ms)).collect();
        assert!(fired[..5].iter().all(Option::is_none));
        let fired = fired[5].expect("16 N m for 5 ms");
        assert_eq!((fired.idx, fired.joint), (1, Some(3)));
        assert!(checks.look(&STILL, 6).is_none());
        assert!(
            checks.look(&pressed, 7).is_none(),
            "a torque of one cycle ended the motion"
        );
    }

    #[test]
    fn a_grip_is_lost_at_once_both_ways() {
        let mut checks = MonitorChecks::of(&[Monitor::GripLost {
            min_width_m: 0.03,
            max_width_m: Some(0.045),
        }]);
        let at = |width_m| JointReadings { width_m, ..STILL };
        assert!(checks.look(&at(0.031), 0).is_none());
        for lost_m in [0.029, 0.046] {
            let fired = checks.look(&at(lost_m), 1).expect("too narrow or too wide");
            assert!((fired.measured - lost_m).abs() < 1e-12);
        }
    }

    #[test]
    fn a_stop_names_the_joint_that_lags() {
        let watch = Watch::of([Monitor::TrackingError {
            max_error: 0.1,
            for_secs: 0.0,
        }]);
        let lagging = JointReadings {
            lag: &[0.0, -0.2],
            ..STILL
        };
        let fired = MonitorChecks::of(&watch.monitors).look(&lagging, 3);
        let names = ["shoulder".to_owned(), "elbow".to_owned()];
        let stop = fired.expect("0.2 rad").stop(&watch, 0.003, &names);
        assert_eq!(stop.joint.as_deref(), Some("elbow"));
    }
}
