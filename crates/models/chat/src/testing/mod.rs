//! Test tools for models, without network or waiting.

mod server;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use parking_lot::Mutex;

pub use server::{Received, Reply, Server, response};

use crate::redact::Secrets;
use crate::stream::merged;
use crate::wire::{Form, decode};
use crate::{
    ApiKey, ChatAnswer, ChatRequest, Clock, Dialect, Endpoint, HttpModel, Limits, Provider,
    RetryPolicy,
};

/// Key that is long enough not to be treated as a placeholder.
pub const KEY: &str = "sk-very-secret-0123456789";

/// Returns time limits that a local server meets easily, and that are short enough for tests.
pub fn limits() -> Limits {
    Limits {
        read: Duration::from_secs(20),
        call: Duration::from_secs(30),
        max_body: 1 << 20,
        retry: RetryPolicy {
            jitter_seed: Some(1),
            ..RetryPolicy::default()
        },
        ..Limits::default()
    }
}

/// Returns the model `test-model` behind a server with [`KEY`], and its clock.
///
/// # Panics
///
/// If the address is invalid.
pub fn model_at(provider: Provider, url: &str, limits: Limits) -> (HttpModel, Arc<NotedWaits>) {
    let endpoint = Endpoint::new(provider, Some(url), "test-model", Some(ApiKey::new(KEY)));
    let model = HttpModel::new(endpoint.expect("a good address"), limits);
    let clock = Arc::new(NotedWaits::default());
    let model = model
        .expect("a good key")
        .with_clock(Arc::clone(&clock) as _);
    (model, clock)
}

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
