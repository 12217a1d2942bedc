//! When a condition held for the first time, as far as somebody looked.

use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::{Frame, FrameListener, FrameSink, GroundTruth, Success};

/// When a condition held for the first time, looked at so often.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FirstMet {
    /// Looks a second of simulated time.
    pub rate_hz: f64,
    /// When, simulated s; `None` if it never held at a look.
    pub at_secs: Option<f64>,
}

/// Judges a condition again and again while the world runs, until it holds.
pub struct Lookout {
    condition: Success,
    first: Option<GroundTruth>,
    met: FirstMet,
}

impl Lookout {
    /// Who looks, and what tells afterwards what was seen. The first look is the beginning.
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

    /// What was seen so far.
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
