//! Waiting: a clock that tests replace, and cancellation of a running call.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use regrasp_api::CancelToken;

/// A clock that tells the time of day and waits.
#[async_trait]
pub trait Clock: Send + Sync {
    /// Time of day, for dates in `Retry-After`.
    fn now(&self) -> SystemTime;

    /// Waits between two attempts.
    async fn sleep(&self, duration: Duration);
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[async_trait]
impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        SystemTime::now()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// Interval at which the cancel token is polled.
const CANCEL_SLICE: Duration = Duration::from_millis(50);

/// Returns the result of a future, or `None` if the token is cancelled first.
pub(crate) async fn until_cancelled<T>(
    cancel: &CancelToken,
    work: impl Future<Output = T>,
) -> Option<T> {
    let mut work = std::pin::pin!(work);
    loop {
        if cancel.is_cancelled() {
            return None;
        }
        if let Ok(outcome) = tokio::time::timeout(CANCEL_SLICE, &mut work).await {
            return Some(outcome);
        }
    }
}
