//! Clock interface, so that tests need not wait.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;

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
