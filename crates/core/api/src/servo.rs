//! Force-based control of the tool: an operational-space controller.

use serde::{Deserialize, Serialize};

use crate::Pose;

/// Operational-space controller (Khatib 1987) with decoupled position and rotation, like
/// robosuite's `OSC_POSE`.
///
/// `J_p` and `J_r` are the Jacobians of a point at the tool, and `M` is the mass matrix of the arm
/// for which the controller was made, given by `links` and `armature_kg_m2`. The joint torques are
///
/// ```text
/// tau = J_pᵀ (J_p M⁻¹ J_pᵀ)⁻¹ (k e_p - d v) + J_rᵀ (J_r M⁻¹ J_rᵀ)⁻¹ (k e_r - d w)
///     + Nᵀ M (k₀ (q₀ - q) - d₀ q')
/// ```
///
/// with `d = 2 √k`, clamped to `max_torque_n_m`. The arm then accelerates as these torques and the
/// joints' friction would accelerate that other arm. It lags behind its goal, and its force grows
/// with the distance to the goal: policies trained on such a controller expect this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolServo {
    /// Controlled point and its axes in the tool frame.
    pub tool_from_point: Pose,
    /// Stiffness `k` of position and rotation, 1/s².
    pub stiffness: f64,
    /// Stiffness `k₀` of the null-space motion, 1/s².
    pub rest_stiffness: f64,
    /// Target of the null-space motion, joint positions in chain order, rad.
    pub rest: Vec<f64>,
    /// Links of that arm, one for each joint.
    pub links: Vec<ServoLink>,
    /// Inertia of each joint's drive in chain order, kg m²; replaces that of the robot file.
    pub armature_kg_m2: Vec<f64>,
    /// Viscous friction of each joint, N m s.
    pub damping: Vec<f64>,
    /// Dry friction of each joint, N m.
    pub friction_n_m: Vec<f64>,
    /// Largest torque of each joint, N m.
    pub max_torque_n_m: Vec<f64>,
}

/// Inertia between a joint and the next one, of the arm for which a controller was made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServoLink {
    /// Mass, kg.
    pub mass_kg: f64,
    /// Centre of mass in the frame of the joint's child link, m.
    pub center: [f64; 3],
    /// Moments of inertia about the centre of mass and the axes of that frame, kg m².
    pub inertia_kg_m2: [f64; 3],
}
