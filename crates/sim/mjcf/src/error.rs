//! Errors in model files, with their lines.

use std::fmt;
use std::sync::Arc;

/// A line of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    /// Path of the file.
    pub file: Arc<str>,
    /// Line number, counted from 1.
    pub line: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// An error in a model file. Messages fit after "failed to …".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MjcfError {
    /// The file cannot be read at all.
    #[error("read `{file}`: {message}")]
    Unreadable {
        /// File that cannot be read.
        file: String,
        /// Message of the operating system.
        message: String,
    },
    /// The file's content is not valid.
    #[error("load {place}: {message}")]
    Invalid {
        /// Line of the mistake.
        place: SourceLine,
        /// The mistake, and the values that are allowed.
        message: String,
    },
}

impl MjcfError {
    /// Returns the line of the mistake, if the file could be read.
    pub fn place(&self) -> Option<&SourceLine> {
        match self {
            Self::Invalid { place, .. } => Some(place),
            Self::Unreadable { .. } => None,
        }
    }
}

impl SourceLine {
    pub(crate) fn error(&self, message: impl Into<String>) -> MjcfError {
        MjcfError::Invalid {
            place: self.clone(),
            message: message.into(),
        }
    }
}
