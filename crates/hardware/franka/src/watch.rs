//! Samples of the arm for a watcher.

use regrasp_api::Observation;

use crate::limits::N_JOINTS;

/// Sensor readings and commands of the arm at one instant.
#[derive(Clone, Debug)]
pub struct ArmSample {
    /// Sensor readings.
    pub observation: Observation,
    /// Joint positions that the controller was last commanded, rad.
    pub commanded_position: [f64; N_JOINTS],
    /// Joint velocities that the controller was last commanded, rad/s.
    pub commanded_velocity: [f64; N_JOINTS],
}

/// Callback that takes samples.
pub type Watcher = Box<dyn FnMut(ArmSample) + Send>;

pub(crate) struct Watched {
    watcher: Watcher,
    period_ms: u64,
    next_ms: u64,
}

impl Watched {
    pub(crate) fn new(rate_hz: f64, watcher: Watcher) -> Self {
        Self {
            watcher,
            period_ms: (1000.0 / rate_hz).round().max(1.0) as u64,
            next_ms: 0,
        }
    }

    /// Returns true if a state of this time, by the arm's clock, is to be shown. A clock that was
    /// set back is shown at once.
    pub(crate) fn is_due(&mut self, time_ms: u64) -> bool {
        let is_due = time_ms >= self.next_ms || time_ms + self.period_ms < self.next_ms;
        if is_due {
            self.next_ms = time_ms + self.period_ms;
        }
        is_due
    }

    pub(crate) fn show(&mut self, sample: ArmSample) {
        (self.watcher)(sample);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_shown_at_the_rate_also_after_the_clock_restarts() {
        let mut watched = Watched::new(50.0, Box::new(|_| {}));
        let shown: Vec<u64> = (0..100).filter(|ms| watched.is_due(*ms)).collect();
        assert_eq!(shown, [0, 20, 40, 60, 80]);
        assert!(watched.is_due(3), "a controller that was started again");
    }
}
