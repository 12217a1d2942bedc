//! HTTP requests.

use std::io::Read;
use std::time::Duration;

use ureq::Agent;

/// Largest accepted response, bytes: far larger than an image.
const LARGEST_BYTES: u64 = 64 << 20;

/// Smallest timeout of a request, even if a look may wait for less.
const LEAST: Duration = Duration::from_millis(500);
const MOST: Duration = Duration::from_secs(60);

fn deadline(secs: f64) -> Duration {
    Duration::try_from_secs_f64(secs).map_or(MOST, |time| time.clamp(LEAST, MOST))
}

/// Sends requests to a server on the local network, with a timeout.
pub(crate) struct Client(Agent);

impl Client {
    pub(crate) fn new(deadline_secs: f64) -> Self {
        let config = Agent::config_builder()
            .timeout_global(Some(deadline(deadline_secs)))
            .user_agent("regrasp")
            .build();
        Self(config.into())
    }

    /// Returns the body of a response. An error is a sentence.
    pub(crate) fn get(&self, url: &str) -> Result<Vec<u8>, String> {
        let answer = self.0.get(url).call();
        let mut answer = answer.map_err(|error| format!("get {url}: {error}"))?;
        let mut bytes = Vec::new();
        let reader = answer.body_mut().as_reader();
        let read = reader.take(LARGEST_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| format!("get {url}: {error}"))?;
        match bytes.len() as u64 > LARGEST_BYTES {
            true => Err(format!("get {url}: the answer is larger than 64 MiB")),
            false => Ok(bytes),
        }
    }
}
