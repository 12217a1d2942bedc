//! Errors of writing and reading runs and recordings.

use std::fmt::Display;
use std::path::Path;

/// A run folder or recording that cannot be read or written, with the file and the reason.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RecordError(String);

impl RecordError {
    /// Creates the error of a failed step on a file, such as `write` or `parse`.
    pub(crate) fn to<E: Display>(step: &str, path: &Path) -> impl Fn(E) -> Self {
        move |error| Self(format!("{step} `{}`: {error}", path.display()))
    }

    pub(crate) fn write<E: Display>(path: &Path) -> impl Fn(E) -> Self {
        Self::to("write", path)
    }

    pub(crate) fn read<E: Display>(path: &Path) -> impl Fn(E) -> Self {
        Self::to("read", path)
    }
}
