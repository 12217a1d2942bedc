//! What can be wrong with a problem file or with the assets.

use std::fmt;
use std::path::Path;

use regrasp_mjcf::MjcfError;

/// A LIBERO task that cannot be used: what is wrong, and what would be right. Messages fit after
/// "failed to …".
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LiberoError(pub(crate) String);

impl LiberoError {
    /// A file cannot be read at all.
    pub(crate) fn unreadable(path: &Path, why: impl fmt::Display) -> Self {
        Self(format!("read `{}`: {why}", path.display()))
    }

    /// Something in a problem file is wrong.
    pub(crate) fn invalid(path: &Path, at: At, why: impl fmt::Display) -> Self {
        Self(format!("load {}:{at}: {why}", path.display()))
    }

    /// The folder with LIBERO's assets is not known or holds none.
    pub(crate) fn no_root(why: impl fmt::Display) -> Self {
        Self(format!(
            "find LIBERO's assets: {why}; give `--libero DIR` or set REGRASP_LIBERO to the folder \
             that has `bddl_files` and `assets` in it"
        ))
    }
}

impl From<MjcfError> for LiberoError {
    fn from(error: MjcfError) -> Self {
        Self(error.to_string())
    }
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
