//! Cancellation of a running call.

use std::future::Future;
use std::time::Duration;

use regrasp_api::CancelToken;

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
