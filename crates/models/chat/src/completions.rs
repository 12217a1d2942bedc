//! The dialect of OpenAI's chat completions and compatible servers.

use serde_json::{Map, Value, json};

use crate::fields::{arguments, base64, id_or};
use crate::portable::{portable, strict};
use crate::{ChatAnswer, ChatError, ChatRequest, Endpoint, Tool, ToolCall, Usage};

pub(crate) fn encode(endpoint: &Endpoint, request: &ChatRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), json!(endpoint.model));
    body.insert(
        "messages".into(),
        json!([
            { "role": "system", "content": request.system },
            { "role": "user", "content": user_content(request) },
        ]),
    );
    let limit: &str = endpoint.token_field.into();
    body.insert(limit.into(), json!(request.max_tokens));
    if let Some(temperature) = endpoint.temperature {
        body.insert("temperature".into(), json!(temperature));
    }
    if let Some(seed) = endpoint.seed {
        body.insert("seed".into(), json!(seed));
    }
    if endpoint.streams {
        body.insert("stream".into(), json!(true));
        body.insert("stream_options".into(), json!({ "include_usage": true }));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|t| tool(t, endpoint.strict));
        body.insert("tools".into(), tools.collect());
        let must = request.must_call && endpoint.says_must_call;
        let choice = if must { "required" } else { "auto" };
        body.insert("tool_choice".into(), json!(choice));
        if endpoint.says_parallel_calls {
            body.insert("parallel_tool_calls".into(), json!(true));
        }
    }
    if let Some(format) = &request.format {
        let strict_schema = strict(&format.schema).filter(|_| endpoint.strict);
        let is_strict = strict_schema.is_some();
        let schema = strict_schema.unwrap_or_else(|| portable(&format.schema));
        body.insert(
            "response_format".into(),
            json!({ "type": "json_schema", "json_schema": {
                "name": format.name, "schema": schema, "strict": is_strict,
            }}),
        );
    }
    Value::Object(body)
}

/// Returns a string, or a list of parts if there are pictures. Some servers accept only strings.
fn user_content(request: &ChatRequest) -> Value {
    if request.images.is_empty() {
        return json!(request.user);
    }
    let mut parts = vec![json!({ "type": "text", "text": request.user })];
    for image in &request.images {
        let url = format!("data:image/png;base64,{}", base64(image));
        parts.push(json!({ "type": "text", "text": image.caption }));
        parts.push(json!({ "type": "image_url", "image_url": { "url": url, "detail": "auto" } }));
    }
    Value::Array(parts)
}

fn tool(tool: &Tool, wants_strict: bool) -> Value {
    let mut function = json!({ "name": tool.name, "description": tool.description });
    let strict_schema = strict(&tool.schema).filter(|_| wants_strict);
    if wants_strict {
        function["strict"] = json!(strict_schema.is_some());
    }
    function["parameters"] = strict_schema.unwrap_or_else(|| portable(&tool.schema));
    json!({ "type": "function", "function": function })
}

/// Decodes an answer. The finish reason is ignored, since servers send `stop` with calls and
/// `tool_calls` without.
pub(crate) fn decode(raw: &Value) -> Result<ChatAnswer, ChatError> {
    let malformed = |why: &str| ChatError::Malformed(why.into());
    let choice = raw["choices"].get(0);
    let choice = choice.ok_or_else(|| malformed("it has no `choices`"))?;
    let message = &choice["message"];
    if !message.is_object() {
        return Err(malformed("its choice has no `message`"));
    }
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    let calls = calls.enumerate().map(|(idx, call)| ToolCall {
        id: id_or(&call["id"], idx),
        name: text_of(&call["function"]["name"]),
        arguments: arguments(call["function"].get("arguments").cloned()),
    });
    // Servers use different names for the thoughts of a model.
    let thoughts = ["reasoning_content", "reasoning"].map(|name| text_of(&message[name]));
    let [thoughts, otherwise] = thoughts;
    let usage = &raw["usage"];
    Ok(ChatAnswer {
        text: text_of(&message["content"]),
        thoughts: if thoughts.is_empty() {
            otherwise
        } else {
            thoughts
        },
        calls: calls.collect(),
        refusal: message["refusal"].as_str().map(str::to_owned),
        was_cut: choice["finish_reason"] == "length",
        usage: Usage {
            prompt: usage["prompt_tokens"].as_u64().unwrap_or(0),
            completion: usage["completion_tokens"].as_u64().unwrap_or(0),
            is_estimate: false,
        },
        raw: Value::Null,
    })
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
