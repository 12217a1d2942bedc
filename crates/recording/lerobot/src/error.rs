//! Why a data set cannot be written.

use std::io;
use std::path::{Path, PathBuf};

use regrasp_video::VideoError;

/// A data set that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The folder is a data set already.
    #[error("write the data set `{}`: it is whole; a finished data set is not changed", path.display())]
    Finished {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds something else.
    #[error("write the data set `{}`: the folder holds something else (`{found}`)", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// What.
        found: String,
    },
    /// The folder holds episodes of another kind.
    #[error(
        "go on with the data set `{}`: its episodes were begun with other {what}; choose \
         another folder",
        path.display()
    )]
    OtherSpec {
        /// The folder.
        path: PathBuf,
        /// What differs.
        what: &'static str,
    },
    /// Another process writes it.
    #[error("write the data set `{}`: another process is writing it", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// There are no episodes.
    #[error("write the data set `{}`: it has no episode", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
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
    #[error("write `{}`: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// What was staged cannot be understood.
    #[error("understand `{}`: {why}", path.display())]
    Decode {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// A table cannot be written.
    #[error("write the table `{}`: {source}", path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: parquet::errors::ParquetError,
    },
    /// A video cannot be made.
    #[error(transparent)]
    Video(#[from] VideoError),
}

impl DatasetError {
    pub(crate) fn write(path: &Path) -> impl Fn(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Write {
            path: path.clone(),
            source,
        }
    }

    pub(crate) fn decode(path: &Path, why: impl std::fmt::Display) -> Self {
        Self::Decode {
            path: path.to_owned(),
            why: why.to_string(),
        }
    }
}
