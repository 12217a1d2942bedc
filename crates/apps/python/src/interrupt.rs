//! Long work that Ctrl-C can end.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use regrasp::api::CancelToken;

use crate::errors::broken;

/// Interval at which signals are checked.
const NOTICE: Duration = Duration::from_millis(50);

/// Runs `work` on another thread, without Python's lock, while this thread listens for signals. A
/// signal cancels the token, waits until the work has ended, and is raised.
///
/// # Errors
///
/// The exception of a signal's handler, or a bug of the work (a panic).
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    cancel: &CancelToken,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        thread::scope(|scope| {
            let (done, result) = channel();
            scope.spawn(move || {
                // The receiver is gone only if this thread panicked.
                let _ = done.send(work());
            });
            let mut raised = None;
            loop {
                match result.recv_timeout(NOTICE) {
                    Ok(value) => return raised.map_or(Ok(value), Err),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            cancel.cancel();
                            raised = Some(error);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(broken("finish the operation: it panicked, which is a bug"));
                    }
                }
            }
        })
    })
}
