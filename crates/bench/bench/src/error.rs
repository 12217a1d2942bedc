//! Errors of starting, resuming, merging and writing a benchmark run.

use std::fmt::Display;
use std::io;
use std::path::Path;

/// A run that cannot be started, resumed, merged, compared or written. The message names the path
/// and fits after "failed to …".
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BenchError(pub(crate) String);

impl BenchError {
    /// Creates a function that turns an I/O error into a failure to write `path`.
    pub fn writing(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self(format!("write `{}`: {error}", path.display()))
    }

    pub(crate) fn reading(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self(format!("read `{}`: {error}", path.display()))
    }

    /// Creates the error for an invalid line; lines count from 1.
    pub(crate) fn broken_line(path: &Path, line: usize, why: impl Display) -> Self {
        let path = path.display();
        Self(format!("parse `{path}`, line {line}: {why}"))
    }

    /// Returns the message of a JSON error with its column; the caller adds the line.
    pub(crate) fn text_of(error: &serde_json::Error) -> String {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        format!("{what}, column {}", error.column())
    }
}

impl From<serde_json::Error> for BenchError {
    fn from(error: serde_json::Error) -> Self {
        Self(format!("encode the results as JSON: {error}"))
    }
}

impl From<minijinja::Error> for BenchError {
    fn from(error: minijinja::Error) -> Self {
        Self(format!("render the report: {error}"))
    }
}
