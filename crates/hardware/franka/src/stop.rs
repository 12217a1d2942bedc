//! A stop from any thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Stops an arm from any thread, such as one that waits for Ctrl-C. Clones stop the same arm.
///
/// A motion brakes within [`crate::Safety::stop_within_secs`], the fingers stop, and both answer
/// as cancelled, as every later motion does until [`Stop::release`].
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Stops the arm and keeps it standing. Does nothing but set a flag, so a signal handler may
    /// call it.
    pub fn stop(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Lets motions begin again; nothing moves by this.
    pub fn release(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// Returns true if the arm is kept standing.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
