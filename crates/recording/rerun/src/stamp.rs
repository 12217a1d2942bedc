//! Simulated time and step of logged values.

/// Time of a value, in simulated time and in simulation steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// Simulated time, ns.
    pub time_ns: i64,
    /// Number of simulation steps since the start of the world's clock.
    pub step: i64,
}

/// Converts simulated times to steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    steps_per_sec: f64,
}

impl Clock {
    /// Creates a clock from the simulated time of a step after step 0. All steps are equally long.
    pub fn from_instant(time_secs: f64, step: u64) -> Self {
        let steps_per_sec = if time_secs > 0.0 {
            step as f64 / time_secs
        } else {
            0.0
        };
        Self { steps_per_sec }
    }

    /// Returns the stamp of a simulated time, s.
    pub fn at(&self, time_secs: f64) -> Stamp {
        Stamp {
            time_ns: (time_secs * 1e9).round() as i64,
            step: (time_secs * self.steps_per_sec).round() as i64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_all_times_follow_from_one() {
        let clock = Clock::from_instant(0.3, 150);
        let stamp = |time_ns, step| Stamp { time_ns, step };
        assert_eq!(clock.at(0.0), stamp(0, 0));
        assert_eq!(clock.at(0.1 + 0.2), stamp(300_000_000, 150));
        assert_eq!(clock.at(4.002), stamp(4_002_000_000, 2001));
        // A recording with only one instant gives no step length.
        assert_eq!(Clock::from_instant(0.0, 0).at(1.0).step, 0);
    }
}
