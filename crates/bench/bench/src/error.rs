//! Errors of starting, resuming, merging and writing a benchmark run.

use std::fmt::Display;
use std::io;
use std::path::Path;

/// A run that cannot be begun, gone on with, put together, compared or written, with the path.
/// Messages fit after "failed to …".
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BenchError(pub(crate) String);

impl BenchError {
    /// A file cannot be written.
    pub fn writing(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self(format!("write `{}`: {error}", path.display()))
    }

    /// A file cannot be read.
    pub(crate) fn reading(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self(format!("read `{}`: {error}", path.display()))
    }

    /// A line holds something else than it should; lines count from 1.
    pub(crate) fn broken_line(path: &Path, line: usize, why: impl Display) -> Self {
        let path = path.display();
        Self(format!("understand `{path}`, line {line}: {why}"))
    }

    /// What is wrong with some JSON, and in which column; its line is told apart.
    pub(crate) fn said(error: &serde_json::Error) -> String {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        format!("{what}, column {}", error.column())
    }
}

impl From<serde_json::Error> for BenchError {
    fn from(error: serde_json::Error) -> Self {
        Self(format!("encode the report: {error}"))
    }
}

impl From<minijinja::Error> for BenchError {
    fn from(error: minijinja::Error) -> Self {
        Self(format!("write the report: {error}"))
    }
}
