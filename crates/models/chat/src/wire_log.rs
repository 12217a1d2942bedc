//! A log of all exchanges, for debugging.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use crate::ChatError;

const MAX_ANSWER: usize = 20_000;

/// A file with every attempt of every call, one JSON object per line: request, status, answer,
/// error. It contains no key, and pictures only as digests.
#[derive(Debug)]
pub struct WireLog(Mutex<File>);

impl WireLog {
    /// Creates the file. Replaces an existing one.
    ///
    /// # Errors
    ///
    /// [`ChatError::Setup`]: the file cannot be written.
    pub fn create(path: &Path) -> Result<Self, ChatError> {
        let file = File::create(path).map_err(|error| {
            let path = path.display();
            ChatError::Setup(format!("the wire log `{path}` cannot be written: {error}"))
        })?;
        Ok(Self(Mutex::new(file)))
    }

    /// Writes an attempt. Errors are ignored, because a failing log must not stop the robot.
    pub(crate) fn write(&self, exchange: &Try) {
        let line = serde_json::to_string(exchange).unwrap_or_default();
        if let Err(error) = writeln!(self.0.lock(), "{line}") {
            tracing::warn!(%error, "the wire log cannot be written");
        }
    }
}

#[derive(Debug, Default, Serialize)]
pub(crate) struct Try {
    n_try: usize,
    url: String,
    request: Value,
    pub(crate) status: Option<u16>,
    pub(crate) request_id: Option<String>,
    #[serde(serialize_with = "as_json")]
    pub(crate) answer: String,
    #[serde(rename = "fault")]
    pub(crate) error: Option<String>,
    pub(crate) took_secs: f64,
}

impl Try {
    pub(crate) fn new(n_try: usize, url: String, body: &Value) -> Self {
        Self {
            n_try,
            url,
            request: without_pictures(body),
            ..Self::default()
        }
    }
}

/// Serializes valid JSON as JSON and anything else as text.
fn as_json<S: serde::Serializer>(answer: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match serde_json::from_str::<Value>(answer) {
        Ok(value) if answer.len() <= MAX_ANSWER => value.serialize(serializer),
        _ => {
            let kept: String = answer.chars().take(MAX_ANSWER).collect();
            kept.serialize(serializer)
        }
    }
}

/// Returns the hash of some bytes as 16 hexadecimal digits.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

fn without_pictures(value: &Value) -> Value {
    match value {
        Value::Object(fields) if fields.get("type") == Some(&json!("base64")) => {
            json!({ "type": "base64", "digest": digest(value["data"].to_string().as_bytes()) })
        }
        Value::Object(fields) => {
            let shown = |(k, v): (&String, &Value)| (k.clone(), without_pictures(v));
            fields.iter().map(shown).collect()
        }
        Value::Array(items) => items.iter().map(without_pictures).collect(),
        Value::String(text) if text.starts_with("data:image/") => {
            json!(format!("picture {}", digest(text.as_bytes())))
        }
        other => other.clone(),
    }
}
