//! Tests of an endpoint's features, and calls for code without an async runtime.

use std::panic::resume_unwind;
use std::thread;
use std::time::Instant;

use serde::Serialize;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use crate::{
    AnswerFormat, AnswerMode, ChatAnswer, ChatError, ChatImage, ChatModel, ChatRequest, Feature,
    ModelError, Tool, strip_fence,
};

/// Picture that is blue on the left and yellow on the right.
const PICTURE: &[u8] = include_bytes!("probe.png");
/// Longest answer, tokens, with room for models that reason in their answer.
const MAX_TOKENS: u32 = 1024;
const NUMBER: i64 = 7_351;

/// Result of a test of one feature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, strum::Display)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// The model did as asked.
    #[strum(to_string = "honoured")]
    Honoured,
    /// The model answered as if the feature had not been requested.
    #[strum(to_string = "ignored ({got})")]
    Ignored {
        /// Beginning of the answer.
        got: String,
    },
    /// The server reported that the model does not support the feature.
    #[strum(to_string = "refused ({message})")]
    Refused {
        /// Message of the server.
        message: String,
    },
    /// The request failed for another reason.
    #[strum(to_string = "unknown (failed to {error})")]
    Unknown {
        /// Error of the request.
        error: String,
    },
}

impl Support {
    /// Returns true if the feature works.
    pub fn is_honoured(&self) -> bool {
        *self == Self::Honoured
    }
}

/// Features of an endpoint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProbeReport {
    /// Name of the model.
    pub model: String,
    /// Error if the model does not answer at all.
    pub unreachable: Option<String>,
    /// Wall time of a short answer, s.
    pub latency_secs: Option<f64>,
    /// Tool calls with arguments.
    pub tools: Support,
    /// Pictures as input.
    pub images: Support,
    /// Answers that follow a JSON schema.
    pub json_schema: Support,
    /// Best answer mode; `None` if the model does not answer.
    pub mode: Option<AnswerMode>,
}

/// Tests an endpoint with four short requests. Never fails, since errors are in the report.
pub async fn probe(model: &dyn ChatModel) -> ProbeReport {
    let begun = Instant::now();
    let greeting = model.chat(&question("Say hello in one word.")).await;
    let latency_secs = begun.elapsed().as_secs_f64();
    let skipped = Support::Unknown {
        error: "reach the model".into(),
    };
    let mut report = ProbeReport {
        model: model.model().to_owned(),
        unreachable: greeting.err().map(|error| error.to_string()),
        latency_secs: None,
        tools: skipped.clone(),
        images: skipped.clone(),
        json_schema: skipped,
        mode: None,
    };
    if report.unreachable.is_none() {
        report.latency_secs = Some(latency_secs);
        let tools = model.chat(&tool_question()).await;
        report.tools = judge(tools, Feature::Tools, calls_with_number);
        let schema = model.chat(&schema_question()).await;
        report.json_schema = judge(schema, Feature::JsonSchema, keeps_to_schema);
        let images = model.chat(&image_question()).await;
        report.images = judge(images, Feature::Images, sees_colours);
        report.mode = Some(best_mode(&report.tools, &report.json_schema));
    }
    report
}

/// Waits for a future, for callers without a runtime.
///
/// # Errors
///
/// The runtime cannot be created.
pub fn block_on<T>(future: impl Future<Output = T>) -> std::io::Result<T> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(future))
}

/// Prefers tool calls, for which models are trained. Any model can write text with a code fence.
fn best_mode(tools: &Support, json_schema: &Support) -> AnswerMode {
    if tools.is_honoured() {
        AnswerMode::Tools
    } else if json_schema.is_honoured() {
        AnswerMode::Schema
    } else {
        AnswerMode::Text
    }
}

fn judge(
    answer: Result<ChatAnswer, ModelError>,
    feature: Feature,
    is_done: fn(&ChatAnswer) -> bool,
) -> Support {
    match answer {
        Ok(answer) if is_done(&answer) => Support::Honoured,
        Ok(answer) => Support::Ignored {
            got: shortly(&answer),
        },
        Err(error) => match error.cause {
            ChatError::Unsupported {
                feature: refused,
                message,
                ..
            } if refused == feature => Support::Refused { message },
            _ => Support::Unknown {
                error: error.to_string(),
            },
        },
    }
}

fn shortly(answer: &ChatAnswer) -> String {
    match answer.calls.first() {
        Some(call) => format!("it called `{}`", crate::wire::one_line(&call.name)),
        None => {
            let text = crate::wire::one_line(&answer.text);
            let start: String = text.chars().take(60).collect();
            format!("it said `{start}`")
        }
    }
}

fn question(user: &str) -> ChatRequest {
    ChatRequest {
        system: "You are asked to show what you can do. Do exactly what is asked.".into(),
        user: user.into(),
        max_tokens: MAX_TOKENS,
        ..ChatRequest::default()
    }
}

fn tool_question() -> ChatRequest {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["number"],
        "properties": { "number": { "type": "integer", "description": "The number." } },
    });
    ChatRequest {
        tools: vec![Tool {
            name: "report_number".into(),
            description: "Reports a number.".into(),
            schema,
        }],
        must_call: true,
        ..question(&format!(
            "Call the tool `report_number` with the number {NUMBER}."
        ))
    }
}

fn calls_with_number(answer: &ChatAnswer) -> bool {
    answer.calls.iter().any(|call| {
        let arguments = call.arguments.as_ref();
        call.name == "report_number" && arguments.is_ok_and(|a| a["number"] == NUMBER)
    })
}

/// Asks for text with a schema that no normal answer would meet.
fn schema_question() -> ChatRequest {
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["greeting_in_words"],
        "properties": { "greeting_in_words": { "type": "array", "items": { "type": "string" } } },
    });
    ChatRequest {
        format: Some(AnswerFormat {
            name: "greeting".into(),
            schema,
        }),
        ..question("Say hello.")
    }
}

/// Accepts a code fence, although a server that enforces the schema adds none.
fn keeps_to_schema(answer: &ChatAnswer) -> bool {
    let value = serde_json::from_str::<Value>(strip_fence(&answer.text)).unwrap_or_default();
    let words = value["greeting_in_words"].as_array();
    let only_that = value.as_object().is_some_and(|fields| fields.len() == 1);
    only_that && words.is_some_and(|words| words.iter().all(Value::is_string))
}

fn image_question() -> ChatRequest {
    ChatRequest {
        images: vec![ChatImage {
            caption: "The picture:".into(),
            png: PICTURE.to_vec(),
        }],
        ..question(
            "The picture has one colour on its left half and another on its right half. Name \
             both colours.",
        )
    }
}

fn sees_colours(answer: &ChatAnswer) -> bool {
    let text = answer.text.to_lowercase();
    text.contains("blue") && text.contains("yellow")
}

/// Asks once and blocks until the answer. May also be called within a runtime, because the model is
/// polled on a thread of its own.
///
/// # Errors
///
/// As [`ChatModel::chat`], and [`ChatError::Setup`] if no runtime can be created.
pub fn chat_blocking(
    model: &dyn ChatModel,
    request: &ChatRequest,
) -> Result<ChatAnswer, ModelError> {
    let asked = || {
        block_on(model.chat(request)).unwrap_or_else(|error| {
            let detail = format!("no runtime could be started to wait for the answer: {error}");
            Err(ChatError::Setup(detail).into())
        })
    };
    thread::scope(|scope| match scope.spawn(asked).join() {
        Ok(outcome) => outcome,
        Err(panic) => resume_unwind(panic),
    })
}
