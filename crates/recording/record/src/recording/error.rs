//! Errors of writing and reading recordings.

use std::io;
use std::path::{Path, PathBuf};

/// A recording that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The file cannot be made.
    #[error("make the recording `{}`: {source}", path.display())]
    Create {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Something cannot be written.
    #[error("write the recording `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A value has no JSON.
    #[error("encode what belongs into the recording `{}`: {source}", path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: serde_json::Error,
    },
    /// The file cannot be read.
    #[error("read the recording `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// It is no recording of a run.
    #[error("read the recording `{}`: it is no recording of a run ({why})", path.display())]
    NoRecording {
        /// The file.
        path: PathBuf,
        /// What it lacks.
        why: String,
    },
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
        let path = path.to_owned();
        move |source| Self::Read {
            path: path.clone(),
            source,
        }
    }
}
