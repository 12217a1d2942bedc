//! HTTP requests.

use std::io::Read;
use std::time::Duration;

use ureq::Agent;

use crate::lines::{Line, Lines};

/// Largest accepted response: far above that of an image.
const LARGEST_BYTES: u64 = 64 << 20;

/// Least timeout of a request, however short a look may wait.
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

    /// Returns the body of a response; an error is a sentence.
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

pub(crate) struct HttpLines {
    url: String,
    client: Client,
}

impl HttpLines {
    pub(crate) fn new(url: &str, deadline_secs: f64) -> Self {
        Self {
            url: url.to_owned(),
            client: Client::new(deadline_secs),
        }
    }
}

impl Lines for HttpLines {
    fn name(&self) -> String {
        self.url.clone()
    }

    fn newest(&mut self) -> Result<Option<Line>, String> {
        let bytes = self.client.get(&self.url)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| format!("get {}: the answer is not UTF-8 text", self.url))?;
        let last = text.lines().rfind(|line| !line.trim().is_empty());
        Ok(last.map(|line| Line {
            text: line.to_owned(),
            number: None,
        }))
    }
}
