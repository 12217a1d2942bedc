//! The clock that determines the age of images.

use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A source of Unix time that can wait.
pub trait Clock: Send {
    /// Seconds since 1970-01-01 00:00 UTC.
    fn unix_secs(&self) -> f64;

    /// Waits for a time in seconds; returns at once if it is negative.
    fn pause(&self, secs: f64);
}

/// The computer's own clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn unix_secs(&self) -> f64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0.0, |since| since.as_secs_f64())
    }

    fn pause(&self, secs: f64) {
        thread::sleep(Duration::try_from_secs_f64(secs).unwrap_or_default());
    }
}
