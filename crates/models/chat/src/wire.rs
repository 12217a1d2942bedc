//! Encodes requests to JSON and decodes answers, in either dialect: chat completions as OpenAI
//! defined them, or Anthropic's Messages.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::chat::estimate;
use crate::fields::arguments;
use crate::portable::{portable, strict, without_strict_nulls};
use crate::text_calls::without_thoughts;
use crate::{ChatAnswer, ChatError, ChatImage, ChatRequest, Dialect, Endpoint, ToolCall, Usage};

/// Format in which an answer was requested, and by which it is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Form {
    pub(crate) dialect: Dialect,
    pub(crate) strict: bool,
}

pub(crate) fn encode(endpoint: &Endpoint, request: &ChatRequest) -> Value {
    match endpoint.dialect() {
        Dialect::ChatCompletions => completion_request(endpoint, request),
        Dialect::Messages => message_request(&endpoint.model, request),
    }
}

fn completion_request(endpoint: &Endpoint, request: &ChatRequest) -> Value {
    // Some servers accept only strings as content, so a list is sent only for pictures.
    let user = match request.images.is_empty() {
        true => json!(request.user),
        false => parts(request, |data| {
            let url = format!("data:image/png;base64,{data}");
            json!({ "type": "image_url", "image_url": { "url": url, "detail": "auto" } })
        }),
    };
    let is_openai = endpoint.is_openai();
    // OpenAI's reasoning models reject the old name; other servers ignore or reject the new one.
    let limit = match is_openai {
        true => "max_completion_tokens",
        false => "max_tokens",
    };
    let mut body = json!({
        "model": endpoint.model,
        "messages": [
            { "role": "system", "content": request.system },
            { "role": "user", "content": user },
        ],
        limit: request.max_tokens,
    });
    // OpenAI's reasoning models reject a temperature, and some of its models stream for verified
    // organisations only. Elsewhere a stream distinguishes a slow model from a dead one.
    if !is_openai {
        body["temperature"] = json!(0.0);
        body["stream"] = json!(true);
        body["stream_options"] = json!({ "include_usage": true });
    }
    let strictly = |schema: &Value| {
        let strict = strict(schema).filter(|_| is_openai);
        (strict.is_some(), strict.unwrap_or_else(|| portable(schema)))
    };
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let (is_strict, schema) = strictly(&tool.schema);
            let mut function = json!({ "name": tool.name, "description": tool.description });
            if is_openai {
                function["strict"] = json!(is_strict);
            }
            function["parameters"] = schema;
            json!({ "type": "function", "function": function })
        });
        body["tools"] = tools.collect();
        // If forced, weak models behind llama.cpp generate up to the longest answer.
        let must = request.must_call && is_openai;
        body["tool_choice"] = json!(if must { "required" } else { "auto" });
        // Other servers reject the field.
        if is_openai {
            body["parallel_tool_calls"] = json!(true);
        }
    }
    if let Some(format) = &request.format {
        let (is_strict, schema) = strictly(&format.schema);
        body["response_format"] = json!({ "type": "json_schema", "json_schema": {
            "name": format.name, "schema": schema, "strict": is_strict,
        }});
    }
    body
}

/// Encodes a request for Messages. [`ChatRequest::format`] is ignored, because this version has no
/// answer schemas; the caller checks the answer in any case.
fn message_request(model: &str, request: &ChatRequest) -> Value {
    let content = parts(request, |data| {
        json!({ "type": "image", "source": {
            "type": "base64", "media_type": "image/png", "data": data,
        }})
    });
    let mut body = json!({
        "model": model,
        "max_tokens": request.max_tokens,
        "system": request.system,
        "messages": [{ "role": "user", "content": content }],
        "stream": true,
    });
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": portable(&tool.schema),
            })
        });
        body["tools"] = tools.collect();
        let choice = if request.must_call { "any" } else { "auto" };
        body["tool_choice"] = json!({ "type": choice });
    }
    body
}

/// Encodes the user prompt and the pictures; `picture` encodes one from its PNG data in base64.
fn parts(request: &ChatRequest, picture: impl Fn(String) -> Value) -> Value {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let shown = |image: &ChatImage| [text(&image.caption), picture(STANDARD.encode(&image.png))];
    let images = request.images.iter().flat_map(shown);
    std::iter::once(text(&request.user)).chain(images).collect()
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
        Dialect::ChatCompletions => completion(&raw)?,
        Dialect::Messages => message(&raw)?,
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

fn call_tokens(call: &ToolCall) -> u64 {
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

/// Decodes a chat completion. The finish reason is ignored, since servers send `stop` with calls
/// and `tool_calls` without.
fn completion(raw: &Value) -> Result<ChatAnswer, ChatError> {
    let malformed = |why: &str| ChatError::Malformed(why.into());
    let choice = raw["choices"].get(0);
    let choice = choice.ok_or_else(|| malformed("it has no `choices`"))?;
    let message = &choice["message"];
    if !message.is_object() {
        return Err(malformed("its choice has no `message`"));
    }
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    let calls = calls.enumerate().map(|(idx, call)| {
        let function = &call["function"];
        let name = text_of(&function["name"]);
        tool_call(idx, &call["id"], name, function.get("arguments"))
    });
    // Servers use different names for the thoughts of a model.
    let thoughts = ["reasoning_content", "reasoning"].map(|name| text_of(&message[name]));
    let thoughts = thoughts.into_iter().find(|thoughts| !thoughts.is_empty());
    Ok(ChatAnswer {
        text: text_of(&message["content"]),
        thoughts: thoughts.unwrap_or_default(),
        calls: calls.collect(),
        refusal: message["refusal"].as_str().map(str::to_owned),
        was_cut: choice["finish_reason"] == "length",
        usage: usage(raw, ["prompt_tokens", "completion_tokens"]),
        ..ChatAnswer::default()
    })
}

/// Decodes an answer of Messages.
pub(crate) fn message(raw: &Value) -> Result<ChatAnswer, ChatError> {
    let blocks = raw["content"].as_array();
    let blocks = blocks.ok_or_else(|| ChatError::Malformed("it has no `content`".into()))?;
    let mut answer = ChatAnswer {
        refusal: (raw["stop_reason"] == "refusal").then(|| "it refused".to_owned()),
        was_cut: raw["stop_reason"] == "max_tokens",
        usage: usage(raw, ["input_tokens", "output_tokens"]),
        ..ChatAnswer::default()
    };
    for block in blocks {
        let text = |name: &str| block[name].as_str().unwrap_or_default();
        match text("type") {
            "text" => answer.text += text("text"),
            "tool_use" => {
                let (idx, name) = (answer.calls.len(), text("name").to_owned());
                let call = tool_call(idx, &block["id"], name, block.get("input"));
                answer.calls.push(call);
            }
            // Thoughts and unknown parts contain nothing to execute.
            _ => {}
        }
    }
    Ok(answer)
}

/// Returns a call, with an id generated from its index if it has none.
fn tool_call(idx: usize, id: &Value, name: String, given: Option<&Value>) -> ToolCall {
    let id = id.as_str().filter(|id| !id.is_empty());
    ToolCall {
        id: id.map_or_else(|| format!("call_{idx}"), str::to_owned),
        name,
        arguments: arguments(given.cloned()),
    }
}

fn usage(raw: &Value, names: [&str; 2]) -> Usage {
    let [prompt, completion] = names.map(|name| raw["usage"][name].as_u64().unwrap_or(0));
    Usage {
        prompt,
        completion,
        is_estimate: false,
    }
}

/// Returns the text of a string or of a list of parts.
pub(crate) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            texts.collect::<Vec<_>>().join("")
        }
        _ => String::new(),
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
