//! Test tools for models, without network or waiting.

mod server;

use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use parking_lot::Mutex;

pub use server::{Received, Reply, Server, response};

use crate::redact::Secrets;
use crate::stream::merged;
use crate::wire::{Form, decode};
use crate::{ApiKey, ChatAnswer, ChatRequest, Clock, Dialect};

/// Decodes a body as [`HttpModel`](crate::HttpModel) does, as JSON or else as a stream. `None` if
/// it contains no answer.
pub fn read_body(dialect: Dialect, body: &str) -> Option<ChatAnswer> {
    let secrets = Secrets::new([ApiKey::new("sk-0123456789")]);
    let form = Form {
        dialect,
        strict: false,
    };
    let raw = serde_json::from_str(body.trim_start_matches('\u{feff}'));
    let raw = raw.ok().or_else(|| merged(body, false))?;
    let answer = decode(form, &ChatRequest::default(), secrets.out_of(raw)).ok()?;
    Some(secrets.out_of_answer(answer))
}

/// A clock that stands still and records waits instead of waiting.
#[derive(Debug, Default)]
pub struct NotedWaits(Mutex<Vec<Duration>>);

impl NotedWaits {
    /// Waits so far.
    pub fn waits(&self) -> Vec<Duration> {
        self.0.lock().clone()
    }

    /// Noon of 2026-01-01, UTC.
    pub fn noon() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_268_800)
    }
}

#[async_trait]
impl Clock for NotedWaits {
    fn now(&self) -> SystemTime {
        Self::noon()
    }

    async fn sleep(&self, duration: Duration) {
        self.0.lock().push(duration);
    }
}
