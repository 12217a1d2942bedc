//! Errors of writing and reading run folders.

use std::io;
use std::path::{Path, PathBuf};

/// Recording or reading a run went wrong, with the file or folder and the reason.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The folder for a run cannot be made.
    #[error("create the run folder `{}`", .0.display())]
    CreateFolder(PathBuf, #[source] io::Error),
    /// A file cannot be written.
    #[error("write `{}`", .0.display())]
    Write(PathBuf, #[source] io::Error),
    /// A file cannot be read.
    #[error("read `{}`", .0.display())]
    Read(PathBuf, #[source] io::Error),
    /// A value cannot be put into JSON for a file.
    #[error("encode what belongs into `{}`", .0.display())]
    Encode(PathBuf, #[source] serde_json::Error),
    /// A file holds something else than it should.
    #[error("understand `{}`", .0.display())]
    Decode(PathBuf, #[source] serde_json::Error),
}

impl RecordError {
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Write(path.to_owned(), source)
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Read(path.to_owned(), source)
    }
}
