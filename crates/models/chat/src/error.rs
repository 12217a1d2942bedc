//! Errors of a chat call.

/// A call that ended without an answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{cause}{}", tries(*.n_tries))]
pub struct ModelError {
    /// Error of the last attempt.
    #[source]
    pub cause: ChatError,
    /// Number of attempts; 0 if none was made.
    pub n_tries: usize,
    /// Set if asking again would not help: a time limit was exceeded, or too many attempts failed
    /// in a row.
    pub is_final: bool,
}

fn tries(n: usize) -> String {
    match n {
        0 | 1 => String::new(),
        n => format!(" (tried {n} times)"),
    }
}

impl From<ChatError> for ModelError {
    fn from(cause: ChatError) -> Self {
        Self {
            cause,
            n_tries: 0,
            is_final: false,
        }
    }
}

/// A feature that not every model or server supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Feature {
    /// Pictures as input.
    #[strum(to_string = "images")]
    Images,
    /// Tool calls.
    #[strum(to_string = "tools")]
    Tools,
    /// Answers that follow a JSON schema.
    #[strum(to_string = "JSON schemas")]
    JsonSchema,
}

/// A time limit of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Patience {
    /// Connecting.
    #[strum(to_string = "no connection")]
    Connect,
    /// Waiting for the next byte.
    #[strum(to_string = "the server sent nothing")]
    Read,
    /// The whole call, with retries and pauses.
    #[strum(to_string = "the call did not end")]
    Call,
}

/// Error of one attempt. Texts of the server are truncated and contain no key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The endpoint's configuration cannot be used.
    #[error("use the endpoint: {0}")]
    Setup(String),
    /// No connection to the server.
    #[error("reach {url}: {detail}")]
    Unreachable {
        /// Address of the request.
        url: String,
        /// Cause.
        detail: String,
    },
    /// A time limit was exceeded.
    #[error("get an answer from {url}: {what} within {limit_secs} s{}", after(.last))]
    TimedOut {
        /// Address of the request.
        url: String,
        /// The limit that was exceeded.
        what: Patience,
        /// Value of the limit, s.
        limit_secs: f64,
        /// Error of the previous attempt, if there was one.
        last: Option<String>,
    },
    /// The connection broke before the answer was complete.
    #[error("get a whole answer from {url}: {detail}")]
    Broken {
        /// Address of the request.
        url: String,
        /// Cause.
        detail: String,
    },
    /// The server answered with an error status.
    #[error("get an answer from {url}: status {status}{}", colon(.message))]
    Status {
        /// Address of the request.
        url: String,
        /// HTTP status.
        status: u16,
        /// Message of the server.
        message: String,
        /// Wait that the server asks for, s.
        wait_secs: Option<f64>,
    },
    /// The answer reports an error although its status is a success.
    #[error("get an answer: the server reports an error{}", colon(.message))]
    Reported {
        /// Error code, if it is a number.
        code: Option<u16>,
        /// Message of the server.
        message: String,
    },
    /// The answer lacks a required part.
    #[error("read the answer: {0}")]
    Malformed(String),
    /// The model does not support a requested feature.
    #[error("use {feature} with this model: status {status}{}", colon(.message))]
    Unsupported {
        /// The missing feature.
        feature: Feature,
        /// HTTP status.
        status: u16,
        /// Message of the server.
        message: String,
    },
    /// The call was cancelled.
    #[error("wait for an answer: the call was cancelled")]
    Cancelled,
    /// Any other error that a retry does not fix: an answer that is too long or not JSON, a wait
    /// beyond the limit, a cassette that is invalid or lacks the exchange.
    #[error("{0}")]
    Other(String),
}

pub(crate) fn colon(message: &str) -> String {
    if message.is_empty() {
        String::new()
    } else {
        format!(": {message}")
    }
}

fn after(last: &Option<String>) -> String {
    last.as_ref().map_or_else(String::new, |last| {
        format!(" (earlier attempt: failed to {last})")
    })
}

/// Returns true if the same request may succeed later with this status.
pub(crate) fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500..=599)
}

impl ChatError {
    /// Returns true if a retry after a short pause may succeed.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Broken { .. } => true,
            Self::TimedOut { what, .. } => *what != Patience::Call,
            Self::Status { status, .. } => is_passing(*status),
            Self::Reported { code, .. } => code.is_some_and(is_passing),
            _ => false,
        }
    }

    /// Returns true if the error may pass without intervention, in contrast to a wrong key, a wrong
    /// address or a wait beyond the limit.
    pub fn may_pass(&self) -> bool {
        self.is_retryable()
            || matches!(
                self,
                Self::TimedOut { .. } | Self::Malformed(_) | Self::Cancelled
            )
    }
}
