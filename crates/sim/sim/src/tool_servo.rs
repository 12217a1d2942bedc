//! Torque control of the arm: the operational-space controller of [`regrasp_api::ToolServo`].
//!
//! A mass matrix is `M = Σ m J_vᵀ J_v + J_wᵀ I J_w` over the links, plus the armature. Two are
//! used: the matrix of the arm for which the controller was made gives the accelerations, and the
//! matrix of the simulated arm converts these to torques. A torque is applied through a joint motor
//! whose velocity gain is so low that the speed of the joint hardly changes the torque.

use nalgebra::{DMatrix, DVector, Matrix3, Matrix6xX, Point3, Vector3, Vector6};
use rapier3d_f64::prelude::{Multibody, RigidBody};
use regrasp_api::{Pose, ToolServo};
use regrasp_geometry_parry::{from_parry, from_vector};

use crate::layout::{JointLayout, RobotLayout};
use crate::reading::Reading;

/// Speed below which a joint's dry friction is proportional to its speed, rad/s.
const CREEP: f64 = 0.01;

pub(crate) struct Pull {
    pub(crate) servo: ToolServo,
    pub(crate) world_to_point: Pose,
    /// Torques of the arm's joints, N m.
    pub(crate) torques: Vec<f64>,
}

impl Pull {
    /// The torques of the next step; zero if the controller has no solution.
    pub(crate) fn torques(&self, now: &Reading<'_>) -> Vec<f64> {
        let n = now.layout.robot.arm.len();
        self.wanted(now).unwrap_or_else(|| vec![0.0; n])
    }

    fn wanted(&self, now: &Reading<'_>) -> Option<Vec<f64>> {
        let servo = &self.servo;
        let robot = &now.layout.robot;
        let joints = &now.physics.multibody_joints;
        let multibody = joints.get_multibody(robot.multibody)?;
        let world_from_point = now.world_from_tool() * servo.tool_from_point;
        let jacobian = jacobian(now, multibody, &world_from_point)?;
        let mass = self.modelled_mass(now, multibody)?;
        let inverse = mass.clone().try_inverse()?;
        let q = DVector::from_column_slice(&now.joints.arm_q);
        let speed = DVector::from_column_slice(&now.joints.arm_v);
        let twist = &jacobian * &speed;
        let pulled = accelerations(servo, &self.world_to_point, &world_from_point, &twist);
        let apparent = |rows: &DMatrix<f64>| {
            let square = rows * &inverse * rows.transpose();
            square.pseudo_inverse(1e-9).ok()
        };
        let j_p = jacobian.rows(0, 3).into_owned();
        let j_r = jacobian.rows(3, 3).into_owned();
        let force = apparent(&j_p)? * pulled.rows(0, 3);
        let moment = apparent(&j_r)? * pulled.rows(3, 3);
        let rest = servo.rest_stiffness;
        let to_rest = &mass
            * ((DVector::from_column_slice(&servo.rest) - &q) * rest
                - &speed * (2.0 * rest.sqrt()));
        // Nᵀ = 1 - Jᵀ Λ J M⁻¹ passes only torques that do not move the point.
        let beside = &to_rest
            - jacobian.transpose() * (apparent(&jacobian)? * (&jacobian * (&inverse * &to_rest)));
        let tau = j_p.transpose() * force + j_r.transpose() * moment + beside;
        let joints = tau.iter().enumerate();
        let moving = joints.map(|(i, tau)| self.of_joint(i, *tau, speed[i]));
        let accelerated = inverse * DVector::from_iterator(tau.len(), moving);
        let here = own_mass(now, multibody, &servo.armature_kg_m2)? * accelerated;
        Some(here.iter().copied().collect())
    }

    /// The mass matrix of the arm for which the controller was made, kg m².
    fn modelled_mass(&self, now: &Reading<'_>, multibody: &Multibody) -> Option<DMatrix<f64>> {
        let robot = &now.layout.robot;
        let n = robot.arm.len();
        let mut mass = DMatrix::zeros(n, n);
        for (joint, link) in robot.arm.iter().zip(&self.servo.links) {
            let body = multibody.link(joint.link_id)?.rigid_body_handle();
            let body = now.physics.bodies.get(body)?;
            let world_from_link = from_parry(body.position());
            let center = world_from_link * Point3::from(link.center);
            let lever = center.coords - from_vector(body.center_of_mass());
            let jacobian = moved(of_body(multibody, joint.link_id, robot), &lever);
            let turn = world_from_link.rotation.to_rotation_matrix();
            let own = Matrix3::from_diagonal(&link.inertia_kg_m2.into());
            let inertia = turn * own * turn.transpose();
            let (v, w) = (jacobian.fixed_rows::<3>(0), jacobian.fixed_rows::<3>(3));
            mass += v.transpose() * v * link.mass_kg + w.transpose() * inertia * w;
        }
        add_armature(&mut mass, &self.servo.armature_kg_m2);
        Some(mass)
    }

    /// Torque that remains at a joint after limits and friction.
    fn of_joint(&self, i: usize, tau: f64, speed: f64) -> f64 {
        let of = |all: &[f64], other: f64| all.get(i).copied().unwrap_or(other);
        let most = of(&self.servo.max_torque_n_m, f64::MAX);
        let dry = of(&self.servo.friction_n_m, 0.0) * (speed / CREEP).clamp(-1.0, 1.0);
        tau.clamp(-most, most) - dry - of(&self.servo.damping, 0.0) * speed
    }
}

/// Desired linear and angular acceleration in World, rows `[v; w]`.
fn accelerations(servo: &ToolServo, to: &Pose, from: &Pose, twist: &DVector<f64>) -> DVector<f64> {
    let off = to.translation.vector - from.translation.vector;
    let [to, from] = [to, from].map(|pose| pose.rotation.to_rotation_matrix());
    // robosuite's rotation error: sine of the angle, along the axis.
    let turned: Vector3<f64> = (0..3)
        .map(|i| from.matrix().column(i).cross(&to.matrix().column(i)))
        .sum::<Vector3<f64>>()
        * 0.5;
    let (k, d) = (servo.stiffness, 2.0 * servo.stiffness.sqrt());
    let wanted = off.iter().chain(turned.iter()).map(|error| k * error);
    DVector::from_iterator(6, wanted) - twist * d
}

/// Jacobian of a point of the tool's body, in World, 6 x n for the joints of the arm, rows `[v;
/// w]`.
pub(crate) fn jacobian(
    now: &Reading<'_>,
    multibody: &Multibody,
    world_from_point: &Pose,
) -> Option<DMatrix<f64>> {
    let robot = &now.layout.robot;
    let body = now.physics.bodies.get(robot.tool_body)?;
    let joints = &now.physics.multibody_joints;
    let link = joints.rigid_body_link(robot.tool_body)?;
    let at_center = of_body(multibody, link.id, robot);
    let lever = world_from_point.translation.vector - from_vector(body.center_of_mass());
    let at_point = moved(at_center, &lever);
    let n = at_point.ncols();
    Some(DMatrix::from_column_slice(6, n, at_point.as_slice()))
}

/// Jacobian of a point at `lever` from the point of the given Jacobian.
fn moved(mut of_body: Matrix6xX<f64>, lever: &Vector3<f64>) -> Matrix6xX<f64> {
    for mut column in of_body.column_iter_mut() {
        let w = Vector3::new(column[3], column[4], column[5]);
        let v = w.cross(lever);
        (0..3).for_each(|i| column[i] += v[i]);
    }
    of_body
}

/// rapier's Jacobian of a link's centre of mass, restricted to the arm's joints.
fn of_body(multibody: &Multibody, link_id: usize, robot: &RobotLayout) -> Matrix6xX<f64> {
    let whole = multibody.body_jacobian(link_id);
    let column = |joint: &JointLayout| Vector6::from_fn(|row, _| whole[(row, joint.dof)]);
    let columns = robot.arm.iter().map(column);
    Matrix6xX::from_columns(&columns.collect::<Vec<_>>())
}

/// The mass matrix of the simulated arm's joints, kg m².
fn own_mass(now: &Reading<'_>, multibody: &Multibody, armature: &[f64]) -> Option<DMatrix<f64>> {
    let robot = &now.layout.robot;
    let n = robot.arm.len();
    let mut mass = DMatrix::zeros(n, n);
    for handle in &robot.moving {
        let body = now.physics.bodies.get(*handle)?;
        let link = now.physics.multibody_joints.rigid_body_link(*handle)?;
        let jacobian = of_body(multibody, link.id, robot);
        let (v, w) = (jacobian.fixed_rows::<3>(0), jacobian.fixed_rows::<3>(3));
        mass += v.transpose() * v * body.mass() + w.transpose() * inertia(body) * w;
    }
    add_armature(&mut mass, armature);
    Some(mass)
}

fn add_armature(mass: &mut DMatrix<f64>, armature: &[f64]) {
    for (i, armature) in armature.iter().enumerate().take(mass.nrows()) {
        mass[(i, i)] += armature;
    }
}

/// Inertia about a body's centre of mass, in World, kg m².
fn inertia(body: &RigidBody) -> Matrix3<f64> {
    let own = &body.mass_properties().local_mprops;
    let own = own.reconstruct_inertia_matrix();
    let own = Matrix3::from_columns(&[own.x_axis, own.y_axis, own.z_axis].map(from_vector));
    let turn = from_parry(body.position()).rotation.to_rotation_matrix();
    turn * own * turn.transpose()
}
