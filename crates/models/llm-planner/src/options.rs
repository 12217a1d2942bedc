//! Options of planning with a model.

use std::time::Duration;

use regrasp_chat::AnswerMode;
use serde::{Deserialize, Serialize};

/// Amount that a model plans in one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanningStyle {
    /// Everything that is left.
    #[default]
    Whole,
    /// The next calls only. The model is asked again when they are done.
    Rounds,
}

/// Options of [`VlmPlanner`](crate::VlmPlanner). Every field has a default.
#[derive(Clone, Debug, PartialEq, Eq, smart_default::SmartDefault)]
pub struct VlmOptions {
    /// Amount that the model plans in one answer. Default: all that is left.
    pub style: PlanningStyle,
    /// Answer mode. Default `None`: tool calls, with another mode as soon as the server reports
    /// that it does not support them. [`GoalReader`](crate::GoalReader) uses a schema instead of
    /// tool calls.
    pub mode: Option<AnswerMode>,
    /// Fail if the model does not accept pictures. Default false: it is then asked without
    /// pictures, since the percept is in the text as well.
    pub needs_images: bool,
    /// Longest answer, tokens. Default 4096, which leaves room for models that reason in their
    /// answer. It is also limited to a quarter of the server's context window, or to 512 tokens in
    /// a small window, so that a weak model that rambles ends soon.
    #[default(4096)]
    pub max_answer_tokens: u32,
    /// Largest number of calls in one answer. Default 40.
    #[default(40)]
    pub max_calls: usize,
    /// Skills that are offered to the model. `None` offers those that the task may need.
    pub skills: Option<Vec<String>>,
    /// Wall time for one plan, corrections included; afterwards planning fails without a retry.
    /// Default 300 s, the limit of one model call.
    #[default(Duration::from_secs(300))]
    pub patience: Duration,
}
