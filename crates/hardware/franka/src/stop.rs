//! Stop of an arm from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Handle that stops an arm from any thread, such as one that waits for Ctrl-C. Clones stop the
/// same arm.
///
/// A running motion brakes within [`crate::Safety::stop_within_secs`] and the fingers stop; both
/// report that they were cancelled, and so does every later motion until [`Stop::release`].
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops the arm and keeps it standing. Only sets a flag, so a signal handler may call it.
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Permits motions again. Nothing moves by this call.
    pub fn release(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Returns true if the arm is kept standing.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
