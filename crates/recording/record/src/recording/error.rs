//! Errors of writing and reading recordings.

use std::io;
use std::path::{Path, PathBuf};

/// A recording that cannot be written or read, with its file and the reason.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be made.
    #[error("make the recording `{path}`: {1}", path = .0.display())]
    Create(PathBuf, #[source] io::Error),
    /// Something cannot be written.
    #[error("write the recording `{path}`: {1}", path = .0.display())]
    Write(PathBuf, #[source] io::Error),
    /// A value has no JSON.
    #[error("encode what belongs into the recording `{path}`: {1}", path = .0.display())]
    Encode(PathBuf, #[source] serde_json::Error),
    /// The file cannot be read.
    #[error("read the recording `{path}`: {1}", path = .0.display())]
    Read(PathBuf, #[source] io::Error),
    /// It is no recording of a run.
    #[error("read the recording `{path}`: it is no recording of a run ({1})", path = .0.display())]
    NoRecording(PathBuf, String),
    /// Something in the middle of it is damaged.
    #[error("read the recording `{}`: it is damaged at byte {offset}: {why}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where the damaged part begins.
        offset: u64,
        /// What is wrong.
        why: String,
    },
}

impl RecordingError {
    pub(crate) fn read(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Read(path.to_owned(), source)
    }
}
