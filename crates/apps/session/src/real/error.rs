//! Errors of setting up a real arm.

use std::io;
use std::path::PathBuf;

use regrasp::SetupError;
use regrasp_external_perception::{RigError, SourceError};
use regrasp_franka::{ConnectError, SafetyError};
use regrasp_record::RecordError;
use regrasp_scene::SceneError;

/// Failure to set up a real arm, its perception or its recording.
#[derive(Debug, thiserror::Error)]
pub enum RealArmError {
    /// The connection to the arm failed.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The safety settings are invalid.
    #[error(transparent)]
    Safety(#[from] SafetyError),
    /// A file cannot be read.
    #[error("read {}: {source}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Cause.
        source: io::Error,
    },
    /// The source of objects cannot be used.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The file of cameras is invalid.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// A robot file is invalid.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The robot or its cell cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The recording cannot be written.
    #[error(transparent)]
    Recording(#[from] RecordError),
}
