//! Rate limit of a connection's messages.

use std::time::Instant;

/// Sustained messages per second. Dragging and held keys send 10 to 20.
pub(crate) const PER_SECOND: f64 = 40.0;
/// Largest burst of messages.
pub(crate) const AT_ONCE: f64 = 80.0;
/// Excess of refused over accepted messages at which a connection is closed.
pub(crate) const PATIENCE: u32 = 400;

/// Token bucket.
pub(crate) struct Bucket {
    left: f64,
    last: Instant,
    refused: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pass {
    Yes,
    TooFast,
    /// The limit was exceeded so often that the connection is closed.
    Enough,
}

impl Bucket {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            left: AT_ONCE,
            last: now,
            refused: 0,
        }
    }

    pub(crate) fn take(&mut self, now: Instant) -> Pass {
        let passed = now.saturating_duration_since(self.last);
        self.last = now;
        self.left = (self.left + passed.as_secs_f64() * PER_SECOND).min(AT_ONCE);
        if self.left >= 1.0 {
            self.left -= 1.0;
            self.refused = self.refused.saturating_sub(1);
            return Pass::Yes;
        }
        self.refused += 1;
        if self.refused >= PATIENCE {
            Pass::Enough
        } else {
            Pass::TooFast
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn ten_times_the_rate_is_refused_for_the_most_part() {
        let start = Instant::now();
        let mut bucket = Bucket::new(start);
        let every = Duration::from_secs_f64(1.0 / (10.0 * PER_SECOND));
        let n = 10 * PER_SECOND as u32 * 5;
        let passes: Vec<_> = (0..n).map(|i| bucket.take(start + every * i)).collect();
        let end = passes.iter().position(|pass| *pass == Pass::Enough);
        let end = end.expect("patience ends");
        let passed = passes[..end].iter().filter(|pass| **pass == Pass::Yes);
        let allowed = AT_ONCE + (every * end as u32).as_secs_f64() * PER_SECOND;
        let passed = passed.count() as f64;
        assert!((passed - allowed).abs() <= 2.0, "{passed} of {end} passed");
        assert!(passed < 0.35 * end as f64, "{passed} of {end} passed");
    }

    #[test]
    fn a_little_too_fast_for_a_little_while_is_borne() {
        let start = Instant::now();
        let mut bucket = Bucket::new(start);
        let every = Duration::from_secs_f64(0.5 / PER_SECOND);
        let n = 4 * PER_SECOND as u32;
        let mut passes = (0..n).map(|i| bucket.take(start + every * i));
        assert!(passes.all(|pass| pass != Pass::Enough));
    }

    #[test]
    fn a_client_that_never_pauses_is_disconnected_and_one_that_pauses_is_served() {
        let start = Instant::now();
        let mut bucket = Bucket::new(start);
        let n = AT_ONCE as u32 + PATIENCE;
        let passes: Vec<_> = (0..n).map(|_| bucket.take(start)).collect();
        assert_eq!(passes.last(), Some(&Pass::Enough));
        assert_eq!(bucket.take(start + Duration::from_secs(1)), Pass::Yes);
    }
}
