//! Disturbances posted while the world moves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use regrasp_faults::{Disturbance, When};

/// Disturbances that wait for the world's next step. A motion holds the world's lock from its
/// beginning to its end, so a disturbance during a motion must not wait for that lock.
#[derive(Debug, Default)]
pub(crate) struct DisturbanceQueue {
    /// Set if a disturbance waits. Every step reads this instead of taking the lock.
    has_some: AtomicBool,
    posted: Mutex<Vec<(When, Disturbance)>>,
}

impl DisturbanceQueue {
    pub(crate) fn post(&self, when: When, disturbance: Disturbance) {
        let mut posted = self.posted.lock().unwrap_or_else(PoisonError::into_inner);
        posted.push((when, disturbance));
        self.has_some.store(true, Ordering::Release);
    }

    pub(crate) fn take(&self) -> Vec<(When, Disturbance)> {
        if !self.has_some.load(Ordering::Acquire) {
            return vec![];
        }
        let mut posted = self.posted.lock().unwrap_or_else(PoisonError::into_inner);
        self.has_some.store(false, Ordering::Release);
        std::mem::take(&mut *posted)
    }
}
