//! What stands in the way of an export.

use regrasp::{NoSuchCamera, SetupError};
use regrasp_record::RecordError;
use regrasp_render::LabelError;

use crate::RecordedSceneError;

/// A film strip, video, data set or file for viewers that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A scene cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The recording cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordError),
    /// Its scene cannot be drawn.
    #[error(transparent)]
    Scene(#[from] RecordedSceneError),
    /// The scene has no camera of that name.
    #[error(transparent)]
    Camera(#[from] NoSuchCamera),
    /// Nothing can be written on pictures.
    #[error(transparent)]
    Font(#[from] LabelError),
    /// There is nothing to draw.
    #[error("draw a film strip: the recording holds no frame: it ends too early")]
    Empty,
    /// The video cannot be made.
    #[cfg(feature = "video")]
    #[error(transparent)]
    Video(#[from] regrasp_video::VideoError),
    /// The data set cannot be written.
    #[cfg(feature = "dataset")]
    #[error(transparent)]
    Dataset(#[from] regrasp_lerobot::DatasetError),
    /// The viewer's file cannot be written.
    #[cfg(feature = "rerun")]
    #[error(transparent)]
    Viewer(#[from] regrasp_rerun::RrdError),
    /// Nobody wants it any more.
    #[error("end {what}: nobody waits for it any more")]
    Unwanted {
        /// What was being made.
        what: &'static str,
    },
}
