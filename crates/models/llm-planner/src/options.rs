//! How a model is asked to plan.

use std::time::Duration;

use regrasp_chat::AnswerMode;
use serde::{Deserialize, Serialize};

/// How much a model plans at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanningStyle {
    /// Everything that is left, in one answer.
    #[default]
    Whole,
    /// The next calls only; the model is asked again when they are done.
    Rounds,
}

/// How a model is asked. Every field has a default.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VlmOptions {
    /// How much it plans at a time. Default all that is left.
    pub style: PlanningStyle,
    /// How it answers. Default: by calling tools, and otherwise as soon as its server says
    /// that it cannot.
    pub mode: Option<AnswerMode>,
    /// True if a model that cannot look at pictures is of no use. Default false: it is
    /// then asked without them, since what was perceived is told in words, too.
    pub needs_images: bool,
    /// Longest answer, tokens. Default 4096: room for models that think aloud. A server's window
    /// gives a quarter of it at most, so that a weak model that rambles ends soon.
    pub max_answer_tokens: u32,
    /// Calls in one answer. Default 40.
    pub max_calls: usize,
    /// The skills that it is told of; those that the task can need if `None`.
    pub skills: Option<Vec<String>>,
    /// Real time for one plan, corrections included; then the planner gives up for good.
    /// Default 300 s, as for one call.
    pub patience: Duration,
}

impl Default for VlmOptions {
    fn default() -> Self {
        Self {
            style: PlanningStyle::default(),
            mode: None,
            needs_images: false,
            max_answer_tokens: 4096,
            max_calls: 40,
            skills: None,
            patience: Duration::from_secs(300),
        }
    }
}
