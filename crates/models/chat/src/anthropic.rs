//! The dialect of Anthropic's Messages API.

use serde_json::{Value, json};

use crate::fields::{arguments, base64, id_or};
use crate::portable::portable;
use crate::{ChatAnswer, ChatError, ChatRequest, Endpoint, ToolCall, Usage};

/// Encodes a request. [`ChatRequest::format`] is ignored, because this version has no answer
/// schemas; the caller checks the answer in any case.
pub(crate) fn encode(endpoint: &Endpoint, request: &ChatRequest) -> Value {
    let mut content = vec![json!({ "type": "text", "text": request.user })];
    for image in &request.images {
        content.push(json!({ "type": "text", "text": image.caption }));
        content.push(json!({ "type": "image", "source": {
            "type": "base64", "media_type": "image/png", "data": base64(image),
        }}));
    }
    let mut body = json!({
        "model": endpoint.model,
        "max_tokens": request.max_tokens,
        "system": request.system,
        "messages": [{ "role": "user", "content": content }],
    });
    if let Some(temperature) = endpoint.temperature {
        body["temperature"] = json!(temperature);
    }
    if endpoint.streams {
        body["stream"] = json!(true);
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({
                "name": tool.name,
                "description": tool.description,
                "input_schema": portable(&tool.schema),
            })
        });
        body["tools"] = tools.collect();
        let must = request.must_call && endpoint.says_must_call;
        body["tool_choice"] = json!({ "type": if must { "any" } else { "auto" } });
    }
    body
}

pub(crate) fn decode(raw: &Value) -> Result<ChatAnswer, ChatError> {
    let blocks = raw["content"].as_array();
    let blocks = blocks.ok_or_else(|| ChatError::Malformed("it has no `content`".into()))?;
    let usage = &raw["usage"];
    let mut answer = ChatAnswer {
        refusal: (raw["stop_reason"] == "refusal").then(|| "it refused".to_owned()),
        was_cut: raw["stop_reason"] == "max_tokens",
        usage: Usage {
            prompt: usage["input_tokens"].as_u64().unwrap_or(0),
            completion: usage["output_tokens"].as_u64().unwrap_or(0),
            is_estimate: false,
        },
        ..ChatAnswer::default()
    };
    for block in blocks {
        let text = |name: &str| block[name].as_str().unwrap_or_default();
        match text("type") {
            "text" => answer.text += text("text"),
            "tool_use" => answer.calls.push(ToolCall {
                id: id_or(&block["id"], answer.calls.len()),
                name: text("name").to_owned(),
                arguments: arguments(block.get("input").cloned()),
            }),
            // Thoughts and unknown parts contain nothing to execute.
            _ => {}
        }
    }
    Ok(answer)
}
