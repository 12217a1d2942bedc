//! Limits of a call to a model.

use std::time::Duration;

use crate::RetryPolicy;

/// Limits of a call in time and size.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// Time limit for a connection. Default 5 s.
    pub connect: Duration,
    /// Time limit for the next byte, the first included. Default 300 s, as for the whole call: a
    /// model on a CPU takes minutes to read a request.
    pub read: Duration,
    /// Time limit for the whole call, retries and pauses included. Default 300 s.
    pub call: Duration,
    /// Longest answer, bytes. Default 8 MiB.
    pub max_body: usize,
    /// Policy of retries.
    pub retry: RetryPolicy,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            read: Duration::from_secs(300),
            call: Duration::from_secs(300),
            max_body: 8 << 20,
            retry: RetryPolicy::default(),
        }
    }
}
