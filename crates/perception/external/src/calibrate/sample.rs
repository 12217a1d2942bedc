//! Poses of the arm with what was seen there, and how well they fit a model.

use nalgebra::Vector3;
use regrasp_api::Pose;

/// A radian counts as much as so many metres.
pub(super) const LEVER_M: f64 = 0.2;
/// What fits worse than this, root mean square, m, is a mistake and no noise.
pub(super) const WORST_M: f64 = 0.02;

/// One pose of the arm, and what was seen there.
///
/// With `x` for where the camera is and `y` for where the marker is, `x * seen = carrier * y`. A
/// camera beside the arm: `carrier` is base_from_tool, `x` base_from_camera, `y` tool_from_marker.
/// A camera in the hand: `carrier` is tool_from_base, `x` tool_from_camera, `y` base_from_marker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) carrier: Pose,
    /// Marker in the camera's frame; of a point, only its translation means anything.
    pub(super) seen: Pose,
    pub(super) is_point: bool,
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model {
    pub(super) x: Pose,
    /// For points, only its translation means anything.
    pub(super) y: Pose,
}

/// How much is known and seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Whole poses of a marker that sits anywhere.
    Poses,
    /// Points of a marker that sits anywhere.
    Points,
    /// Points of a marker that sits there, in the carrier's moving frame, m.
    KnownPoint(Vector3<f64>),
}

impl Kind {
    /// So many determine the answer, with one to spare.
    pub(super) fn least(self) -> usize {
        match self {
            Self::Poses | Self::KnownPoint(_) => 4,
            Self::Points => 5,
        }
    }
}

/// Why no camera can be calibrated by what was seen, and what would be right.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct CalibrateError(pub(super) String);

impl Sample {
    /// How far off this is, m and rad.
    pub(super) fn error(&self, model: &Model) -> (f64, f64) {
        let (seen, there) = (model.x * self.seen, self.carrier * model.y);
        let off = seen.translation.vector - there.translation.vector;
        let turn_rad = match self.is_point {
            true => 0.0,
            false => seen.rotation.angle_to(&there.rotation),
        };
        (off.norm(), turn_rad)
    }

    /// The same as one number, m.
    pub(super) fn misfit(&self, model: &Model) -> f64 {
        let (m, rad) = self.error(model);
        m.hypot(LEVER_M * rad)
    }
}
