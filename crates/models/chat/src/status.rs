//! Interprets HTTP error statuses.

use serde_json::Value;

use crate::error::{colon, is_passing};
use crate::wire::{one_line, reported_error};
use crate::{ChatError, ChatRequest, Feature};

/// Converts an error status to an error. Keys must already be removed from `body`.
pub(crate) fn refusal(
    url: String,
    status: u16,
    body: &str,
    wait_secs: Option<f64>,
    cap_secs: f64,
    request: &ChatRequest,
) -> ChatError {
    let message = message(body);
    if let Some(feature) = unsupported(status, &message, request) {
        return ChatError::Unsupported {
            feature,
            status,
            message,
        };
    }
    if let Some(wait_secs) = wait_secs.filter(|secs| is_passing(status) && *secs > cap_secs) {
        return ChatError::Other(format!(
            "get an answer from {url}: status {status}; the server asks to wait {wait_secs:.0} s, \
             but at most {cap_secs:.0} s are allowed{}",
            colon(&message)
        ));
    }
    ChatError::Status {
        url,
        status,
        message,
        wait_secs,
    }
}

/// Finds the server's message in any of the known formats.
fn message(body: &str) -> String {
    let Ok(raw) = serde_json::from_str::<Value>(body) else {
        return one_line(body);
    };
    if let Some((_, message)) = reported_error(&raw) {
        return message;
    }
    let said = ["message", "detail"].iter().find_map(|k| raw[*k].as_str());
    one_line(said.unwrap_or(body))
}

/// Returns the feature that the model does not support, if the message says so. The status is
/// ignored: llama.cpp always answers 500 to a picture that its model does not support.
fn unsupported(status: u16, message: &str, request: &ChatRequest) -> Option<Feature> {
    const NO: [&str; 7] = [
        "not support",
        "n't support",
        "unsupported",
        "not supported",
        "only supported",
        "no endpoints found that support",
        "requires",
    ];
    // Errors about keys and rate limits may mention features as well.
    if matches!(status, 401 | 403 | 408 | 429) {
        return None;
    }
    let message = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    if !says(&NO) {
        return None;
    }
    if !request.images.is_empty() && says(&["image", "vision", "multimodal", "mmproj"]) {
        Some(Feature::Images)
    } else if request.format.is_some() && says(&["response_format", "json_schema", "schema"]) {
        Some(Feature::JsonSchema)
    } else if !request.tools.is_empty() && says(&["tool", "function call"]) {
        Some(Feature::Tools)
    } else {
        None
    }
}
