//! Encodes requests to JSON and decodes answers, in either dialect.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chat::estimate;
use crate::portable::without_strict_nulls;
use crate::text_calls::without_thoughts;
use crate::{ChatAnswer, ChatError, ChatRequest, Dialect, Endpoint, Usage, anthropic, completions};

/// Format in which an answer was requested. Decoding needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Form {
    pub(crate) dialect: Dialect,
    pub(crate) strict: bool,
}

pub(crate) fn encode(endpoint: &Endpoint, request: &ChatRequest) -> Value {
    match endpoint.dialect {
        Dialect::ChatCompletions => completions::encode(endpoint, request),
        Dialect::Messages => anthropic::encode(endpoint, request),
    }
}

pub(crate) fn decode(
    form: Form,
    request: &ChatRequest,
    raw: Value,
) -> Result<ChatAnswer, ChatError> {
    if let Some((code, message)) = reported_error(&raw) {
        return Err(ChatError::Reported { code, message });
    }
    let mut answer = match form.dialect {
        Dialect::ChatCompletions => completions::decode(&raw)?,
        Dialect::Messages => anthropic::decode(&raw)?,
    };
    let (said, thought) = without_thoughts(&answer.text);
    answer.text = said;
    answer.thoughts += &thought;
    if form.strict {
        undo_strict(&mut answer, request);
    }
    if answer.usage == Usage::default() {
        let said: u64 = answer.calls.iter().map(call_tokens).sum();
        answer.usage = Usage {
            prompt: request.estimated_tokens(),
            completion: estimate(&answer.text) + estimate(&answer.thoughts) + said,
            is_estimate: true,
        };
    }
    answer.raw = raw;
    Ok(answer)
}

fn call_tokens(call: &crate::ToolCall) -> u64 {
    let arguments = match &call.arguments {
        Ok(value) => estimate(&value.to_string()),
        Err(broken) => estimate(&broken.text),
    };
    estimate(&call.name) + arguments
}

fn undo_strict(answer: &mut ChatAnswer, request: &ChatRequest) {
    for call in &mut answer.calls {
        let tool = request.tools.iter().find(|tool| tool.name == call.name);
        if let (Some(tool), Ok(arguments)) = (tool, &mut call.arguments) {
            *arguments = without_strict_nulls(arguments.take(), &tool.schema);
        }
    }
}

const MAX_MESSAGE: usize = 300;

/// Shortens a server's text to one line for a message.
pub(crate) fn one_line(text: &str) -> String {
    let clean = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let clean = clean.chars().filter(|c| !c.is_control());
    let mut kept: String = clean.clone().take(MAX_MESSAGE).collect();
    if clean.count() > MAX_MESSAGE {
        kept.push('…');
    }
    kept
}

/// Returns the error in a body, with its code. Servers send it as an object, as a string, or as
/// `{"type": "error"}`; the code is a number or a string.
pub(crate) fn reported_error(raw: &Value) -> Option<(Option<u16>, String)> {
    let inner = raw["choices"].get(0).map_or(&Value::Null, |c| &c["error"]);
    let error = [&raw["error"], inner].into_iter().find(|e| !e.is_null())?;
    let message = match error {
        Value::String(text) => text.clone(),
        error => match error["message"].as_str() {
            Some(text) => text.to_owned(),
            None => error.to_string(),
        },
    };
    let code = match &error["code"] {
        Value::Number(n) => n.as_u64().and_then(|n| u16::try_from(n).ok()),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    Some((code, one_line(&message)))
}
