//! Poses of the arm with what was seen there, and how well they fit a model.

use nalgebra::Vector3;
use regrasp_api::Pose;

/// A radian counts as much as so many metres.
pub(super) const LEVER_M: f64 = 0.2;
/// What fits worse than this, root mean square, m, is a mistake and no noise.
pub(super) const WORST_M: f64 = 0.02;

/// What the camera saw of the marker.
#[derive(Clone, Copy, Debug)]
pub(super) enum Seen {
    Pose(Pose),
    Point(Vector3<f64>),
}

/// One pose of the arm, and what was seen there.
///
/// With `x` for where the camera is and `y` for where the marker is, `x * seen = carrier * y`. A
/// camera beside the arm: `carrier` is base_from_tool, `x` base_from_camera, `y` tool_from_marker.
/// A camera in the hand: `carrier` is tool_from_base, `x` tool_from_camera, `y` base_from_marker.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) carrier: Pose,
    pub(super) seen: Seen,
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

/// Why no camera can be calibrated by what was seen.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CalibrateError {
    /// A field of the file makes no sense.
    #[error("{problem}")]
    Wrong {
        /// What, where, and what would be right.
        problem: String,
    },
    /// There is too little.
    #[error("{n} poses were seen, and at least {least} are needed; 12 to 20 give a good average")]
    Few {
        /// How many there are.
        n: usize,
        /// How many are needed.
        least: usize,
    },
    /// The hand turned about one axis at most, so that the camera could slide along it.
    #[error(
        "the hand turns by {second_rad:.3} rad (root mean square) about a second axis, and at \
         least {least_rad} rad are needed; turn it about two axes, by 0.5 rad and more"
    )]
    OneAxis {
        /// What there is.
        second_rad: f64,
        /// What is needed.
        least_rad: f64,
    },
    /// The points lie on one line, about which the camera could turn.
    #[error(
        "what was seen lies within {second_m:.4} m (root mean square) of a line, and at least \
         {least_m} m are needed; move the hand in two directions, by 0.1 m and more"
    )]
    OneLine {
        /// What there is.
        second_m: f64,
        /// What is needed.
        least_m: f64,
    },
    /// Much of it contradicts the rest.
    #[error(
        "{n_dropped} of {n} poses do not fit the rest ({rms_m:.4} m root mean square of what \
         does, limit {WORST_M} m): is the mounting right, are the poses those from base to tool \
         and from camera to marker, and in metres?"
    )]
    Contradictory {
        /// How many do not fit.
        n_dropped: usize,
        /// How many there are.
        n: usize,
        /// How well the others fit, m.
        rms_m: f64,
    },
}

impl Sample {
    /// How far off this is, m and rad.
    pub(super) fn error(&self, model: &Model) -> (f64, f64) {
        let there = self.carrier * model.y;
        match self.seen {
            Seen::Pose(seen) => {
                let seen = model.x * seen;
                let off = seen.translation.vector - there.translation.vector;
                (off.norm(), seen.rotation.angle_to(&there.rotation))
            }
            Seen::Point(seen) => {
                let off = model.x.transform_point(&seen.into()).coords - there.translation.vector;
                (off.norm(), 0.0)
            }
        }
    }

    /// The same as one number, m.
    pub(super) fn misfit(&self, model: &Model) -> f64 {
        let (m, rad) = self.error(model);
        m.hypot(LEVER_M * rad)
    }
}
