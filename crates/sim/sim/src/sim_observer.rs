//! Access for recordings and live views.

use std::sync::{Arc, Mutex};

use regrasp_ground_truth::FrameListener;

use crate::simulation::{Simulation, lock};

/// Capability to watch the world while it runs. Frames contain the ground truth, so it is for
/// recordings and live views, never for skills, planners or perceptions.
#[derive(Clone)]
pub struct SimObserver(Arc<Mutex<Simulation>>);

/// An invalid frame rate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("watch the world {rate_hz} times a second: the rate must be a number above 0")]
pub struct BadRate {
    /// Requested rate, 1/s.
    pub rate_hz: f64,
}

impl SimObserver {
    pub(crate) fn new(simulation: Arc<Mutex<Simulation>>) -> Self {
        Self(simulation)
    }

    /// Adds a listener. It gets a frame at once, then in the steps nearest to whole multiples of
    /// its frame period (at most one per step), and after a snapshot is restored. Listeners do not
    /// affect the world.
    ///
    /// # Errors
    ///
    /// [`BadRate`] if the rate is not a positive number.
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
