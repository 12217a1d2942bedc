//! What can be wrong with a problem file or with the assets.

use std::fmt;
use std::path::PathBuf;

use regrasp_mjcf::MjcfError;

/// A LIBERO task that cannot be used. Messages fit after "failed to …".
#[derive(Debug, thiserror::Error)]
pub enum LiberoError {
    /// A file cannot be read at all.
    #[error("read `{}`: {message}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        message: String,
    },
    /// A file of initial states is wrong.
    #[error(
        "read the initial states `{}`: {message}; `--init-states drawn` does without them",
        path.display()
    )]
    InitStates {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// Something in a problem file is wrong.
    #[error("load {}:{at}: {message}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Line and column of the culprit.
        at: At,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// The folder with LIBERO's assets is not known or holds none.
    #[error(
        "find LIBERO's assets: {message}; give `--libero DIR` or set REGRASP_LIBERO to the folder \
         that has `bddl_files` and `assets` in it"
    )]
    NoRoot {
        /// What was looked at.
        message: String,
    },
    /// A model cannot be used.
    #[error(transparent)]
    Model(#[from] MjcfError),
    /// No draw puts everything where the problem wants it.
    #[error("place the objects of `{}` with seed {seed}: {message}", path.display())]
    NoPlace {
        /// The file.
        path: PathBuf,
        /// The seed.
        seed: u64,
        /// What stands in whose way.
        message: String,
    },
}

/// A place in a text, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    /// Line.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
