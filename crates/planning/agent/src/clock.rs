//! Clock of the agent; tests replace it.

use std::time::{Duration, Instant};

/// Wall time, replaceable so that tests need not wait.
pub trait Clock: Send + Sync {
    /// Time since a fixed instant.
    fn now(&self) -> Duration;

    /// Waits.
    fn sleep(&self, duration: Duration);
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    started: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            started: Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.started.elapsed()
    }

    fn sleep(&self, duration: Duration) {
        std::thread::sleep(duration);
    }
}
