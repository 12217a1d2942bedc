//! Moving the tool by force: an operational-space controller.

use serde::{Deserialize, Serialize};

use crate::Pose;

/// An operational-space controller (Khatib 1987) with decoupled position and rotation, as
/// robosuite's `OSC_POSE`.
///
/// With the Jacobians `J_p`, `J_r` of a point at the tool and the mass matrix `M` of the arm that it
/// was made for, which has `links` and `armature_kg_m2`, the joints' torques are
///
/// tau = J_pᵀ (J_p M⁻¹ J_pᵀ)⁻¹ (k e_p - d v) + J_rᵀ (J_r M⁻¹ J_rᵀ)⁻¹ (k e_r - d w) + Nᵀ M (k₀ (q₀ - q) - d₀ q')
///
/// with `d = 2 √k`, cut to `max_torque_n_m`. The arm is then accelerated as those torques, and the
/// joints' frictions, would accelerate that other arm. It lags behind its goal, and pulls only so hard
/// as the goal is far: this is what policies meet that were trained on such a controller.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolServo {
    /// The point that is driven, and its axes, from the tool.
    pub tool_from_point: Pose,
    /// Stiffness `k` of position and rotation, 1/s².
    pub stiffness: f64,
    /// Stiffness `k₀` of what the joints do beside that, 1/s².
    pub rest_stiffness: f64,
    /// Where the joints are pulled to beside that, chain order, rad.
    pub rest: Vec<f64>,
    /// What the arm's links are there, one for each joint: what each moves up to the next joint.
    pub links: Vec<ServoLink>,
    /// Inertia of each joint's drive, chain order, kg m²: it takes the place of the robot file's.
    pub armature_kg_m2: Vec<f64>,
    /// Viscous friction of each joint, N m s.
    pub damping: Vec<f64>,
    /// Dry friction of each joint, N m.
    pub friction_n_m: Vec<f64>,
    /// The largest torque of each joint, N m.
    pub max_torque_n_m: Vec<f64>,
}

/// What a joint moves up to the next one, of the arm that a controller was made for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServoLink {
    /// Mass, kg.
    pub mass_kg: f64,
    /// Centre of mass in the frame of the joint's child link, m.
    pub center: [f64; 3],
    /// Moments of inertia about that centre and the axes of that frame, kg m².
    pub inertia_kg_m2: [f64; 3],
}
