//! Compliance of the arm.
//!
//! Gravity compensation is perfect (see the crate's list of limitations), so when the arm stands
//! against something, its servos' efforts are its contact force: tau = J^T F, with the Jacobian J
//! of the tool point (3 x n, rows of `v`). The force that fits the efforts best is F = (J J^T)^-1 J
//! tau. If it exceeds the limit, every effort is reduced by the same factor. Efforts with another
//! purpose (accelerating the arm, rotating it about the tool point) count as pressing, so the limit
//! errs on the safe side.

use nalgebra::{DVector, Matrix3, Matrix3xX, Vector3};
use regrasp_geometry_parry::{from_parry, from_vector};

use crate::reading::Reading;

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

/// The efforts at which the tool presses with `max_force_n`; `None` if it presses less.
fn cut_efforts(now: &Reading<'_>, max_force_n: f64) -> Option<Vec<f64>> {
    let efforts = now.arm_efforts();
    let force_n = force_of(now, &efforts)?.norm();
    let part = max_force_n / force_n;
    (part < 1.0).then(|| efforts.iter().map(|effort| part * effort.abs()).collect())
}

/// The force at the tool point that fits these efforts of the arm's joints best, in World, N;
/// `None` if the arm cannot press in every direction.
fn force_of(now: &Reading<'_>, efforts: &[f64]) -> Option<Vector3<f64>> {
    let jacobian = tool_jacobian(now)?;
    let tau = DVector::from_column_slice(efforts);
    let square: Matrix3<f64> = &jacobian * jacobian.transpose();
    Some(square.try_inverse()? * (&jacobian * tau))
}

/// Velocity of the tool point in World for each joint of the arm, 3 x n.
fn tool_jacobian(now: &Reading<'_>) -> Option<Matrix3xX<f64>> {
    let robot = &now.layout.robot;
    let joints = &now.physics.multibody_joints;
    let multibody = joints.get_multibody(robot.multibody)?;
    let body = now.physics.bodies.get(robot.tool_body)?;
    let link = joints.rigid_body_link(robot.tool_body)?;
    // rapier's Jacobian is that of the centre of mass, rows of `v` before those of `w`.
    let of_body = multibody.body_jacobian(link.id);
    let world_from_tool = from_parry(body.position()) * robot.body_from_tool;
    let lever = world_from_tool.translation.vector - from_vector(body.center_of_mass());
    let column = |dof: usize| {
        let c = |row: usize| of_body[(row, dof)];
        let v = Vector3::new(c(0), c(1), c(2));
        let w = Vector3::new(c(3), c(4), c(5));
        v + w.cross(&lever)
    };
    let columns: Vec<_> = robot.arm.iter().map(|joint| column(joint.dof)).collect();
    Some(Matrix3xX::from_columns(&columns))
}
