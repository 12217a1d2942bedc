//! Answers that come word by word, put together again.
//!
//! Server-sent events as chat completions use them need no more than this: `data:` lines, each a
//! JSON object, and `[DONE]`. The libraries for the whole standard (reconnecting, ids) have not
//! been kept up for years.

use serde_json::{Map, Value, json};

/// How far an answer has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Pieces that have arrived, about as many as tokens; 0 while the model reads the question.
    pub n_pieces: usize,
    /// Whether nothing more comes.
    pub is_over: bool,
}

/// How many pieces of an answer a part of a stream holds.
pub(crate) fn n_pieces(part: &[u8]) -> usize {
    part.windows(5).filter(|w| *w == b"data:").count()
}

/// The answer that a stream of deltas amounts to, in the form of one that came at once; `None`
/// if the stream broke off before the answer's end.
pub(crate) fn merged(stream: &str) -> Option<Value> {
    let mut whole = Whole::default();
    for line in stream.lines() {
        let Some(data) = line.strip_prefix("data:").map(str::trim) else {
            continue;
        };
        if data == "[DONE]" {
            whole.is_over = true;
            break;
        }
        let Ok(chunk) = serde_json::from_str::<Value>(data) else {
            continue;
        };
        if !chunk["error"].is_null() {
            return Some(chunk);
        }
        whole.add(&chunk);
    }
    whole.is_over.then(|| whole.answer())
}

#[derive(Default)]
struct Whole {
    content: String,
    refusal: String,
    calls: Vec<Map<String, Value>>,
    finish_reason: Value,
    usage: Value,
    is_over: bool,
}

impl Whole {
    fn add(&mut self, chunk: &Value) {
        if !chunk["usage"].is_null() {
            self.usage = chunk["usage"].clone();
        }
        let choice = &chunk["choices"][0];
        let delta = &choice["delta"];
        self.content += delta["content"].as_str().unwrap_or_default();
        self.refusal += delta["refusal"].as_str().unwrap_or_default();
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.add_call(call);
        }
        if !choice["finish_reason"].is_null() {
            self.finish_reason = choice["finish_reason"].clone();
            self.is_over = true;
        }
    }

    /// A piece of a call belongs to the one of its index; without one, to a new call if it has an
    /// id or a name, else to the last.
    fn add_call(&mut self, piece: &Value) {
        const MOST_CALLS: usize = 10_000;
        let is_new = !piece["id"].is_null() || !piece["function"]["name"].is_null();
        let idx = match piece["index"].as_u64() {
            Some(idx) => idx as usize,
            None if is_new || self.calls.is_empty() => self.calls.len(),
            None => self.calls.len() - 1,
        };
        if idx >= MOST_CALLS {
            return;
        }
        if self.calls.len() <= idx {
            self.calls.resize_with(idx + 1, Map::new);
        }
        let call = &mut self.calls[idx];
        if let Some(id) = piece["id"].as_str() {
            call.insert("id".into(), json!(id));
        }
        for key in ["name", "arguments"] {
            let function = &piece["function"][key];
            match function {
                Value::String(more) => {
                    let so_far = call.get(key).and_then(Value::as_str).unwrap_or_default();
                    // Some servers repeat the name in every piece.
                    let is_again = key == "name" && so_far == more;
                    let text = if is_again {
                        so_far.to_owned()
                    } else {
                        format!("{so_far}{more}")
                    };
                    call.insert(key.into(), json!(text));
                }
                Value::Null => {}
                // Arguments as an object come whole.
                other => drop(call.insert(key.into(), other.clone())),
            }
        }
    }

    fn answer(self) -> Value {
        let calls = self.calls.into_iter().map(|call| {
            json!({
                "id": call.get("id"),
                "type": "function",
                "function": { "name": call.get("name"), "arguments": call.get("arguments") },
            })
        });
        let calls: Vec<Value> = calls.collect();
        let text = |text: String| (!text.is_empty()).then_some(text);
        let mut message = json!({
            "role": "assistant",
            "content": text(self.content),
            "refusal": text(self.refusal),
        });
        if !calls.is_empty() {
            message["tool_calls"] = json!(calls);
        }
        let mut answer = json!({
            "choices": [{ "message": message, "finish_reason": self.finish_reason }],
        });
        if !self.usage.is_null() {
            answer["usage"] = self.usage;
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(chunks: &[Value], done: bool) -> String {
        let lines = chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
        let end = if done { "data: [DONE]\n\n" } else { "" };
        lines.collect::<String>() + end
    }

    fn delta(delta: Value) -> Value {
        json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] })
    }

    #[test]
    fn pieces_make_the_answer_that_would_have_come_at_once() {
        let call = |args: &str| {
            delta(json!({ "tool_calls": [{ "index": 0, "function": { "arguments": args } }] }))
        };
        let chunks = [
            delta(json!({ "role": "assistant", "content": "I " })),
            delta(json!({ "content": "pick." })),
            delta(
                json!({ "tool_calls": [{ "index": 0, "id": "a", "type": "function",
                "function": { "name": "pick", "arguments": "" } }] }),
            ),
            call("{\"object\":"),
            call("\"cube\"}"),
            delta(json!({ "tool_calls": [{ "index": 1, "id": "b",
                "function": { "name": "home", "arguments": "{}" } }] })),
            json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] }),
            json!({ "choices": [], "usage": { "prompt_tokens": 9, "completion_tokens": 7 } }),
        ];
        let answer = merged(&stream(&chunks, true)).expect("it is whole");
        let message = &answer["choices"][0]["message"];
        assert_eq!(message["content"], "I pick.");
        assert_eq!(
            message["tool_calls"][0]["function"]["arguments"],
            "{\"object\":\"cube\"}"
        );
        assert_eq!(message["tool_calls"][1]["function"]["name"], "home");
        assert_eq!(answer["usage"]["completion_tokens"], 7);
        assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");
    }

    #[test]
    fn what_breaks_off_is_no_answer_and_an_error_is_one() {
        let words = delta(json!({ "content": "I would" }));
        assert_eq!(merged(&stream(std::slice::from_ref(&words), false)), None);
        assert_eq!(merged(""), None);
        let error = json!({ "error": { "message": "out of memory" } });
        assert_eq!(merged(&stream(&[words, error.clone()], false)), Some(error));
    }
}
