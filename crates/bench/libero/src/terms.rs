//! Conditions under which LIBERO evaluates policies: robosuite's controller `OSC_POSE`, its Panda,
//! and the step limits of published evaluations.

use regrasp_api::{Pose, ServoLink, ToolServo};
use regrasp_policy::PolicyTerms;

/// LIBERO's control rate, Hz. LIBERO tests the goal after each step.
pub(crate) const CONTROL_HZ: f64 = 20.0;
/// Number of waiting steps at the start, as in the evaluations of OpenVLA and openpi.
const N_SETTLING: u64 = 10;
/// Step limits by suite, from the evaluations of OpenVLA and openpi.
const MAX_STEPS: [(&str, u64); 4] = [
    ("libero_spatial", 220),
    ("libero_object", 280),
    ("libero_goal", 300),
    ("libero_10", 520),
];
/// LIBERO's own step limit, for all other suites.
const OTHER_MAX_STEPS: u64 = 600;
/// Translation for an action of 1, m.
const STEP_M: f64 = 0.05;
/// Rotation for an action of 1, rad.
const TURN_RAD: f64 = 0.5;
/// Offset of LIBERO's tool point from ours, along the fingers, m. LIBERO's point is 0.1065 + 0.097
/// beyond the last link, and ours 0.107 + 0.1034.
const POINT_BELOW_TOOL_M: f64 = 0.1065 + 0.097 - 0.107 - 0.1034;
/// robosuite gives joint n of an arm the armature 5 / n, kg m².
const ARMATURE_KG_M2: f64 = 5.0;
/// robosuite's Panda: mass, centre and moments of inertia of the body that each joint moves, in the
/// links' frames. The moments are much larger than those of the real arm. The last entry combines
/// link, hand, gripper and fingers.
const LINKS: [(f64, [f64; 3], [f64; 3]); 7] = [
    (3.0, [0.0, 0.0, -0.07], [0.3; 3]),
    (3.0, [0.0, -0.1, 0.0], [0.3; 3]),
    (2.0, [0.04, 0.0, -0.05], [0.2; 3]),
    (2.0, [-0.04, 0.05, 0.0], [0.2; 3]),
    (2.0, [0.0, 0.0, -0.15], [0.2; 3]),
    (1.5, [0.06, 0.0, 0.0], [0.1; 3]),
    (1.52, [0.0, 0.0, 0.146], [0.219, 0.219, 0.200]),
];

/// Returns the conditions of a suite (its folder's name) for an arm's start joint positions.
pub fn terms(suite: &str, start: &[f64]) -> PolicyTerms {
    let known = MAX_STEPS.iter().find(|(name, _)| *name == suite);
    let n = start.len();
    let of_wrist = |i: usize, arm: f64, wrist: f64| if i < 5 { arm } else { wrist };
    PolicyTerms {
        rate_hz: CONTROL_HZ,
        n_settling: N_SETTLING,
        max_steps: known.map_or(OTHER_MAX_STEPS, |(_, steps)| *steps),
        step_m: STEP_M,
        turn_rad: TURN_RAD,
        servo: ToolServo {
            tool_from_point: Pose::translation(0.0, 0.0, POINT_BELOW_TOOL_M),
            stiffness: 150.0,
            rest_stiffness: 10.0,
            rest: start.to_vec(),
            links: LINKS.iter().take(n).map(link).collect(),
            armature_kg_m2: (1..=n).map(|joint| ARMATURE_KG_M2 / joint as f64).collect(),
            damping: (0..n).map(|i| of_wrist(i, 0.1, 0.01)).collect(),
            friction_n_m: vec![0.1; n],
            max_torque_n_m: (0..n).map(|i| of_wrist(i, 80.0, 12.0)).collect(),
        },
    }
}

fn link(of: &(f64, [f64; 3], [f64; 3])) -> ServoLink {
    let (mass_kg, center, inertia_kg_m2) = *of;
    ServoLink {
        mass_kg,
        center,
        inertia_kg_m2,
    }
}
