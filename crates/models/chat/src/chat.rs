//! What is asked and answered, in nobody's dialect.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ModelError;

/// One question to a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatRequest {
    /// What the model is, and its rules.
    pub system: String,
    /// What is asked.
    pub user: String,
    /// Pictures that belong to the question, in order.
    pub images: Vec<ChatImage>,
    /// What the model may call.
    pub tools: Vec<Tool>,
    /// True if an answer without a call is of no use; said to servers that listen.
    pub must_call: bool,
    /// The form of an answer in words, for servers that can enforce one.
    pub format: Option<AnswerFormat>,
    /// Longest answer, tokens.
    pub max_tokens: u32,
}

/// A picture, with a line that says what it shows.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatImage {
    /// What it shows.
    pub caption: String,
    /// The encoded picture, PNG.
    pub png: Vec<u8>,
}

/// Something that a model may call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON schema of its arguments, an object.
    pub schema: Value,
}

/// The form that an answer must have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerFormat {
    /// A name for it, a word.
    pub name: String,
    /// Its JSON schema.
    pub schema: Value,
}

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChatAnswer {
    /// Its words, without its thoughts; empty if it only called.
    pub text: String,
    /// Its thoughts, where the server or its tags tell.
    pub thoughts: String,
    /// Its calls, in order.
    pub calls: Vec<ToolCall>,
    /// Why it would not answer, if it said so.
    pub refusal: Option<String>,
    /// True if the answer was cut off because it grew too long. For messages only:
    /// servers say wrong things about why an answer ended.
    pub was_cut: bool,
    /// What it cost.
    pub usage: Usage,
    /// The answer as it came, without keys.
    pub raw: Value,
}

/// A call that a model wants made.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// The server's name for the call, or one made up where it gave none.
    pub id: String,
    /// What is called; empty if the server did not say.
    pub name: String,
    /// The arguments, whatever their type, if they are JSON at all.
    pub arguments: Result<Value, BrokenArguments>,
}

/// Arguments that are no JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenArguments {
    /// What came.
    pub text: String,
    /// What is wrong with it.
    pub error: String,
}

/// Tokens of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Of the request.
    pub prompt: u64,
    /// Of the answer.
    pub completion: u64,
    /// True if the server did not say, so that these were reckoned from lengths.
    pub is_estimate: bool,
}

impl Usage {
    /// Both.
    pub fn total(self) -> u64 {
        self.prompt.saturating_add(self.completion)
    }
}

/// Characters a token, for estimates, in tenths. A request with tools and data has 3.7 to 3.9 by
/// the vocabularies of GPT-4 and GPT-4o.
const TENTHS_OF_CHARS_A_TOKEN: u64 = 37;
/// Tokens a picture, for estimates: a 640 x 480 picture costs 765 at OpenAI and about 410
/// at Anthropic, by their own formulas.
const TOKENS_AN_IMAGE: u64 = 800;

/// What stands around each tool.
const TOOL_AROUND: &str =
    r#"{"type":"function","function":{"name":"","description":"","parameters":}},"#;

/// About how many tokens a text takes.
pub(crate) fn estimate(text: &str) -> u64 {
    (10 * text.chars().count() as u64).div_ceil(TENTHS_OF_CHARS_A_TOKEN)
}

impl ChatRequest {
    /// About how many tokens the request takes.
    pub fn estimated_tokens(&self) -> u64 {
        let images = self.images.iter();
        estimate(&self.system)
            + estimate(&self.user)
            + self.estimated_tool_tokens()
            + images
                .map(|i| TOKENS_AN_IMAGE + estimate(&i.caption))
                .sum::<u64>()
    }

    /// About how many of them say what can be called, or how an answer has to look.
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

/// A model that can be asked. Must be polled on a Tokio runtime.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// The model's name.
    fn model(&self) -> &str;

    /// Asks once; tries again where that may help.
    ///
    /// # Errors
    ///
    /// [`ModelError`]: the model gave no answer. An answer that says nonsense is one.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ModelError>;

    /// How many tokens a request and its answer may have together, where the server tells.
    async fn window(&self) -> Option<u64> {
        None
    }
}

#[async_trait]
impl<M: ChatModel + ?Sized> ChatModel for std::sync::Arc<M> {
    fn model(&self) -> &str {
        (**self).model()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ModelError> {
        (**self).chat(request).await
    }

    async fn window(&self) -> Option<u64> {
        (**self).window().await
    }
}
