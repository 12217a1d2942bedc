//! Requests as they are sent, and answers of different servers as they are decoded.

use regrasp_chat::testing::{KEY, Reply, Server, limits, model_at};
use regrasp_chat::{ChatAnswer, ChatRequest, Provider};
use serde_json::{Value, json};

use crate::{ask, question, with_picture};

fn exchange(provider: Provider, reply: Reply, request: &ChatRequest) -> (ChatAnswer, Value) {
    let server = Server::scripted(vec![reply]);
    let (model, _) = model_at(provider, &server.url(), limits());
    let answer = ask(&model, request).unwrap();
    (answer, server.received()[0].body.clone())
}

fn read(body: Value) -> ChatAnswer {
    exchange(Provider::Custom, Reply::ok(body), &question()).0
}

fn first_call(answer: &ChatAnswer) -> (&str, Value) {
    let call = &answer.calls[0];
    (&call.name, call.arguments.clone().unwrap())
}

fn completion(message: Value, finish_reason: &str) -> Value {
    json!({ "choices": [{ "message": message, "finish_reason": finish_reason }] })
}

#[test]
fn calls_are_read_however_a_server_writes_them() {
    let expected = json!({ "object": "red_cube" });
    let string = expected.to_string();
    let fenced = format!("```json\n{string}\n```");
    let called = |arguments: &Value| json!({ "name": "pick", "arguments": arguments });
    let as_string = called(&json!(string));
    let without_id = json!({ "function": called(&expected) });
    let in_fence = json!({ "function": called(&json!(fenced)) });
    let behind = |more: &str| json!({ "function": called(&json!(format!("{string}{more}"))) });
    let calling = |mut message: Value, call: Value, finish_reason: &str| {
        message["tool_calls"] = json!([call]);
        completion(message, finish_reason)
    };
    let cases = [
        // OpenAI.
        calling(
            json!({ "role": "assistant", "content": null }),
            json!({ "id": "call_a1", "type": "function", "function": as_string }),
            "tool_calls",
        ),
        // Ollama: an object, without id and type.
        calling(json!({ "content": "" }), without_id, "stop"),
        // vLLM: thoughts beside the call, another finish reason.
        calling(
            json!({ "content": null, "reasoning_content": "hm" }),
            json!({ "id": "chatcmpl-tool-1", "type": "function", "function": as_string }),
            "stop",
        ),
        // Gemini: empty ids and an additional field.
        json!({ "id": null, "choices": [{ "finish_reason": "stop", "message": {
            "tool_calls": [{ "id": "", "type": "function", "extra_content": { "google": {} },
                             "function": as_string }] } }] }),
        // A code fence around the arguments.
        calling(json!({}), in_fence, "tool_calls"),
        // The end mark of a model after the arguments, and the arguments twice.
        calling(json!({}), behind("</s>\n"), "tool_calls"),
        calling(json!({}), behind(&string), "tool_calls"),
    ];
    for body in cases {
        let answer = read(body.clone());
        assert_eq!(first_call(&answer), ("pick", expected.clone()), "{body}");
        let id = &answer.calls[0].id;
        assert!(!id.is_empty(), "every call has an id: {body}");
        let usage = &answer.usage;
        assert!(usage.is_estimate && usage.total() > 0, "{usage:?}");
    }
}

#[test]
fn broken_arguments_stay_broken() {
    let cut = "{\"object\": \"red_cube\"";
    for text in [
        cut,
        "{object: red_cube}",
        "red_cube",
        "{\"x\": 1e999}",
        "{} {\"object\": \"red_cube\"}",
    ] {
        let function = json!({ "name": "pick", "arguments": text });
        let message = json!({ "tool_calls": [{ "function": function }] });
        let answer = read(completion(message, "tool_calls"));
        let broken = answer.calls[0].arguments.as_ref().expect_err(text);
        assert_eq!(broken.text, text);
    }
}

#[test]
fn usage_is_the_servers_where_it_tells() {
    let (answer, _) = exchange(Provider::Custom, Reply::words("hello"), &question());
    assert_eq!(answer.usage.total(), 120);
    assert!(!answer.usage.is_estimate);
    let parts = json!([{ "type": "text", "text": "hel" }, { "type": "text", "text": "lo" }]);
    let answer = read(completion(json!({ "content": parts }), "stop"));
    assert_eq!(answer.text, "hello");
}

#[test]
fn openai_is_asked_strictly_and_its_nulls_mean_left_out() {
    let nulls = json!({ "object": "red_cube", "force_n": null });
    let reply = Reply::calls(&[("pick", nulls.clone())]);
    let (answer, body) = exchange(Provider::OpenAi, reply.clone(), &question());
    assert_eq!(first_call(&answer).1, json!({ "object": "red_cube" }));
    let function = &body["tools"][0]["function"];
    assert_eq!(function["strict"], true);
    let required = function["parameters"]["required"].as_array().unwrap();
    for name in ["force_n", "object"] {
        assert!(required.contains(&json!(name)), "{required:?}");
    }
    assert_eq!(required.len(), 2);
    assert_eq!(body["tool_choice"], "required");
    assert_eq!(body["max_completion_tokens"], 500);
    assert_eq!(body.get("max_tokens"), None);

    let (answer, body) = exchange(Provider::Ollama, reply, &question());
    // The strict form was not requested, so nulls stay.
    assert_eq!(first_call(&answer).1, nulls);
    assert_eq!(body["max_tokens"], 500);
    assert_eq!(body["tool_choice"], "auto");
    let parameters = &body["tools"][0]["function"]["parameters"];
    assert_eq!(parameters["required"], json!(["object"]));
    assert!(!body.to_string().contains("\"format\""));
}

#[test]
fn anthropic_has_its_own_words() {
    let reply = Reply::ok(json!({
        "type": "message", "role": "assistant", "stop_reason": "tool_use",
        "content": [{ "type": "thinking", "thinking": "hm" },
                    { "type": "text", "text": "I pick it up." },
                    { "type": "tool_use", "id": "toolu_1", "name": "pick",
                      "input": { "object": "red_cube" } }],
        "usage": { "input_tokens": 300, "output_tokens": 40 },
    }));
    let server = Server::scripted(vec![reply]);
    let (model, _) = model_at(Provider::Anthropic, &server.url(), limits());
    let answer = ask(&model, &with_picture(question())).unwrap();
    let expected = ("pick", json!({ "object": "red_cube" }));
    assert_eq!(first_call(&answer), expected);
    assert_eq!(answer.text, "I pick it up.");
    assert_eq!(answer.usage.total(), 340);
    let received = &server.received()[0];
    assert_eq!(received.line, "POST /v1/messages");
    assert_eq!(received.header("x-api-key"), Some(KEY));
    assert_eq!(received.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(received.header("authorization"), None);
    let body = &received.body;
    assert_eq!(body["system"], "You move things.");
    assert_eq!(body["tool_choice"], json!({ "type": "any" }));
    let schema = &body["tools"][0]["input_schema"];
    assert_eq!(schema["required"], json!(["object"]));
    let source = &body["messages"][0]["content"][2]["source"];
    assert_eq!(source["media_type"], "image/png");
    let data = source["data"].as_str().unwrap();
    assert!(!data.starts_with("data:"), "bare base64");
}

/// A model that reasons for minutes does not count as dead while pieces of its answer arrive.
#[test]
fn anthropic_answers_word_by_word() {
    let body = include_str!("../data/messages.sse");
    let broken = &body[..body.find("cube").unwrap()];
    let kind = "text/event-stream; charset=utf-8";
    let streams = [broken, body].map(|events| Reply::stream(kind, events));
    let server = Server::scripted(streams.into());
    let (model, _) = model_at(Provider::Anthropic, &server.url(), limits());
    let answer = ask(&model, &question()).unwrap();
    assert_eq!(first_call(&answer), ("pick", json!({ "object": "cube" })));
    assert_eq!((answer.usage.prompt, answer.usage.completion), (9, 7));
    let received = server.received();
    assert_eq!(received.len(), 2, "half an answer is asked for again");
    assert_eq!(received[0].body["stream"], true);
}

#[test]
fn pictures_arrive_byte_by_byte() {
    use base64::Engine;
    let request = with_picture(question());
    let (_, body) = exchange(Provider::Custom, Reply::words("ok"), &request);
    let parts = body["messages"][1]["content"].as_array().unwrap();
    assert_eq!(parts[1]["text"], "From above:");
    let url = parts[2]["image_url"]["url"].as_str().unwrap();
    let data = url.strip_prefix("data:image/png;base64,").unwrap();
    let arrived = base64::engine::general_purpose::STANDARD.decode(data);
    assert_eq!(arrived.unwrap(), request.images[0].png);
    let (_, body) = exchange(Provider::Custom, Reply::words("ok"), &question());
    let content = &body["messages"][1]["content"];
    assert!(content.is_string(), "no parts without pictures");
}
