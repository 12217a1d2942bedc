//! Errors of environments.

use regrasp::SetupError;
use regrasp::api::Failure;
use regrasp::scene::SceneError;

pub(crate) type Result<T, E = EnvError> = std::result::Result<T, E>;

/// Reason why an environment cannot be created, reset or stepped.
#[derive(Debug, thiserror::Error)]
pub enum EnvError {
    /// The task cannot be drawn.
    #[error(transparent)]
    Task(#[from] SceneError),
    /// The robot cannot be set up in the scene.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Unknown name of a mode.
    #[error("choose the {what} `{got}` (known: {known})")]
    UnknownMode {
        /// Kind of mode.
        what: &'static str,
        /// Name that was given.
        got: String,
        /// Valid names.
        known: String,
    },
    /// Invalid value of an option: its name, and the expected value.
    #[error("set `{0}`: {1}")]
    BadOption(&'static str, String),
    /// Invalid action.
    #[error("take the action: {0}")]
    BadAction(String),
    /// Any other error, for example in drawing the task.
    #[error("{0}")]
    Other(String),
    /// `reset` has not been called, or the episode has ended.
    #[error("use the environment: {0}")]
    NotRunning(&'static str),
    /// The robot does not respond.
    #[error("control the robot: {0}")]
    Robot(String),
}

impl EnvError {
    /// Error for an environment that has not been reset.
    pub(crate) const NOT_RESET: Self = Self::NotRunning("call `reset` first");
}

impl From<Failure> for EnvError {
    fn from(failure: Failure) -> Self {
        Self::Robot(failure.detail.to_string())
    }
}
