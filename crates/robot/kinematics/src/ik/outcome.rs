//! Options and outcome of the inverse kinematics.

use std::fmt;

use nalgebra::Isometry3;

/// Options of [`super::solve`]. The default tolerances are 0.1 mm and 1 mrad.
#[derive(Debug, Clone, PartialEq, smart_default::SmartDefault)]
pub struct IkOptions {
    /// Position tolerance of the tip, m. Default 1e-4: a tenth of what a gripper's compliance
    /// absorbs.
    #[default(1e-4)]
    pub pos_tol_m: f64,
    /// Rotation tolerance, rad. Default 1e-3: at a finger length of 0.1 m this equals the position
    /// tolerance.
    #[default(1e-3)]
    pub rot_tol_rad: f64,
    /// Largest number of iterations over all starts. Default 600: a reachable pose takes about ten,
    /// so this allows for dozens of bad starts and still ends within a millisecond. At most 60
    /// iterations follow a closed form that finds no solution.
    #[default(600)]
    pub max_iterations: usize,
    /// Largest number of random starts after the seed. Default 1000, more than the iterations
    /// allow. Lower it to stay near the seed; 0 uses the seed alone, without the closed form.
    #[default(1000)]
    pub restarts: usize,
    /// Seed of the random starts. Default 0.
    pub seed: u64,
}

/// Outcome of [`super::solve`]. A missed target is an outcome, not an error.
///
/// Errors are those of the requested quantity: an [`super::IkTarget::Position`] has no rotation
/// error; that of an [`super::IkTarget::ToolAxis`] is the angle between the two axes.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub enum IkOutcome {
    /// The target is met within the tolerances and the limits.
    Solved {
        /// Joint positions, radians or metres.
        q: Vec<f64>,
        /// Distance from the target, m.
        pos_err_m: f64,
        /// Angle from the target, rad.
        rot_err_rad: f64,
        /// Iterations used, over all starts.
        iterations: usize,
    },
    /// No start came within the tolerances. This does not prove that another one would fail, but a
    /// target well inside the workspace is rarely missed.
    NotConverged {
        /// The nearest configuration found within the limits.
        nearest_q: Vec<f64>,
        /// Pose of the tip in that configuration.
        nearest_base_from_tool: Isometry3<f64>,
        /// Distance from the target, m; +∞ if the target is not finite.
        pos_err_m: f64,
        /// Angle from the target, rad; +∞ if the target is not finite.
        rot_err_rad: f64,
        /// Iterations used, over all starts.
        iterations: usize,
        /// Requested position tolerance, m.
        pos_tol_m: f64,
        /// Requested rotation tolerance, rad.
        rot_tol_rad: f64,
    },
}

impl IkOutcome {
    /// Joint positions, if the target is met.
    #[must_use]
    pub fn solution(&self) -> Option<&[f64]> {
        match self {
            Self::Solved { q, .. } => Some(q),
            Self::NotConverged { .. } => None,
        }
    }

    /// Returns true if the target is met.
    #[must_use]
    pub fn is_solved(&self) -> bool {
        self.solution().is_some()
    }

    /// Iterations used, over all starts.
    #[must_use]
    pub fn iterations(&self) -> usize {
        match self {
            Self::Solved { iterations, .. } | Self::NotConverged { iterations, .. } => *iterations,
        }
    }
}

impl fmt::Display for IkOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Solved {
                pos_err_m,
                rot_err_rad,
                iterations,
                ..
            } => write!(
                f,
                "IK converged in {iterations} iterations (pos_err={pos_err_m:.1e} m, rot_err={rot_err_rad:.1e} rad)"
            ),
            Self::NotConverged {
                pos_err_m,
                rot_err_rad,
                iterations,
                pos_tol_m,
                rot_tol_rad,
                ..
            } => {
                let pos = (pos_err_m > pos_tol_m)
                    .then(|| format!("pos_err={pos_err_m:.4} m > tol={pos_tol_m} m"));
                let rot = (rot_err_rad > rot_tol_rad)
                    .then(|| format!("rot_err={rot_err_rad:.4} rad > tol={rot_tol_rad} rad"));
                let missed = pos.into_iter().chain(rot).collect::<Vec<_>>().join(", ");
                write!(
                    f,
                    "IK did not converge in {iterations} iterations ({missed})"
                )
            }
        }
    }
}
