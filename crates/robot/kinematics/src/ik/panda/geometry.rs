//! Lengths of an arm for which the closed form holds.

use crate::{JointLimits, chain::Segment};

/// Positions of the seven joints, radians, base to tip.
pub type PandaQ = [f64; 7];

/// Closed-form inverse kinematics of one chain, see [`Chain::panda_ik`](crate::Chain::panda_ik).
#[derive(Debug, Clone, PartialEq)]
pub struct PandaIk {
    pub(super) lower: PandaQ,
    pub(super) upper: PandaQ,
    pub(super) arcs: [Arc; 7],
    /// Height of the shoulder's centre in the frame of joint 1, m.
    pub(super) shoulder_z: f64,
    /// Distance from shoulder to elbow along the axis of joint 3, m.
    pub(super) d3: f64,
    /// Distance from elbow to wrist along the axis of joint 5, m.
    pub(super) d5: f64,
    /// Distance from the axis of joint 3 to that of joint 4, m.
    pub(super) a4: f64,
    /// Distance from the axis of joint 4 to that of joint 5, m; negative on the Panda.
    pub(super) a5: f64,
    /// Distance from the axis of joint 6 to that of joint 7, m.
    pub(super) a7: f64,
    pub(super) joint1_from_base: Segment,
    pub(super) tool_from_joint7: Segment,
    pub(super) elbow: ElbowTriangle,
}

/// Arc of the unit circle within a joint's limits, for rejecting angles by their sine and cosine
/// alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Arc {
    sin_middle: f64,
    cos_middle: f64,
    /// Least cosine of the distance from the middle for angles on the arc.
    least_cos: f64,
}

impl From<JointLimits> for Arc {
    fn from(limits: JointLimits) -> Self {
        let half = 0.5 * (limits.upper - limits.lower);
        let is_whole_circle = half.is_nan() || half >= std::f64::consts::PI;
        if is_whole_circle {
            return Self {
                sin_middle: 0.0,
                cos_middle: 0.0,
                least_cos: -1.0,
            };
        }
        let (sin_middle, cos_middle) = (limits.lower + half).sin_cos();
        Self {
            sin_middle,
            cos_middle,
            // The margin leaves borderline cases to the check of the angle itself.
            least_cos: half.cos() - 1e-8,
        }
    }
}

impl Arc {
    pub(super) fn may_hold(&self, sin: f64, cos: f64) -> bool {
        self.sin_middle * sin + self.cos_middle * cos >= self.least_cos
    }
}

/// Constants of the triangle shoulder, elbow, wrist.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ElbowTriangle {
    /// L1² + L2², where L1 and L2 are the distances elbow to shoulder and to wrist.
    pub(super) sum_of_squares: f64,
    /// Product 2 L1 L2.
    pub(super) twice_product: f64,
    /// Sine and cosine of joint 4's position at which shoulder and wrist are in the same direction
    /// from the elbow.
    pub(super) sin_folded: f64,
    pub(super) cos_folded: f64,
    /// Least and largest squared distance between shoulder and wrist within joint 4's limits, m².
    pub(super) reach_m2: [f64; 2],
}
