//! Samples of a calibration: an arm pose with a sighting, and their error in a model.

use nalgebra::Vector3;
use regrasp_api::Pose;

/// Length by which a rotation in rad is multiplied to compare it with a translation, m.
pub(super) const LEVER_M: f64 = 0.2;
/// Root mean square error above which the input is considered wrong instead of noisy, m.
pub(super) const WORST_M: f64 = 0.02;

/// An arm pose with a sighting.
///
/// With `x` for the camera's pose and `y` for the marker's, `x * seen = carrier * y`. For a camera
/// beside the arm, `carrier` is base_from_tool, `x` base_from_camera, `y` tool_from_marker; for a
/// camera on the hand, `carrier` is tool_from_base, `x` tool_from_camera, `y` base_from_marker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) carrier: Pose,
    /// Marker in the camera's frame; for a point only the translation is used.
    pub(super) seen: Pose,
    pub(super) is_point: bool,
}

/// Unknowns of the calibration.
#[derive(Clone, Copy, Debug)]
pub(super) struct Model {
    pub(super) x: Pose,
    /// Pose of the marker; for points only the translation is used.
    pub(super) y: Pose,
}

/// Type of the sightings, and prior knowledge of the marker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Full poses of a marker at an unknown place.
    Poses,
    /// Positions of a marker at an unknown place.
    Points,
    /// Positions of a marker at this point of the carrier's moving frame, m.
    KnownPoint(Vector3<f64>),
}

impl Kind {
    /// Smallest number of samples: one more than the solution needs.
    pub(super) fn least(self) -> usize {
        match self {
            Self::Poses | Self::KnownPoint(_) => 4,
            Self::Points => 5,
        }
    }
}

/// Reason why a calibration is not possible, with the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct CalibrateError(pub(super) String);

impl Sample {
    pub(super) fn error(&self, model: &Model) -> (f64, f64) {
        let (seen, there) = (model.x * self.seen, self.carrier * model.y);
        let off = seen.translation.vector - there.translation.vector;
        let turn_rad = match self.is_point {
            true => 0.0,
            false => seen.rotation.angle_to(&there.rotation),
        };
        (off.norm(), turn_rad)
    }

    /// Combined error of the sample, m.
    pub(super) fn misfit(&self, model: &Model) -> f64 {
        let (m, rad) = self.error(model);
        m.hypot(LEVER_M * rad)
    }
}
