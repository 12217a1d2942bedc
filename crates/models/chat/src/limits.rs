//! Limits of a call to a model.

use std::time::Duration;

use crate::RetryPolicy;

/// How long a call may take and how much it may bring.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// For a connection. Default 5 s.
    pub connect: Duration,
    /// For the next byte, the first included: models think before they speak. Default
    /// 300 s, as for the whole call: a model on a processor takes minutes to read a question.
    pub read: Duration,
    /// For the whole call, tries and pauses included. Default 300 s.
    pub call: Duration,
    /// Longest answer, bytes. Default 8 MiB.
    pub max_body: usize,
    /// When to try again.
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
