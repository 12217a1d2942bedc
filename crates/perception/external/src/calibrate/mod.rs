//! Where a camera is, from poses at which the arm stood and what the camera saw there.

mod closed_form;
mod file;
mod refine;
mod robust;
mod spread;

use nalgebra::Vector3;
use regrasp_api::Pose;

pub use file::{Calibration, Mounting, SeenEntry, SeenFile};

/// What the camera saw of the marker.
#[derive(Clone, Copy, Debug)]
enum Seen {
    Pose(Pose),
    Point(Vector3<f64>),
}

/// One pose of the arm, and what was seen there.
///
/// With `x` for where the camera is and `y` for where the marker is, `x * seen = carrier * y`. A
/// camera beside the arm: `carrier` is base_from_tool, `x` base_from_camera, `y` tool_from_marker.
/// A camera in the hand: `carrier` is tool_from_base, `x` tool_from_camera, `y` base_from_marker.
#[derive(Clone, Copy, Debug)]
struct Sample {
    carrier: Pose,
    seen: Seen,
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
struct Model {
    x: Pose,
    /// For points, only its translation means anything.
    y: Pose,
}

/// How much is known and seen.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Whole poses of a marker that sits anywhere.
    Poses,
    /// Points of a marker that sits anywhere.
    Points,
    /// Points of a marker that sits there, in the carrier's moving frame, m.
    KnownPoint(Vector3<f64>),
}

impl Kind {
    /// So many determine the answer, with one to spare.
    fn least(self) -> usize {
        match self {
            Self::Poses | Self::KnownPoint(_) => 4,
            Self::Points => 5,
        }
    }
}

/// A radian counts as much as so many metres.
const LEVER_M: f64 = 0.2;
/// What fits worse than this, root mean square, m, is a mistake and no noise.
const WORST_M: f64 = 0.02;

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

/// Finds where the camera is: a closed form for the median of small subsets, so that a few wrong
/// poses do no harm, then least squares over all that fit.
///
/// The closed forms are F. C. Park and B. J. Martin, "Robot sensor calibration: solving AX = XB on
/// the Euclidean group" (1994) for poses, and S. Umeyama, "Least-squares estimation of
/// transformation parameters between two point patterns" (1991), without scale, for points.
///
/// # Errors
///
/// [`CalibrateError`] if too little was seen, too much of it alike, or much of it contradicts the
/// rest.
pub fn calibrate(file: &SeenFile) -> Result<Calibration, CalibrateError> {
    let (kind, samples) = file.samples()?;
    let (n, least) = (samples.len(), kind.least());
    if n < least {
        return Err(CalibrateError::Few { n, least });
    }
    spread::check(kind, &samples)?;
    let robust = robust::fit(kind, &samples);
    let kept: Vec<Sample> = robust.kept.iter().map(|idx| samples[*idx]).collect();
    let contradictory = |rms_m: f64| CalibrateError::Contradictory {
        n_dropped: n - kept.len(),
        n,
        rms_m,
    };
    if kept.len() < least || 3 * kept.len() < 2 * n {
        return Err(contradictory(robust.median_m));
    }
    spread::check(kind, &kept)?;
    let refined = refine::refine(kind, &kept, robust.model);
    let errors: Vec<(f64, f64)> = kept.iter().map(|s| s.error(&refined.model)).collect();
    let rms = |of: fn(&(f64, f64)) -> f64| {
        let sum: f64 = errors.iter().map(|e| of(e).powi(2)).sum();
        (sum / errors.len() as f64).sqrt()
    };
    let rms_position_m = rms(|e| e.0);
    if rms_position_m > WORST_M {
        return Err(contradictory(rms_position_m));
    }
    let at = refined.model.x.into();
    let in_hand = file.mounting == Mounting::EyeInHand;
    Ok(Calibration {
        camera: file.camera.clone(),
        base_from_camera: (!in_hand).then_some(at),
        tool_from_camera: in_hand.then_some(at),
        n_seen: n,
        dropped: (0..n).filter(|idx| !robust.kept.contains(idx)).collect(),
        rms_position_m,
        max_position_m: errors.iter().map(|e| e.0).fold(0.0, f64::max),
        rms_rotation_rad: (kind == Kind::Poses).then(|| rms(|e| e.1)),
        std_position_m: refined.std_position_m,
        std_rotation_rad: refined.std_rotation_rad,
    })
}

impl Sample {
    /// How far off this is, m and rad.
    fn error(&self, model: &Model) -> (f64, f64) {
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
    fn misfit(&self, model: &Model) -> f64 {
        let (m, rad) = self.error(model);
        m.hypot(LEVER_M * rad)
    }
}
