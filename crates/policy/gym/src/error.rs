//! What can be wrong with an environment.

use regrasp::SetupError;
use regrasp::scene::SceneError;

/// An environment that cannot be made, reset or stepped.
#[derive(Debug, thiserror::Error)]
pub enum EnvError {
    /// The task cannot be drawn.
    #[error(transparent)]
    Task(#[from] SceneError),
    /// The robot cannot be set up in it.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A word that names no mode.
    #[error("choose the {what} `{got}` (known: {known})")]
    UnknownMode {
        /// What kind of mode.
        what: &'static str,
        /// The word.
        got: String,
        /// What would be right.
        known: String,
    },
    /// An option that means nothing: which, and what would be right.
    #[error("set `{0}`: {1}")]
    BadOption(&'static str, String),
    /// An action that is none.
    #[error("take the action: {0}")]
    BadAction(String),
    /// The task cannot be drawn, of whatever kind it is.
    #[error("{0}")]
    Other(String),
    /// Nobody called `reset`, or the episode is over.
    #[error("take a step: {0}")]
    NotRunning(&'static str),
    /// The robot does not answer.
    #[error("begin the episode: {0}")]
    Robot(String),
}
