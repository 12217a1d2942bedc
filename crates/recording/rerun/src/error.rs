//! Errors of reading and writing viewer files.

use std::fmt::Display;
use std::io;
use std::path::Path;

use rerun::external::re_log_encoding::EncodeError;
use rerun::log::ChunkError;

/// A viewer file that cannot be read or written, with its path and the reason.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RrdError(String);

impl RrdError {
    pub(crate) fn unwritable(path: &Path, why: impl Display) -> Self {
        Self(format!("write `{}`: {why}", path.display()))
    }

    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> Self {
        move |error| Self::unwritable(path, error)
    }

    pub(crate) fn unencoded(path: &Path, what: &str, why: impl Display) -> Self {
        Self::unwritable(path, format_args!("encode {what}: {why}"))
    }

    pub(crate) fn encoder(path: &Path) -> impl Fn(EncodeError) -> Self {
        move |error| match error {
            EncodeError::Write(source) => Self::unwritable(path, source),
            other => Self::unencoded(path, "the file", other),
        }
    }

    pub(crate) fn read(path: &Path, why: impl Display) -> Self {
        Self(format!("read `{}`: {why}", path.display()))
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum ColumnError {
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    #[error(transparent)]
    Serialization(#[from] rerun::SerializationError),
    #[error(transparent)]
    Encode(#[from] EncodeError),
}
