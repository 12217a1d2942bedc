//! Limits and retries of a call, the clock for the waits between attempts, which tests replace, and
//! the cancellation of a running call.

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use backon::ExponentialBuilder;
use regrasp_api::CancelToken;
use reqwest::header::HeaderMap;

/// Limits of a call in time and size.
#[derive(Clone, Debug, PartialEq, smart_default::SmartDefault)]
pub struct Limits {
    /// Time limit for a connection. Default 5 s.
    #[default(Duration::from_secs(5))]
    pub connect: Duration,
    /// Time limit for the next byte, the first included. Default 300 s, as for the whole call: a
    /// model on a CPU takes minutes to read a request.
    #[default(Duration::from_secs(300))]
    pub read: Duration,
    /// Time limit for the whole call, retries and pauses included. Default 300 s.
    #[default(Duration::from_secs(300))]
    pub call: Duration,
    /// Longest answer, bytes. Default 8 MiB.
    #[default(8 << 20)]
    pub max_body: usize,
    /// Policy of retries.
    pub retry: RetryPolicy,
}

/// Number and timing of retries. The defaults for one call are those of OpenAI's own client. Over
/// all calls, twice as many attempts may fail in a row as one call makes.
#[derive(Clone, Debug, PartialEq, smart_default::SmartDefault)]
pub struct RetryPolicy {
    /// Retries of one call. Default 2.
    #[default(2)]
    pub max_retries: usize,
    /// Failed attempts in a row, over all calls, after which the server is given up. Default 6.
    #[default(6)]
    pub max_in_a_row: usize,
    /// First pause if the server asks for none; doubled each time. Default 0.5 s.
    #[default(Duration::from_millis(500))]
    pub first: Duration,
    /// Longest pause if the server asks for none. Default 8 s.
    #[default(Duration::from_secs(8))]
    pub longest: Duration,
    /// Longest wait that a server may ask for; a longer one is an error. Default 60 s.
    #[default(Duration::from_secs(60))]
    pub wait_cap: Duration,
    /// Seed of the jitter of pauses. Default `None`: a random seed, so that clients do not return
    /// all at once.
    pub jitter_seed: Option<u64>,
}

impl RetryPolicy {
    /// Returns the pauses between attempts if the server asks for no wait. Because of the jitter, a
    /// pause may exceed [`longest`](Self::longest); the caller limits it.
    pub(crate) fn pauses(&self) -> ExponentialBuilder {
        let pauses = ExponentialBuilder::default()
            .with_min_delay(self.first)
            .with_max_delay(self.longest)
            .with_max_times(self.max_retries)
            .with_jitter();
        match self.jitter_seed {
            Some(seed) => pauses.with_jitter_seed(seed),
            None => pauses,
        }
    }
}

/// Returns the wait that the server asks for, s: `retry-after-ms`, then `retry-after` in seconds or
/// as a date. An invalid value is ignored; a past date means no wait.
pub(crate) fn asked_wait_secs(headers: &HeaderMap, now: SystemTime) -> Option<f64> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    let number = |text: &str| text.parse::<f64>().ok().filter(|n| *n >= 0.0);
    if let Some(ms) = text("retry-after-ms").and_then(number) {
        return Some(ms / 1000.0);
    }
    let after = text("retry-after")?;
    number(after).or_else(|| {
        let date = httpdate::parse_http_date(after).ok()?;
        Some(date.duration_since(now).unwrap_or_default().as_secs_f64())
    })
}

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

#[cfg(test)]
mod tests {
    use backon::BackoffBuilder;
    use reqwest::header::HeaderValue;

    use super::*;

    fn wait(headers: &[(&'static str, &'static str)]) -> Option<f64> {
        let headers = headers
            .iter()
            .map(|(name, value)| {
                let name = reqwest::header::HeaderName::from_static(name);
                (name, HeaderValue::from_static(value))
            })
            .collect();
        // 1994-11-06 08:49:37 UTC
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        asked_wait_secs(&headers, now)
    }

    #[test]
    fn servers_ask_for_waits_in_four_ways() {
        let both = [("retry-after-ms", "1500"), ("retry-after", "9")];
        assert_eq!(wait(&both), Some(1.5));
        assert_eq!(wait(&[("retry-after", "2.5")]), Some(2.5));
        let date = [("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")];
        assert_eq!(wait(&date), Some(30.0));
        let past = [("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")];
        assert_eq!(wait(&past), Some(0.0));
        let broken_ms = [("retry-after-ms", "soon"), ("retry-after", "3")];
        assert_eq!(wait(&broken_ms), Some(3.0));
        for nonsense in ["soon", "-3", "NaN", ""] {
            assert_eq!(wait(&[("retry-after", nonsense)]), None, "{nonsense}");
        }
        assert_eq!(wait(&[("retry-after", "inf")]), Some(f64::INFINITY));
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn pauses_double_with_some_jitter() {
        let policy = RetryPolicy {
            max_retries: 4,
            jitter_seed: Some(7),
            ..RetryPolicy::default()
        };
        let pauses: Vec<_> = policy.pauses().build().map(|p| p.as_secs_f64()).collect();
        assert_eq!(pauses.len(), 4);
        for (pause, least) in pauses.iter().zip([0.5, 1.0, 2.0, 4.0]) {
            assert!((least..2.0 * least).contains(pause), "{pauses:?}");
        }
    }
}
