//! Options of pointing.

use regrasp_chat::AnswerMode;

/// How a model is asked to point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PointerOptions {
    /// What is looked for, in words: "the red cube".
    pub phrases: Vec<String>,
    /// Cameras whose pictures the model is shown, by name. Default the one called `scene`.
    pub cameras: Vec<String>,
    /// How it answers. Default: by calling tools, and otherwise as soon as its server says
    /// that it cannot.
    pub mode: Option<AnswerMode>,
    /// Longest answer, tokens. Default 1024: room for models that think aloud.
    pub max_answer_tokens: u32,
    /// How often the model is asked for one thing at most, corrections not counted.
    /// Default 8.
    pub max_questions: u32,
}

impl Default for PointerOptions {
    fn default() -> Self {
        Self {
            phrases: vec![],
            cameras: vec!["scene".into()],
            mode: None,
            max_answer_tokens: 1024,
            max_questions: 8,
        }
    }
}
