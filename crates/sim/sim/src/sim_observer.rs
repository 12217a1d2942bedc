//! The door for recordings and live views.

use std::sync::{Arc, Mutex};

use regrasp_ground_truth::FrameListener;

use crate::simulation::{Simulation, lock};

/// The capability to watch the world while it runs. What it shows is the truth, so it
/// belongs to recordings and live views, never to skills, planners or perceptions.
#[derive(Clone)]
pub struct SimObserver(Arc<Mutex<Simulation>>);

/// A rate at which nothing can be shown.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("watch the world {rate_hz} times a second: the rate must be a number above 0")]
pub struct BadRate {
    /// What was asked for, 1/s.
    pub rate_hz: f64,
}

impl SimObserver {
    pub(crate) fn new(simulation: Arc<Mutex<Simulation>>) -> Self {
        Self(simulation)
    }

    /// Shows the world to a listener: at once, then in the steps that lie nearest to whole
    /// multiples of one over its rate (but no more than once a step), and after a snapshot
    /// was restored. What happens in the world does not depend on it.
    ///
    /// # Errors
    ///
    /// [`BadRate`] if the rate is no positive number.
    pub fn listen(&self, listener: FrameListener) -> Result<(), BadRate> {
        let rate_hz = listener.rate_hz;
        if !(rate_hz.is_finite() && rate_hz > 0.0) {
            return Err(BadRate { rate_hz });
        }
        let mut simulation = lock(&self.0);
        simulation.observers.add(listener);
        simulation.show();
        Ok(())
    }
}
