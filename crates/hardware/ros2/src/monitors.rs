//! Monitors that can be evaluated from joint states and a controller's feedback.

use regrasp_api::{Monitor, MonitorStop};

/// Readings of one instant of a motion. Deviations are empty until the controller reports them.
pub(crate) struct Readings<'a> {
    /// Distance between the fingers, m.
    pub(crate) width_m: f64,
    /// Deviations of the arm's joints from their commands, rad.
    pub(crate) lag: &'a [f64],
    /// Deviations of their speeds, rad/s.
    pub(crate) speed_lag: &'a [f64],
}

/// Monitors of one motion, with the time since which each is violated, s.
pub(crate) struct Checks<'a> {
    monitors: &'a [Monitor],
    since: Vec<Option<f64>>,
    joint_names: &'a [String],
}

impl<'a> Checks<'a> {
    pub(crate) fn new(monitors: &'a [Monitor], joint_names: &'a [String]) -> Self {
        Self {
            monitors,
            since: vec![None; monitors.len()],
            joint_names,
        }
    }

    /// Returns the first monitor that fires, `at_secs` after the motion began.
    pub(crate) fn look(&mut self, now: &Readings, at_secs: f64) -> Option<MonitorStop> {
        for (monitor, since) in self.monitors.iter().zip(&mut self.since) {
            let (joint, measured, is_over, for_secs) = match monitor {
                Monitor::GripLost {
                    min_width_m,
                    max_width_m,
                } => {
                    let most_m = max_width_m.unwrap_or(f64::INFINITY);
                    let is_over = !(*min_width_m..=most_m).contains(&now.width_m);
                    (None, now.width_m, is_over, 0.0)
                }
                Monitor::TrackingError {
                    max_error,
                    for_secs,
                } => {
                    let (joint, off) = largest(now.lag);
                    (joint, off, off > *max_error, *for_secs)
                }
                Monitor::SpeedError {
                    max_error_per_s,
                    for_secs,
                } => {
                    let (joint, off) = largest(now.speed_lag);
                    (joint, off, off > *max_error_per_s, *for_secs)
                }
                _ => continue,
            };
            if !is_over {
                *since = None;
                continue;
            }
            if at_secs - *since.get_or_insert(at_secs) >= for_secs {
                return Some(MonitorStop {
                    monitor: monitor.clone(),
                    at_secs,
                    measured,
                    contact: None,
                    joint: joint.and_then(|joint| self.joint_names.get(joint).cloned()),
                });
            }
        }
        None
    }
}

fn largest(values: &[f64]) -> (Option<usize>, f64) {
    let all = values.iter().enumerate().map(|(i, x)| (Some(i), x.abs()));
    all.fold(
        (None, 0.0),
        |most, next| if next.1 > most.1 { next } else { most },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lag_fires_after_its_time_with_the_joint_and_a_lost_grip_at_once() {
        let monitors = [
            Monitor::GripLost {
                min_width_m: 0.03,
                max_width_m: None,
            },
            Monitor::TrackingError {
                max_error: 0.1,
                for_secs: 0.05,
            },
        ];
        let names = ["a".to_owned(), "b".to_owned()];
        let mut checks = Checks::new(&monitors, &names);
        let at = |width_m, lag| Readings {
            width_m,
            lag,
            speed_lag: &[],
        };
        assert!(checks.look(&at(0.04, &[0.0, -0.2]), 1.0).is_none());
        let stop = checks.look(&at(0.04, &[0.0, -0.2]), 1.06).expect("60 ms");
        assert_eq!(stop.joint.as_deref(), Some("b"));
        let stop = checks.look(&at(0.02, &[]), 1.1).expect("at once");
        assert!((stop.measured - 0.02).abs() < 1e-12);
    }
}
