//! Errors of reading and writing viewer files.

use std::fmt::Display;
use std::path::Path;

use rerun::external::re_log_encoding::EncodeError;
use rerun::log::ChunkError;

/// Error of reading or writing a viewer file, with its path and the reason.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RrdError(String);

impl RrdError {
    pub(crate) fn write<E: Display>(path: &Path) -> impl Fn(E) -> Self {
        move |why| Self(format!("write `{}`: {why}", path.display()))
    }

    pub(crate) fn encoder(path: &Path) -> impl Fn(EncodeError) -> Self {
        move |error| match error {
            EncodeError::Write(source) => Self::write(path)(source),
            other => Self::write(path)(format!("encode the file: {other}")),
        }
    }

    pub(crate) fn read<E: Display>(path: &Path) -> impl Fn(E) -> Self {
        move |why| Self(format!("read `{}`: {why}", path.display()))
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
