//! Errors of setting a real arm up.

use std::io;
use std::path::PathBuf;

use regrasp::SetupError;
use regrasp_external_perception::{RigError, SourceError};
use regrasp_franka::{ConnectError, SafetyError};
use regrasp_record::RecordError;
use regrasp_scene::SceneError;

/// A real arm, its eyes or its recording that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum RealArmError {
    /// The arm does not answer.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// Its safety settings are wrong.
    #[error(transparent)]
    Safety(#[from] SafetyError),
    /// A file cannot be read.
    #[error("read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Objects cannot come from where they should.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The file of cameras is wrong.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// A robot file is wrong.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Robot and world do not go together.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The recording cannot be written.
    #[error(transparent)]
    Recording(#[from] RecordError),
}
