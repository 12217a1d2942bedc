//! What goes wrong with a policy behind a socket.

use std::time::Duration;

use regrasp_api::PolicyError;

use crate::pack::PackError;

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
    /// An address that is none.
    #[error("use the address `{address}`: {detail}; expected ws://HOST:PORT or wss://HOST:PORT")]
    Address {
        /// As given.
        address: String,
        /// What is wrong.
        detail: String,
    },
    /// A key that no header can hold.
    #[error("send the Api-Key: it holds characters that no header can hold")]
    Key,
    /// No runtime.
    #[error("start a runtime: {0}")]
    Runtime(String),
    /// Nobody listens, or somebody else.
    #[error("connect to the policy server at {address}: {detail}")]
    Connect {
        /// Where.
        address: String,
        /// Why not.
        detail: String,
    },
    /// The connection ended.
    #[error("go on with the policy server at {address}: it closed the connection ({detail})")]
    Closed {
        /// Where.
        address: String,
        /// What it said about it.
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
    /// Bytes that are no message.
    #[error("read what the policy server at {address} sent: {source}")]
    Unreadable {
        /// Where.
        address: String,
        /// Why not.
        source: PackError,
    },
    /// A message that does not fit the mapping.
    #[error("use what the policy server at {address} sent, by the mapping `{mapping}`: {detail}")]
    Unfit {
        /// Where.
        address: String,
        /// The mapping.
        mapping: String,
        /// What there was, and what would be right.
        detail: String,
    },
    /// Too late, too often.
    #[error(
        "get an action: the policy server at {address} did not answer within {:.2} s, \
         {n_times} times in a row", deadline.as_secs_f64()
    )]
    Late {
        /// Where.
        address: String,
        /// How often.
        n_times: u32,
        /// In which time.
        deadline: Duration,
    },
    /// More replies than requests.
    #[error("know which reply is whose: the policy server at {address} sent two for one request")]
    TwoReplies {
        /// Where.
        address: String,
    },
    /// An observation that cannot be sent.
    #[error("send the observation: {0}")]
    Observation(String),
    /// A server that cannot begin.
    #[error("serve a policy on {address}: {detail}")]
    Serve {
        /// Where.
        address: String,
        /// Why not.
        detail: String,
    },
}

impl From<OpenpiError> for PolicyError {
    fn from(error: OpenpiError) -> Self {
        Self::new(format!("could not {error}"))
    }
}
