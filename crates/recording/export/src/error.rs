//! Errors of exports.

use regrasp::{NoSuchCamera, SetupError};
use regrasp_record::RecordError;
use regrasp_render::LabelError;

use crate::RecordedSceneError;

/// Reason why a film strip, video, data set or viewer file cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The scene cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordError),
    /// The scene of the recording cannot be drawn.
    #[error(transparent)]
    Scene(#[from] RecordedSceneError),
    /// The scene has no camera of that name.
    #[error(transparent)]
    Camera(#[from] NoSuchCamera),
    /// The font of the captions is not available.
    #[error(transparent)]
    Font(#[from] LabelError),
    /// The recording has no frames.
    #[error("draw a film strip: the recording has no frame, because it ends too early")]
    Empty,
    /// The video cannot be encoded or written.
    #[cfg(feature = "video")]
    #[error(transparent)]
    Video(#[from] regrasp_video::VideoError),
    /// The data set cannot be written.
    #[cfg(feature = "dataset")]
    #[error(transparent)]
    Dataset(#[from] regrasp_lerobot::DatasetError),
    /// The viewer file cannot be written.
    #[cfg(feature = "rerun")]
    #[error(transparent)]
    Viewer(#[from] regrasp_rerun::RrdError),
    /// The export was cancelled by its caller.
    #[error("finish {what}: it was cancelled")]
    Unwanted {
        /// Export that was cancelled.
        what: &'static str,
    },
}
