//! Requests and answers, independent of any API dialect.

use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ChatError, ModelError};

/// One request to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    /// System prompt: the model's role and rules.
    pub system: String,
    /// User prompt.
    pub user: String,
    /// Pictures of the request, in order.
    pub images: Vec<ChatImage>,
    /// Tools that the model may call.
    pub tools: Vec<Tool>,
    /// True to require a call in the answer. The requirement is sent only to servers that support
    /// it.
    pub must_call: bool,
    /// Format of an answer in text, for servers that can enforce one.
    pub format: Option<AnswerFormat>,
    /// Longest answer, tokens.
    pub max_tokens: u32,
}

/// A picture with a caption.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatImage {
    /// Caption of the picture.
    pub caption: String,
    /// PNG data.
    pub png: Vec<u8>,
}

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Name of the tool.
    pub name: String,
    /// Purpose of the tool, and when to use it.
    pub description: String,
    /// JSON schema of the arguments, an object.
    pub schema: Value,
}

/// Required format of an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerFormat {
    /// Name of the format, one word.
    pub name: String,
    /// JSON schema of the answer.
    pub schema: Value,
}

/// Way in which a model returns calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum AnswerMode {
    /// Tool calls.
    #[default]
    Tools,
    /// JSON with a schema that the server enforces.
    Schema,
    /// JSON in a code fence, requested in the prompt.
    Text,
}

/// Answer of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatAnswer {
    /// Text without thoughts; empty if the model only made calls.
    pub text: String,
    /// Thoughts of the model, if the server or tags in the text mark them.
    pub thoughts: String,
    /// Calls in order.
    pub calls: Vec<ToolCall>,
    /// Reason for which the model refuses to answer, if it gives one.
    pub refusal: Option<String>,
    /// Set if the answer was cut off at its longest length. Only for messages, because some servers
    /// report a wrong reason for the end of an answer.
    pub was_cut: bool,
    /// Token usage of the exchange.
    pub usage: Usage,
    /// The answer as received, with secrets removed.
    pub raw: Value,
}

/// A tool call of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The server's id of the call, or a generated one.
    pub id: String,
    /// Name of the tool; empty if the server sent none.
    pub name: String,
    /// Arguments of any JSON type, or an error if they are not JSON.
    pub arguments: Result<Value, BrokenArguments>,
}

/// Arguments that are not valid JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenArguments {
    /// Text as received.
    pub text: String,
    /// Parse error.
    pub error: String,
}

/// Tokens of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request.
    pub prompt: u64,
    /// Tokens of the answer.
    pub completion: u64,
    /// Set if the server reported no usage, so that the counts are estimated from text lengths.
    pub is_estimate: bool,
}

impl Usage {
    /// Tokens of request and answer.
    pub fn total(self) -> u64 {
        self.prompt.saturating_add(self.completion)
    }
}

/// Tenths of a character per token, for estimates. A request with tools and data has 3.7 to 3.9
/// characters per token with the vocabularies of GPT-4 and GPT-4o.
const TENTHS_OF_CHARS_A_TOKEN: u64 = 37;
/// Tokens per picture, for estimates. By the vendors' formulas, a 640 x 480 picture costs 765 at
/// OpenAI and about 410 at Anthropic.
const TOKENS_AN_IMAGE: u64 = 800;

/// JSON that surrounds each tool in a request, for estimates.
const TOOL_AROUND: &str =
    r#"{"type":"function","function":{"name":"","description":"","parameters":}},"#;

pub(crate) fn estimate(text: &str) -> u64 {
    (10 * text.chars().count() as u64).div_ceil(TENTHS_OF_CHARS_A_TOKEN)
}

impl ChatRequest {
    /// Estimates the number of tokens of the request.
    pub fn estimated_tokens(&self) -> u64 {
        let images = self.images.iter();
        estimate(&self.system)
            + estimate(&self.user)
            + self.estimated_tool_tokens()
            + images
                .map(|i| TOKENS_AN_IMAGE + estimate(&i.caption))
                .sum::<u64>()
    }

    /// Estimates the number of tokens of the tools and the answer format.
    pub fn estimated_tool_tokens(&self) -> u64 {
        let around = estimate(TOOL_AROUND);
        let tools = self.tools.iter().map(|tool| {
            let schema = estimate(&tool.schema.to_string());
            around + estimate(&tool.name) + estimate(&tool.description) + schema
        });
        let format = self.format.as_ref();
        tools.sum::<u64>() + format.map_or(0, |f| estimate(&f.schema.to_string()))
    }
}

/// A chat model. Must be polled on a Tokio runtime.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Name of the model.
    fn model(&self) -> &str;

    /// Sends a request, and retries it after temporary errors.
    ///
    /// # Errors
    ///
    /// [`ModelError`]: the model gave no answer. A nonsensical answer is not an error.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ModelError>;

    /// Context window: largest number of tokens of a request and its answer together. `None` if the
    /// server does not report it.
    async fn window(&self) -> Option<u64> {
        None
    }
}

/// Model that sends nothing and keeps the first request, for example to estimate its tokens.
#[derive(Clone, Debug, Default)]
pub struct Scales(Arc<Mutex<Option<ChatRequest>>>);

impl Scales {
    /// Takes the request out; `None` if none was made since the last call.
    pub fn take(&self) -> Option<ChatRequest> {
        self.0.lock().take()
    }
}

#[async_trait]
impl ChatModel for Scales {
    fn model(&self) -> &str {
        "scales"
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ModelError> {
        self.0.lock().get_or_insert_with(|| request.clone());
        let detail = "it only estimates the size of a request and gives no answer".into();
        Err(ChatError::Setup(detail).into())
    }
}
