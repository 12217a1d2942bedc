//! Lines of model files, for errors and the ledger.

use std::sync::Arc;

use regrasp_scene::{Problem, SceneError};

pub(crate) type Result<T, E = SceneError> = std::result::Result<T, E>;

/// A line of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, derive_more::Display)]
#[display("{file}:{line}")]
pub struct SourceLine {
    /// Path of the file.
    pub file: Arc<str>,
    /// Line number, counted from 1.
    pub line: u32,
}

impl SourceLine {
    pub(crate) fn error(&self, message: impl Into<String>) -> SceneError {
        SceneError::Invalid {
            file: self.file.to_string(),
            line: self.line as usize,
            problem: Box::new(Problem::from(message)),
        }
    }
}
