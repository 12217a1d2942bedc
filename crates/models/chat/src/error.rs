//! Why a model gave no answer.

use std::fmt;

/// A call that ended without an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelError {
    /// What went wrong the last time.
    pub cause: ChatError,
    /// How often it was tried; 0 if it did not come to that.
    pub n_tries: usize,
    /// Whether asking once more would be in vain: the patience, or the number of failed tries in a
    /// row, is used up.
    pub is_final: bool,
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.n_tries {
            0 | 1 => write!(f, "{}", self.cause),
            n => write!(f, "{} (tried {n} times)", self.cause),
        }
    }
}

impl std::error::Error for ModelError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
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

/// Something that not every model or server can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Looking at pictures.
    Images,
    /// Calling tools.
    Tools,
    /// Keeping to a JSON schema.
    JsonSchema,
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Images => "images",
            Self::Tools => "tools",
            Self::JsonSchema => "JSON schemas",
        })
    }
}

/// Which patience ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// For a connection.
    Connect,
    /// For the next byte.
    Read,
    /// For the whole call, tries and pauses included.
    Call,
}

impl fmt::Display for Patience {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "no connection",
            Self::Read => "nothing was sent",
            Self::Call => "the call did not end",
        })
    }
}

/// What went wrong with one try. Texts of the server are capped and hold no key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChatError {
    /// The endpoint cannot be used as it is described.
    #[error("use the endpoint: {0}")]
    Setup(String),
    /// Nobody answers there.
    #[error("reach {url}: {detail}")]
    Unreachable {
        /// Where.
        url: String,
        /// Why not.
        detail: String,
    },
    /// It took too long.
    #[error("get an answer from {url}: {what} within {limit_secs} s{}", after(.last))]
    TimedOut {
        /// Where.
        url: String,
        /// What was waited for.
        what: Patience,
        /// How long, s.
        limit_secs: f64,
        /// What went wrong before, if it was tried before.
        last: Option<String>,
    },
    /// The connection broke before the answer was complete.
    #[error("get a whole answer from {url}: {detail}")]
    Broken {
        /// Where.
        url: String,
        /// How.
        detail: String,
    },
    /// The server says no.
    #[error("get an answer from {url}: status {status}{}", colon(.message))]
    Status {
        /// Where.
        url: String,
        /// The HTTP status.
        status: u16,
        /// What the server says.
        message: String,
        /// How long the server asks to wait, s.
        wait_secs: Option<f64>,
    },
    /// The answer says that something went wrong, under a status that says the opposite.
    #[error("get an answer: the server reports an error{}", colon(.message))]
    Reported {
        /// Its code, if that is a number.
        code: Option<u16>,
        /// What the server says.
        message: String,
    },
    /// The answer lacks what every answer has.
    #[error("read the answer: {0}")]
    Malformed(String),
    /// The model cannot do something that it was asked for.
    #[error("use {feature} with this model: status {status}{}", colon(.message))]
    Unsupported {
        /// What.
        feature: Feature,
        /// The HTTP status.
        status: u16,
        /// What the server says.
        message: String,
    },
    /// Somebody asked for a stop.
    #[error("wait for an answer: it was cancelled")]
    Cancelled,
    /// Anything else that asking again does not mend: an answer that is too long or no JSON, a wait
    /// that nobody would wait, a cassette without the exchange or that is none.
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
    last.as_ref()
        .map_or_else(String::new, |last| format!(" (before: failed to {last})"))
}

/// Statuses after which the same request may fare better.
fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 409 | 429 | 500..=599)
}

impl ChatError {
    /// Returns true if the same request may fare better in a moment.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Broken { .. } => true,
            Self::TimedOut { what, .. } => *what != Patience::Call,
            Self::Status { status, .. } => is_passing(*status),
            Self::Reported { code, .. } => code.is_some_and(is_passing),
            _ => false,
        }
    }

    /// Returns true if it may pass without anybody doing something about it: trouble of the
    /// moment, as opposed to a wrong key, a wrong address or a long ban.
    pub fn may_pass(&self) -> bool {
        self.is_retryable()
            || matches!(
                self,
                Self::TimedOut { .. } | Self::Malformed(_) | Self::Cancelled
            )
    }
}
