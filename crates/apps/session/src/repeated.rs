//! Work that a thread repeats.

use std::io;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use regrasp_api::CancelToken;

/// Work that another thread repeats until it returns `false` or this value is dropped, even by a
/// panic.
pub struct Repeated {
    stop: CancelToken,
    thread: Option<JoinHandle<()>>,
}

impl Repeated {
    /// Starts to repeat `work` on a thread with this name, with this pause in between.
    ///
    /// # Errors
    ///
    /// If the system has no room for another thread.
    pub fn begin(
        name: &str,
        pause: Duration,
        mut work: impl FnMut() -> bool + Send + 'static,
    ) -> io::Result<Self> {
        let stop = CancelToken::new();
        let stopped = stop.clone();
        let thread = thread::Builder::new().name(name.into()).spawn(move || {
            while !stopped.is_cancelled() && work() {
                thread::sleep(pause);
            }
        })?;
        Ok(Self {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for Repeated {
    fn drop(&mut self) {
        self.stop.cancel();
        // A panic of the thread was already reported.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
