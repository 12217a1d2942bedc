//! Options of pointing.

use regrasp_chat::AnswerMode;

/// Options of [`VlmPointer`](super::VlmPointer).
#[derive(Clone, Debug, PartialEq, Eq, smart_default::SmartDefault)]
pub struct PointerOptions {
    /// Phrases to locate, for example "the red cube".
    pub phrases: Vec<String>,
    /// Names of the cameras whose pictures are shown to the model. Default: the camera `scene`.
    #[default(vec!["scene".into()])]
    pub cameras: Vec<String>,
    /// Answer mode. Default `None`: tool calls, with another mode as soon as the server reports
    /// that it does not support them.
    pub mode: Option<AnswerMode>,
    /// Longest answer, tokens. Default 1024, which leaves room for models that reason in their
    /// answer.
    #[default(1024)]
    pub max_answer_tokens: u32,
    /// Largest number of questions about one phrase, not counting corrections. Default 8.
    #[default(8)]
    pub max_questions: u32,
}
