//! Why a file for the viewer cannot be written or read.

use std::io;
use std::path::{Path, PathBuf};

use rerun::external::re_log_encoding::EncodeError;
use rerun::log::ChunkError;

/// A file for the viewer that cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RrdError {
    /// The name is not one that the viewer would open.
    #[error("write `{}`: the name has to end in .rrd, else the viewer does not open it", .0.display())]
    Name(PathBuf),
    /// There is a file of that name.
    #[error("write `{}`: there is a file of that name; remove it, or choose another", .0.display())]
    Exists(PathBuf),
    /// The file cannot be written.
    #[error("write `{path}`: {1}", path = .0.display())]
    Write(PathBuf, #[source] io::Error),
    /// Something cannot be encoded.
    #[error("write `{}`: encode what belongs to {what}: {why}", path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// What it is about.
        what: String,
        /// Why not.
        why: String,
    },
    /// The file cannot be read.
    #[error("read `{path}`: {1}", path = .0.display())]
    Read(PathBuf, String),
}

impl RrdError {
    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Write(path.to_owned(), source)
    }

    pub(crate) fn encoder(path: &Path) -> impl Fn(EncodeError) -> Self {
        move |error| match error {
            EncodeError::Write(source) => Self::Write(path.to_owned(), source),
            other => Self::Encode {
                path: path.to_owned(),
                what: "the file".into(),
                why: other.to_string(),
            },
        }
    }

    pub(crate) fn read(path: &Path, why: impl std::fmt::Display) -> Self {
        Self::Read(path.to_owned(), why.to_string())
    }
}

/// Why something has no encoding.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ColumnError {
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    #[error(transparent)]
    Serialization(#[from] rerun::SerializationError),
    #[error(transparent)]
    Encode(#[from] EncodeError),
}
