//! What an endpoint honours, found out by asking.

use std::fmt;
use std::time::Instant;

use serde::Serialize;
use serde_json::{Value, json};

use crate::blocking::runtime;
use crate::{
    AnswerFormat, AnswerMode, ChatAnswer, ChatError, ChatImage, ChatModel, ChatRequest, Feature,
    ModelError, Tool, strip_fence,
};

/// Blue on the left, yellow on the right.
const PICTURE: &[u8] = include_bytes!("probe.png");
/// Room for models that think aloud first.
const MAX_TOKENS: u32 = 1024;
/// A number that no answer holds by chance.
const NUMBER: i64 = 7_351;

/// What became of asking for something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    /// It was done.
    Honoured,
    /// The answer came as if nothing had been asked for.
    Ignored {
        /// How the answer looked instead.
        got: String,
    },
    /// The server said that this model cannot.
    Refused {
        /// In its words.
        message: String,
    },
    /// Nobody knows: the question failed for another reason.
    Unknown {
        /// Which.
        error: String,
    },
}

impl Support {
    /// Returns true if it was done.
    pub fn is_honoured(&self) -> bool {
        *self == Self::Honoured
    }
}

impl fmt::Display for Support {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Honoured => f.write_str("honoured"),
            Self::Ignored { got } => write!(f, "ignored ({got})"),
            Self::Refused { message } => write!(f, "refused ({message})"),
            Self::Unknown { error } => write!(f, "unknown (failed to {error})"),
        }
    }
}

/// What an endpoint honours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProbeReport {
    /// The model that was asked.
    pub model: String,
    /// Why it does not answer at all; `None` if it does.
    pub unreachable: Option<String>,
    /// Real time that a short answer took, s.
    pub latency_secs: Option<f64>,
    /// Calls of tools with arguments.
    pub tools: Support,
    /// Pictures.
    pub images: Support,
    /// Answers in the form of a schema.
    pub json_schema: Support,
    /// How the model is best asked; `None` if it does not answer.
    pub mode: Option<AnswerMode>,
}

/// Asks four short questions. Never fails: what goes wrong is in the report.
pub async fn probe(model: &dyn ChatModel) -> ProbeReport {
    let begun = Instant::now();
    let greeting = model.chat(&question("Say hello in one word.")).await;
    let latency_secs = begun.elapsed().as_secs_f64();
    if let Err(error) = greeting {
        let skipped = || Support::Unknown {
            error: "reach the model".into(),
        };
        return ProbeReport {
            model: model.model().to_owned(),
            unreachable: Some(error.to_string()),
            latency_secs: None,
            tools: skipped(),
            images: skipped(),
            json_schema: skipped(),
            mode: None,
        };
    }
    let tools = model.chat(&tool_question()).await;
    let tools = judge(tools, Feature::Tools, calls_with_number);
    let json_schema = model.chat(&schema_question()).await;
    let json_schema = judge(json_schema, Feature::JsonSchema, keeps_to_schema);
    let images = model.chat(&image_question()).await;
    let images = judge(images, Feature::Images, sees_colours);
    ProbeReport {
        model: model.model().to_owned(),
        unreachable: None,
        latency_secs: Some(latency_secs),
        mode: Some(best_mode(&tools, &json_schema)),
        tools,
        images,
        json_schema,
    }
}

/// As [`probe`], for callers without a runtime. Blocks.
///
/// # Errors
///
/// The machine has no room for a runtime.
pub fn probe_blocking(model: &dyn ChatModel) -> std::io::Result<ProbeReport> {
    Ok(runtime()?.block_on(probe(model)))
}

/// As [`ChatModel::window`], for callers without a runtime. Blocks.
///
/// # Errors
///
/// The machine has no room for a runtime.
pub fn window_blocking(model: &dyn ChatModel) -> std::io::Result<Option<u64>> {
    Ok(runtime()?.block_on(model.window()))
}

/// Calls first: models are trained for them. Words with a fence always work in some way.
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

/// Asks for words, with a schema that no answer in words would meet.
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

/// A server that enforces a schema adds no fence; a model that guessed might.
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
