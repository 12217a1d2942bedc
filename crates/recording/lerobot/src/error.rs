//! Errors of writing a data set.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use regrasp_video::VideoError;

/// Reason why a data set cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// Another process is writing the data set.
    #[error("write the data set `{}`: another process is writing it", .0.display())]
    Busy(PathBuf),
    /// The data set has no episodes.
    #[error("write the data set `{}`: it has no episode", .0.display())]
    Empty(PathBuf),
    /// Any other failure: a folder with other content, an I/O error, or invalid staged data.
    #[error("{0}")]
    Other(String),
    /// A video cannot be written.
    #[error(transparent)]
    Video(#[from] VideoError),
}

impl DatasetError {
    pub(crate) fn folder(path: &Path, why: impl Display) -> Self {
        Self::Other(format!("write the data set `{}`: {why}", path.display()))
    }

    pub(crate) fn write<E: Display>(path: &Path) -> impl Fn(E) -> Self {
        move |error| Self::Other(format!("write `{}`: {error}", path.display()))
    }

    pub(crate) fn read<E: Display>(path: &Path) -> impl Fn(E) -> Self {
        move |error| Self::Other(format!("read `{}`: {error}", path.display()))
    }

    pub(crate) fn decode(path: &Path, why: impl Display) -> Self {
        Self::Other(format!("parse `{}`: {why}", path.display()))
    }
}
