//! Assembles Anthropic's streamed answers.
//!
//! The data of each event contain its type. `message_start` opens the answer,
//! `content_block_start` and `content_block_delta` carry its parts, `message_delta` carries the
//! stop reason and the usage, and `message_stop` ends it. `ping` and unknown events are skipped.

use serde_json::{Value, json};

/// Largest number of parts of an answer, which bounds memory.
const MOST_BLOCKS: u64 = 10_000;

pub(crate) struct Whole {
    /// The answer so far. A call's arguments are collected as text.
    pub(crate) answer: Value,
    pub(crate) is_over: bool,
}

impl Default for Whole {
    fn default() -> Self {
        let answer = json!({
            "type": "message", "role": "assistant", "content": [], "stop_reason": null,
            "usage": { "input_tokens": null, "output_tokens": null },
        });
        let is_over = false;
        Self { answer, is_over }
    }
}

impl Whole {
    pub(crate) fn knows(event: &Value) -> bool {
        event["type"].is_string() && event["choices"].is_null()
    }

    /// Ends the answer as if it had reached its longest length. Without parts, it stays incomplete.
    pub(crate) fn stop(&mut self) {
        self.answer["stop_reason"] = json!("max_tokens");
        self.is_over = self.answer["content"] != json!([]);
    }

    pub(crate) fn add(&mut self, event: &Value) {
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => self.count(&event["message"]["usage"]),
            "content_block_start" => {
                if let Some(block) = self.block(&event["index"]) {
                    *block = event["content_block"].clone();
                }
            }
            "content_block_delta" => {
                let (part, delta) = match event["delta"]["type"].as_str() {
                    Some("text_delta") => ("text", &event["delta"]["text"]),
                    Some("input_json_delta") => ("input", &event["delta"]["partial_json"]),
                    _ => return,
                };
                let more = delta.as_str().unwrap_or_default();
                if let Some(block) = self.block(&event["index"]) {
                    append(block, part, more);
                }
            }
            "message_delta" => {
                self.count(&event["usage"]);
                self.answer["stop_reason"] = event["delta"]["stop_reason"].clone();
            }
            "message_stop" => self.is_over = true,
            _ => {}
        }
    }

    fn count(&mut self, usage: &Value) {
        for name in ["input_tokens", "output_tokens"] {
            if !usage[name].is_null() {
                self.answer["usage"][name] = usage[name].clone();
            }
        }
    }

    fn block(&mut self, index: &Value) -> Option<&mut Value> {
        let idx = index.as_u64().filter(|idx| *idx < MOST_BLOCKS)? as usize;
        let blocks = self.answer["content"].as_array_mut()?;
        if blocks.len() <= idx {
            blocks.resize_with(idx + 1, || json!({}));
        }
        blocks.get_mut(idx)
    }
}

/// Appends text to a field of a part. The first text of arguments replaces the empty object that
/// stands for them.
fn append(block: &mut Value, part: &str, more: &str) {
    let Some(fields) = block.as_object_mut() else {
        return;
    };
    match fields.get_mut(part) {
        Some(Value::String(text)) => text.push_str(more),
        _ if more.is_empty() => {}
        _ => drop(fields.insert(part.into(), json!(more))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::merged;

    const STREAM: &str = include_str!("../tests/data/messages.sse");

    #[test]
    fn events_make_the_message_that_would_have_come_at_once() {
        let answer = merged(STREAM, false).expect("a complete answer");
        let answer = crate::wire::message(&answer).expect("a message");
        assert_eq!(answer.text, "I pick.");
        let calls = answer.calls.into_iter();
        let calls: Vec<_> = calls.map(|c| (c.name, c.arguments)).collect();
        let expected = [
            ("pick".to_owned(), Ok(json!({ "object": "cube" }))),
            ("home".to_owned(), Ok(json!({}))),
        ];
        assert_eq!(calls, expected);
        assert_eq!((answer.usage.prompt, answer.usage.completion), (9, 7));
    }

    #[test]
    fn a_message_that_breaks_off_is_no_answer_and_an_error_is_one() {
        for (end, _) in STREAM.match_indices("event: ") {
            assert_eq!(merged(&STREAM[..end], false), None, "{end} bytes");
        }
        let error =
            json!({ "type": "error", "error": { "type": "overloaded_error", "message": "x" } });
        let (begun, _) = STREAM
            .split_once("event: content_block_stop")
            .expect("a block");
        let broken = format!("{begun}event: error\ndata: {error}\n\n");
        assert_eq!(merged(&broken, false), Some(error));
    }
}
