//! Waiting for another thread, with a timeout.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub(crate) const LOOK: Duration = Duration::from_millis(1);

/// Polls `look` until it returns a value; `None` after the timeout.
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

/// Waits for the end of a thread. A thread that hangs in the client is abandoned.
pub(crate) fn join(thread: JoinHandle<()>, patience: Duration, meanwhile: impl Fn()) {
    let is_finished = || {
        meanwhile();
        thread.is_finished().then_some(())
    };
    if until(patience, is_finished).is_some() {
        // The thread's code does not panic, so the result can be ignored.
        let _ = thread.join();
    }
}
