//! What is wrong with a model file, and where.

use std::fmt;
use std::sync::Arc;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    /// The file.
    pub file: Arc<str>,
    /// Counted from 1.
    pub line: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A model file that cannot be used. Messages fit after "failed to …".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MjcfError {
    /// The file cannot be read at all.
    #[error("read `{file}`: {message}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        message: String,
    },
    /// Something in it is wrong.
    #[error("load {place}: {message}")]
    Invalid {
        /// Where.
        place: SourceLine,
        /// What is wrong, and what would be right.
        message: String,
    },
}

impl MjcfError {
    /// Where it is, if the file could be read.
    pub fn place(&self) -> Option<&SourceLine> {
        match self {
            Self::Invalid { place, .. } => Some(place),
            Self::Unreadable { .. } => None,
        }
    }
}

impl SourceLine {
    /// Something wrong here.
    pub(crate) fn error(&self, message: impl Into<String>) -> MjcfError {
        MjcfError::Invalid {
            place: self.clone(),
            message: message.into(),
        }
    }
}
