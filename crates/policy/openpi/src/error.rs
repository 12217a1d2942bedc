//! What goes wrong with a policy behind a socket.

use regrasp_api::PolicyError;

/// Why there is no policy, or no action. Messages fit after "failed to".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenpiError {
    /// A mapping that cannot be used.
    #[error("use the policy mapping `{name}`: {detail}")]
    Mapping {
        /// Its name or file.
        name: String,
        /// What is wrong, and what would be right.
        detail: String,
    },
    /// The server reports an error of its own, as text.
    #[error("get an action: the policy server at {address} reports an error: {text}")]
    Reported {
        /// Where.
        address: String,
        /// What it said, its end if that was long.
        text: String,
    },
    /// Anything else: an address or a key that is none, a server that is gone, silent or says what
    /// nobody understands, an observation that cannot be sent.
    #[error("{0}")]
    Other(String),
}

impl From<OpenpiError> for PolicyError {
    fn from(error: OpenpiError) -> Self {
        Self::new(format!("could not {error}"))
    }
}
