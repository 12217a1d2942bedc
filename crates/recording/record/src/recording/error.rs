//! Errors of writing and reading recordings.

use std::fmt::Display;
use std::path::Path;

/// A recording that cannot be written or read, with its file and the reason.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RecordingError(String);

impl RecordingError {
    /// The step that fails with the recording: `make`, `write`, `encode what belongs into`, `read`.
    pub(crate) fn to<E: Display>(verb: &str, path: &Path) -> impl Fn(E) -> Self {
        move |error| {
            Self(format!(
                "{verb} the recording `{}`: {error}",
                path.display()
            ))
        }
    }

    pub(crate) fn read<E: Display>(path: &Path) -> impl Fn(E) -> Self {
        Self::to("read", path)
    }

    /// Something in the middle of it is damaged.
    pub(crate) fn damaged(path: &Path, offset: u64, why: impl Display) -> Self {
        Self::read(path)(format!("it is damaged at byte {offset}: {why}"))
    }
}
