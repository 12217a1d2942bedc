//! Time, passed in so that tests need not wait.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

/// Tells the time of day and waits between tries.
#[async_trait]
pub trait Clock: Send + Sync {
    /// The time of day, for dates in `Retry-After`.
    fn now(&self) -> SystemTime;

    /// Waits between two tries.
    async fn sleep(&self, duration: Duration);
}

/// The machine's.
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
