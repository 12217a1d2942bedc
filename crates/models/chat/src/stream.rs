//! Assembles streamed answers.
//!
//! Chat completions use a small part of server-sent events: `data:` lines, each with a JSON object,
//! and `[DONE]`. The libraries for the whole standard (reconnecting, ids) have not been maintained
//! for years. Anthropic's events, which have types, are assembled in `events`.

use serde_json::{Value, json};

use crate::events;
use crate::wire::text_of;

/// Progress of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Pieces that have arrived, about one per token; 0 while the model reads the request.
    pub n_pieces: usize,
    /// Set if the attempt has ended.
    pub is_over: bool,
}

pub(crate) fn n_pieces(part: &[u8]) -> usize {
    part.windows(5).filter(|w| *w == b"data:").count()
}

/// Detects repetition in a stream. Weak models begin to repeat themselves and would fill their
/// context window.
#[derive(Default)]
pub(crate) struct Watch {
    n_read: usize,
    said: String,
    /// Result of the last call of [`Self::repeats`].
    pub(crate) has_repeated: bool,
}

impl Watch {
    /// Length of the piece at the end of the answer that is searched for, bytes.
    const PIECE: usize = 500;
    /// Number of occurrences from which the piece counts as endless repetition.
    const TIMES: usize = 3;
    /// Number of bytes at the end of the answer that are searched.
    const BACK: usize = 8_192;

    /// Returns true if the model only repeats itself in the stream so far.
    pub(crate) fn repeats(&mut self, stream: &[u8]) -> bool {
        let fresh = stream.get(self.n_read..).unwrap_or_default();
        let Some(end) = fresh.iter().rposition(|byte| *byte == b'\n') else {
            return false;
        };
        self.n_read += end + 1;
        let lines = String::from_utf8_lossy(&fresh[..end]);
        let data = lines.lines().filter_map(|line| line.strip_prefix("data:"));
        for event in data.filter_map(|data| serde_json::from_str::<Value>(data).ok()) {
            let delta = &event["choices"][0]["delta"];
            let anthropic = &event["delta"];
            let call = &delta["tool_calls"][0]["function"]["arguments"];
            let theirs = ["text", "partial_json"].map(|part| &anthropic[part]);
            let parts = [&delta["content"], call, theirs[0], theirs[1]];
            self.said
                .extend(parts.into_iter().filter_map(Value::as_str));
        }
        let said = self.said.as_bytes();
        let said = &said[said.len().saturating_sub(Self::BACK)..];
        let Some(start) = said.len().checked_sub(Self::PIECE) else {
            return false;
        };
        let (mut rest, piece) = (said, &said[start..]);
        let mut n = 0;
        while let Some(at) = rest.windows(Self::PIECE).position(|part| part == piece) {
            n += 1;
            rest = &rest[at + Self::PIECE..];
        }
        self.has_repeated = n >= Self::TIMES;
        self.has_repeated
    }
}

/// Assembles a stream of deltas into a complete answer. `None` if the stream broke off before the
/// end. If the client `stopped` it, the answer counts as one that reached its longest length.
pub(crate) fn merged(stream: &str, stopped: bool) -> Option<Value> {
    let mut whole = Whole::default();
    let mut message = events::Whole::default();
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
        if events::Whole::knows(&chunk) {
            message.add(&chunk);
        } else {
            whole.add(&chunk);
        }
    }
    if stopped {
        message.stop();
        whole.finish_reason = json!("length");
    }
    if message.is_over {
        return Some(message.answer);
    }
    (stopped || whole.is_over).then(|| whole.answer())
}

#[derive(Default)]
struct Whole {
    content: String,
    thoughts: String,
    refusal: String,
    calls: Vec<Call>,
    finish_reason: Value,
    usage: Value,
    is_over: bool,
}

#[derive(Default)]
struct Call {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: Value,
}

impl Call {
    fn is_whole(&self) -> bool {
        match &self.arguments {
            Value::Null => false,
            Value::String(text) => serde_json::from_str::<Value>(text).is_ok(),
            _ => true,
        }
    }

    fn add(&mut self, piece: &Value) {
        if let Some(id) = piece["id"].as_str().filter(|id| !id.is_empty()) {
            id.clone_into(&mut self.id);
        }
        let name = piece["function"]["name"].as_str().unwrap_or_default();
        // Some servers repeat the name in every piece.
        if self.name != name {
            self.name += name;
        }
        match (&mut self.arguments, &piece["function"]["arguments"]) {
            (_, Value::Null) => {}
            (Value::String(so_far), Value::String(more)) => so_far.push_str(more),
            // Arguments as an object come in one piece.
            (Value::Object(_), Value::String(more)) if more.is_empty() => {}
            (arguments, given) => *arguments = given.clone(),
        }
    }
}

impl Whole {
    fn add(&mut self, chunk: &Value) {
        if !chunk["usage"].is_null() {
            self.usage = chunk["usage"].clone();
        }
        let choice = &chunk["choices"][0];
        let delta = &choice["delta"];
        self.content += &text_of(&delta["content"]);
        let thoughts = [&delta["reasoning_content"], &delta["reasoning"]];
        let thought = thoughts.into_iter().find_map(Value::as_str);
        self.thoughts += thought.unwrap_or_default();
        self.refusal += delta["refusal"].as_str().unwrap_or_default();
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.add_call(call);
        }
        if !choice["finish_reason"].is_null() {
            self.finish_reason = choice["finish_reason"].clone();
            self.is_over = true;
        }
    }

    /// Finds the call to which a piece belongs: the last one with its index, or the last of all
    /// without an index. A name with another id, or after complete arguments, begins a new call
    /// whatever its index.
    fn goes_on(&mut self, piece: &Value) -> Option<&mut Call> {
        let index = piece["index"].as_u64();
        let same = |call: &&mut Call| index.is_none() || call.index == index;
        let last = self.calls.iter_mut().rev().find(same)?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (id, name) = (text(&piece["id"]), text(&piece["function"]["name"]));
        let has_arguments = !matches!(&piece["function"]["arguments"], Value::Null)
            && piece["function"]["arguments"] != "";
        let is_other = !id.is_empty() && !last.id.is_empty() && id != last.id;
        let is_same = !id.is_empty() && id == last.id;
        let begins_without_index = index.is_none() && !is_same && !last.name.is_empty();
        let begins = is_other || begins_without_index || (last.is_whole() && has_arguments);
        (name.is_empty() || !begins).then_some(last)
    }

    fn add_call(&mut self, piece: &Value) {
        const MOST_CALLS: usize = 10_000;
        if let Some(call) = self.goes_on(piece) {
            call.add(piece);
        } else if self.calls.len() < MOST_CALLS {
            let mut call = Call {
                index: piece["index"].as_u64(),
                ..Call::default()
            };
            call.add(piece);
            self.calls.push(call);
        }
    }

    fn answer(self) -> Value {
        let mut calls = self.calls;
        calls.sort_by_key(|call| call.index);
        let calls = calls.into_iter().map(|call| {
            json!({
                "id": call.id,
                "type": "function",
                "function": { "name": call.name, "arguments": call.arguments },
            })
        });
        let calls: Vec<Value> = calls.collect();
        let text = |text: String| (!text.is_empty()).then_some(text);
        let mut message = json!({
            "role": "assistant",
            "content": text(self.content),
            "reasoning_content": text(self.thoughts),
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
        let stream = include_str!("../tests/data/completions.sse");
        let answer = merged(stream, false).expect("a complete answer");
        let message = &answer["choices"][0]["message"];
        assert_eq!(message["content"], "I pick.");
        let arguments = &message["tool_calls"][0]["function"]["arguments"];
        assert_eq!(arguments, r#"{"object":"cube"}"#);
        assert_eq!(message["tool_calls"][1]["function"]["name"], "home");
        assert_eq!(answer["usage"]["completion_tokens"], 7);
        assert_eq!(answer["choices"][0]["finish_reason"], "tool_calls");
    }

    #[test]
    fn words_in_lists_of_parts_are_words() {
        let part = |text: &str| delta(json!({ "content": [{ "type": "text", "text": text }] }));
        let answer = merged(&stream(&[part("I "), part("pick.")], true), false);
        let message = &answer.expect("a complete answer")["choices"][0]["message"];
        assert_eq!(message["content"], "I pick.");
    }

    #[test]
    fn calls_are_told_apart_whatever_their_indices() {
        let piece = |index: Value, id: Value, name: Value, args: Value| {
            let function = json!({ "name": name, "arguments": args });
            delta(json!({ "tool_calls": [{ "index": index, "id": id, "function": function }] }))
        };
        let (a, b) = ("{\"object\":\"cube\"}", "{\"target\":\"bowl\"}");
        let none = Value::Null;
        let text = [json!(a), json!(b)];
        let objects = [json!({ "object": "cube" }), json!({ "target": "bowl" })];
        let whole = |indices: [Value; 2], ids: [Value; 2], [first, second]: [Value; 2]| {
            let ([i, j], [one, two]) = (indices, ids);
            vec![
                piece(i, one, json!("pick"), first),
                piece(j, two, json!("place_in"), second),
            ]
        };
        let ids = || [json!("x"), json!("y")];
        let no_ids = || [Value::Null, Value::Null];
        let streams = [
            // The same index for all, with ids, with empty ids, and without.
            whole([json!(0), json!(0)], ids(), text.clone()),
            whole([json!(0), json!(0)], [json!(""), json!("")], text.clone()),
            whole([json!(3), json!(3)], no_ids(), text.clone()),
            // Indices from one, with a gap, and none.
            whole([json!(1), json!(2)], ids(), text.clone()),
            whole([json!(4), json!(9)], no_ids(), text.clone()),
            whole(no_ids(), no_ids(), text),
            // Objects with the same index.
            whole([json!(0), json!(0)], ids(), objects),
            // Name and id in every piece, and interleaved pieces.
            vec![
                piece(json!(1), json!("x"), json!("pick"), json!("")),
                piece(json!(2), json!("y"), json!("place_in"), json!("")),
                piece(json!(1), json!("x"), json!("pick"), json!(&a[..9])),
                piece(json!(2), none.clone(), none.clone(), json!(&b[..9])),
                piece(json!(1), none.clone(), json!("pick"), json!(&a[9..])),
                piece(json!(2), json!("y"), json!("place_in"), json!(&b[9..])),
            ],
        ];
        for chunks in streams {
            let answer = merged(&stream(&chunks, true), false).expect("a complete answer");
            let calls = answer["choices"][0]["message"]["tool_calls"].clone();
            let calls = calls.as_array().expect("calls").iter().map(|call| {
                let function = &call["function"];
                let arguments = crate::fields::arguments(Some(function["arguments"].clone()));
                (function["name"].clone(), arguments.expect("JSON"))
            });
            let expected = [
                (json!("pick"), json!({ "object": "cube" })),
                (json!("place_in"), json!({ "target": "bowl" })),
            ];
            assert_eq!(calls.collect::<Vec<_>>(), expected, "{chunks:?}");
        }
    }

    #[test]
    fn what_breaks_off_is_no_answer_and_an_error_is_one() {
        let words = delta(json!({ "content": "I would" }));
        let cut = stream(std::slice::from_ref(&words), false);
        assert_eq!(merged(&cut, false), None);
        assert_eq!(merged("", false), None);
        let error = json!({ "error": { "message": "out of memory" } });
        let failed = stream(&[words, error.clone()], false);
        assert_eq!(merged(&failed, false), Some(error));
    }

    #[test]
    fn who_repeats_a_paragraph_is_stopped_and_who_makes_a_long_plan_is_not() {
        let watched = |texts: &[String]| {
            let chunks: Vec<Value> = texts
                .iter()
                .map(|t| delta(json!({ "content": t })))
                .collect();
            let all = stream(&chunks, false);
            let mut watch = Watch::default();
            let ends = all.match_indices("\n\n").map(|(at, _)| at + 2);
            ends.map(|end| watch.repeats(&all.as_bytes()[..end]))
                .position(|repeats| repeats)
        };
        let plan: Vec<String> = (0..60)
            .map(|i| format!("{{\"name\":\"pick\",\"arguments\":{{\"object\":\"cube_{i}\"}}}},{{\"name\":\"place_in\",\"arguments\":{{\"target\":\"bowl\"}}}},"))
            .collect();
        assert_eq!(watched(&plan), None);
        let paragraph: Vec<String> = plan[..8].iter().cycle().take(160).cloned().collect();
        let stopped = watched(&paragraph).expect("the repetition is detected");
        assert!((16..24).contains(&stopped), "{stopped}");
        assert!(watched(&vec!["  \n".to_owned(); 1_000]).is_some());
    }
}
