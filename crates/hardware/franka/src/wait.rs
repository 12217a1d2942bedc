//! Waiting for another thread, for as long as that may take.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Between two looks.
pub(crate) const LOOK: Duration = Duration::from_millis(1);

/// Looks every millisecond until something is there; `None` if it did not come in time.
pub(crate) fn until<T>(patience: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let began = Instant::now();
    loop {
        let found = look();
        if found.is_some() || began.elapsed() > patience {
            return found;
        }
        std::thread::sleep(LOOK);
    }
}

/// Waits for the end of a thread. One that hangs in the client is left alone.
pub(crate) fn join(thread: JoinHandle<()>, patience: Duration, meanwhile: impl Fn()) {
    let is_finished = || {
        meanwhile();
        thread.is_finished().then_some(())
    };
    if until(patience, is_finished).is_some() {
        // It does not panic: nothing in it does.
        let _ = thread.join();
    }
}
