//! Why a data set cannot be written.

use std::io;
use std::path::{Path, PathBuf};

use regrasp_video::VideoError;

/// A data set that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The folder is a data set already.
    #[error("write the data set `{}`: it is whole; a finished data set is not changed", .0.display())]
    Finished(PathBuf),
    /// The folder holds something else.
    #[error("write the data set `{path}`: the folder holds something else (`{1}`)", path = .0.display())]
    Foreign(PathBuf, String),
    /// The folder holds episodes of another kind; this differs.
    #[error(
        "go on with the data set `{path}`: its episodes were begun with other {1}; choose \
         another folder",
        path = .0.display()
    )]
    OtherSpec(PathBuf, &'static str),
    /// Another process writes it.
    #[error("write the data set `{}`: another process is writing it", .0.display())]
    Busy(PathBuf),
    /// There are no episodes.
    #[error("write the data set `{}`: it has no episode", .0.display())]
    Empty(PathBuf),
    /// A state, action or picture has the wrong number of values.
    #[error("add a frame to a data set: {what} has {got} values, expected {expected}")]
    Shape {
        /// Which.
        what: String,
        /// How many it has.
        got: usize,
        /// How many it should have.
        expected: usize,
    },
    /// A file cannot be written or read.
    #[error("write `{path}`: {1}", path = .0.display())]
    Write(PathBuf, #[source] io::Error),
    /// What was staged cannot be understood.
    #[error("understand `{path}`: {1}", path = .0.display())]
    Decode(PathBuf, String),
    /// A table cannot be written.
    #[error("write the table `{path}`: {1}", path = .0.display())]
    Table(PathBuf, #[source] parquet::errors::ParquetError),
    /// A video cannot be made.
    #[error(transparent)]
    Video(#[from] VideoError),
}

impl DatasetError {
    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Write(path.to_owned(), source)
    }

    pub(crate) fn decode(path: &Path, why: impl std::fmt::Display) -> Self {
        Self::Decode(path.to_owned(), why.to_string())
    }
}
