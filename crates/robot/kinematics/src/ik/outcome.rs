//! What came of it.

use std::fmt;

use nalgebra::Isometry3;

/// Outcome of [`super::solve`]. Not reaching a target is an outcome, not an error.
///
/// Errors are those of the aspect asked for: an [`super::IkTarget::Position`] has no
/// rotation error, a [`super::IkTarget::ToolAxis`] that between the two axes.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub enum IkOutcome {
    /// The target is met within the tolerances and the limits.
    Solved {
        /// Joint positions, radians or metres.
        q: Vec<f64>,
        /// Distance from the target, metres.
        pos_err_m: f64,
        /// Angle from the target, radians.
        rot_err_rad: f64,
        /// Iterations taken, over all starts.
        iterations: usize,
    },
    /// No start came within the tolerances. That proves nothing about the next one,
    /// but a target well inside the workspace is rarely missed.
    NotConverged {
        /// The configuration that came nearest, within the limits.
        nearest_q: Vec<f64>,
        /// Where the tip is in that configuration.
        nearest_base_from_tool: Isometry3<f64>,
        /// Its distance from the target, metres; +∞ if the target is not finite.
        pos_err_m: f64,
        /// Its angle from the target, radians; +∞ if the target is not finite.
        rot_err_rad: f64,
        /// Iterations taken, over all starts.
        iterations: usize,
        /// The distance asked for, metres.
        pos_tol_m: f64,
        /// The angle asked for, radians.
        rot_tol_rad: f64,
    },
}

impl IkOutcome {
    /// The joint positions, if the target is met.
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

    /// Iterations taken, over all starts.
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
                write!(f, "IK did not converge in {iterations} iterations (")?;
                let pos_missed = pos_err_m > pos_tol_m;
                let rot_missed = rot_err_rad > rot_tol_rad;
                if pos_missed {
                    write!(f, "pos_err={pos_err_m:.4} m > tol={pos_tol_m} m")?;
                }
                if pos_missed && rot_missed {
                    write!(f, ", ")?;
                }
                if rot_missed {
                    write!(f, "rot_err={rot_err_rad:.4} rad > tol={rot_tol_rad} rad")?;
                }
                write!(f, ")")
            }
        }
    }
}
