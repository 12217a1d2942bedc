//! Compliance of the arm.
//!
//! Gravity compensation is perfect (see the crate's list of limitations), so when the arm stands
//! against something, its servos' efforts balance the contact force: tau = J^T F, with the Jacobian
//! J of the tool point (3 x n, rows of `v`). The force that fits the efforts best is F = (J J^T)^-1
//! J tau. If it exceeds the limit, every effort is reduced by the same factor. Efforts with another
//! purpose (accelerating the arm, rotating it about the tool point) count as pressing, so the limit
//! errs on the safe side.

use nalgebra::{DVector, Matrix3, Vector3};

use crate::reading::Reading;
use crate::tool_servo::jacobian;

pub(crate) struct Softness {
    /// Factor on the servos' stiffness and damping.
    pub(crate) stiffness: f64,
    /// Effort limit of each joint, if the limit on the force is reached.
    efforts: Option<Vec<f64>>,
}

impl Softness {
    pub(crate) fn of(now: &Reading<'_>) -> Self {
        let Some(soft) = now.compliance else {
            return Self {
                stiffness: 1.0,
                efforts: None,
            };
        };
        let limit = soft.max_force_n;
        Self {
            stiffness: soft.stiffness,
            efforts: limit.and_then(|limit| cut_efforts(now, limit)),
        }
    }

    /// The effort limit of a joint whose motor has the limit `motor`.
    pub(crate) fn max_effort(&self, i: usize, motor: f64) -> f64 {
        let cut = self.efforts.as_ref().and_then(|efforts| efforts.get(i));
        cut.map_or(motor, |effort| effort.min(motor))
    }
}

/// Magnitudes of the efforts at which the tool presses with `max_force_n`; `None` if it presses
/// less, or if the arm cannot press in every direction.
fn cut_efforts(now: &Reading<'_>, max_force_n: f64) -> Option<Vec<f64>> {
    let efforts = now.arm_efforts();
    let force_n = force_of(now, &efforts)?.norm();
    let part = max_force_n / force_n;
    (part < 1.0).then(|| efforts.iter().map(|effort| part * effort.abs()).collect())
}

/// The force at the tool point that fits these efforts of the arm's joints best, in World, N;
/// `None` if the arm cannot press in every direction.
fn force_of(now: &Reading<'_>, efforts: &[f64]) -> Option<Vector3<f64>> {
    let multibodies = &now.physics.multibody_joints;
    let multibody = multibodies.get_multibody(now.layout.robot.multibody)?;
    let jacobian = jacobian(now, multibody, &now.world_from_tool())?;
    let jacobian = jacobian.fixed_rows::<3>(0).into_owned();
    let tau = DVector::from_column_slice(efforts);
    let square: Matrix3<f64> = &jacobian * jacobian.transpose();
    Some(square.try_inverse()? * (&jacobian * tau))
}
