//! Errors of policies behind a WebSocket.

use regrasp_api::PolicyError;

/// Reason why a policy gives no action or cannot be used. Messages fit after "failed to …".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenpiError {
    /// Invalid mapping.
    #[error("use the policy mapping `{name}`: {detail}")]
    Mapping {
        /// Name or file of the mapping.
        name: String,
        /// Description of the error with the expected value.
        detail: String,
    },
    /// Error message from the server.
    #[error("get an action: the policy server at {address} reports an error: {text}")]
    Reported {
        /// Address of the server.
        address: String,
        /// End of the server's message.
        text: String,
    },
    /// Any other failure: an invalid address or key, a server that is gone, silent or sends invalid
    /// data, or an observation that cannot be sent.
    #[error("{0}")]
    Other(String),
}

impl From<OpenpiError> for PolicyError {
    fn from(error: OpenpiError) -> Self {
        Self::new(format!("could not {error}"))
    }
}
