//! Errors of writing and reading run folders.

use std::io;
use std::path::{Path, PathBuf};

/// Recording or reading a run went wrong.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The folder for a run cannot be made.
    #[error("create the run folder `{}`", path.display())]
    CreateFolder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("write `{}`", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A file cannot be read.
    #[error("read `{}`", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A value cannot be put into JSON.
    #[error("encode what belongs into `{}`", path.display())]
    Encode {
        /// The file that it belongs into.
        path: PathBuf,
        /// Why not.
        source: serde_json::Error,
    },
    /// A file holds something else than it should.
    #[error("understand `{}`", path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// What is wrong, with the line.
        source: serde_json::Error,
    },
}

impl RecordError {
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Write { path, source }
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Read { path, source }
    }
}
