//! Errors in a problem file or in the assets.

use std::fmt;
use std::path::Path;

use regrasp_scene::SceneError;

/// Error in a LIBERO task: the mistake, and the allowed values. Messages fit after "failed to …".
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct LiberoError(pub(crate) String);

impl LiberoError {
    pub(crate) fn unreadable(path: &Path, why: impl fmt::Display) -> Self {
        Self(format!("read `{}`: {why}", path.display()))
    }

    pub(crate) fn invalid(path: &Path, at: At, why: impl fmt::Display) -> Self {
        Self(format!("load {}:{at}: {why}", path.display()))
    }

    /// Creates the error for LIBERO's folder if it is not given or has no usable assets.
    pub(crate) fn no_root(why: impl fmt::Display) -> Self {
        Self(format!(
            "find LIBERO's assets: {why}; give `--libero DIR` or set REGRASP_LIBERO to the folder \
             that contains `bddl_files` and `assets`"
        ))
    }
}

impl From<SceneError> for LiberoError {
    fn from(error: SceneError) -> Self {
        Self(error.to_string())
    }
}

/// A position in a text, counted from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, derive_more::Display)]
#[display("{line}:{column}")]
pub struct At {
    /// Line of the text.
    pub line: usize,
    /// Column, in characters.
    pub column: usize,
}
