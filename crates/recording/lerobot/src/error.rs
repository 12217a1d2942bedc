//! Why a data set cannot be written.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use regrasp_video::VideoError;

/// A data set that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// Another process writes it.
    #[error("write the data set `{}`: another process is writing it", .0.display())]
    Busy(PathBuf),
    /// There are no episodes.
    #[error("write the data set `{}`: it has no episode", .0.display())]
    Empty(PathBuf),
    /// Anything else: a folder that holds something else, a file that cannot be written, what was
    /// staged and cannot be understood.
    #[error("{0}")]
    Other(String),
    /// A video cannot be made.
    #[error(transparent)]
    Video(#[from] VideoError),
}

impl DatasetError {
    /// The folder cannot become a data set.
    pub(crate) fn folder(path: &Path, why: impl Display) -> Self {
        Self::Other(format!("write the data set `{}`: {why}", path.display()))
    }

    pub(crate) fn write<E: Display>(path: &Path) -> impl Fn(E) -> Self {
        move |error| Self::Other(format!("write `{}`: {error}", path.display()))
    }

    pub(crate) fn decode(path: &Path, why: impl Display) -> Self {
        Self::Other(format!("understand `{}`: {why}", path.display()))
    }
}
