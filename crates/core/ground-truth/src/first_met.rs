//! Time at which a condition first held, from repeated checks.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::{Frame, FrameListener, FrameSink, GroundTruth, Success};

/// Time at which a condition first held, with the rate of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstMet {
    /// Checks per second of simulated time.
    pub rate_hz: f64,
    /// Simulated time, s; `None` if no check succeeded.
    pub at_secs: Option<f64>,
}

/// Checks a condition repeatedly while the world runs, until it holds.
pub struct Lookout {
    condition: Success,
    first: Option<GroundTruth>,
    met: FirstMet,
}

impl Lookout {
    /// Returns the listener for the world, and the handle from which to read the result. The first
    /// check defines the start of the episode.
    pub fn new(condition: Success, rate_hz: f64) -> (FrameListener, Arc<Mutex<Self>>) {
        let lookout = Arc::new(Mutex::new(Self {
            condition,
            first: None,
            met: FirstMet {
                rate_hz,
                at_secs: None,
            },
        }));
        let sink = Box::new(Arc::clone(&lookout));
        (FrameListener { rate_hz, sink }, lookout)
    }

    /// Returns the result so far.
    pub fn met(lookout: &Mutex<Self>) -> FirstMet {
        let lookout = lookout.lock().unwrap_or_else(PoisonError::into_inner);
        lookout.met
    }
}

impl FrameSink for Lookout {
    fn frame(&mut self, _: &Frame) {}

    fn truth(&mut self, now: &dyn Fn() -> GroundTruth) {
        if self.met.at_secs.is_some() {
            return;
        }
        let now = now();
        let first = self.first.get_or_insert_with(|| now.clone());
        if self.condition.unmet(first, &now).is_empty() {
            self.met.at_secs = Some(now.time_secs);
        }
    }
}
