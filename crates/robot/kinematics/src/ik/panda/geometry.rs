//! Which chains the closed form holds for, and their lengths.

use nalgebra::{Matrix3, Vector3};

use super::PandaQ;
use super::reach::cosines_between;
use crate::{
    JointLimits,
    chain::{Chain, Segment, Step},
};

/// Entries of rotations, and metres, may differ by this much from the Panda's pattern.
const TOL: f64 = 1e-9;

/// The closed form for one chain. [`Chain::panda_ik`] has it where it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct PandaIk {
    pub(super) lower: PandaQ,
    pub(super) upper: PandaQ,
    pub(super) arcs: [Arc; 7],
    /// Height of the shoulder's centre in the frame of joint 1.
    pub(super) shoulder_z: f64,
    /// Shoulder to elbow along the axis of joint 3.
    pub(super) d3: f64,
    /// Elbow to wrist along the axis of joint 5.
    pub(super) d5: f64,
    /// From the axis of joint 3 to that of joint 4.
    pub(super) a4: f64,
    /// From the axis of joint 4 to that of joint 5.
    pub(super) a5: f64,
    /// From the axis of joint 6 to that of joint 7.
    pub(super) a7: f64,
    pub(super) joint1_from_base: Segment,
    pub(super) tool_from_joint7: Segment,
    pub(super) elbow: ElbowTriangle,
}

/// The arc of the unit circle that a joint's limits span, for turning down angles by
/// their sine and cosine alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Arc {
    sin_middle: f64,
    cos_middle: f64,
    /// An angle is on the arc if the cosine of its distance from the middle is no less.
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
            // What is on the verge is decided by the angle itself.
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
    /// 2 L1 L2.
    pub(super) twice_product: f64,
    /// Sine and cosine of joint 4's position at which shoulder and wrist would coincide
    /// in direction as seen from the elbow.
    pub(super) sin_folded: f64,
    pub(super) cos_folded: f64,
    /// Least and largest squared distance of shoulder and wrist within joint 4's limits, m².
    pub(super) reach_m2: [f64; 2],
}

impl PandaIk {
    /// The closed form for `chain`, if it has the Panda's pattern of seven hinges: axes
    /// perpendicular or parallel and offset as in the table below, to 1e-9. The lengths
    /// are free and read off the chain; base and tool may be mounted anyhow.
    ///
    /// In Craig's convention (frame i lies on axis i; the transform from frame i - 1 is
    /// Rx(α) Tx(a) Rz(q) Tz(d)):
    ///
    /// | joint | α    | a      | d     |
    /// |-------|------|--------|-------|
    /// | 1     |      |        |       |
    /// | 2     | -π/2 | 0      | 0     |
    /// | 3     | π/2  | 0      | 0.316 |
    /// | 4     | π/2  | 0.0825 | 0     |
    /// | 5     | -π/2 | -0.0825| 0.384 |
    /// | 6     | π/2  | 0      | 0     |
    /// | 7     | π/2  | 0.088  | 0     |
    ///
    /// (Franka Control Interface documentation, "Denavit–Hartenberg parameters".)
    #[must_use]
    pub fn recognise(chain: &Chain) -> Option<Self> {
        let (steps, end) = chain.parts();
        let steps: [Step; 7] = steps.try_into().ok()?;
        let limits: [_; 7] = chain.limits().try_into().ok()?;
        if !steps.iter().enumerate().all(|(i, step)| is_plain(step, i)) {
            return None;
        }
        let at = |joint: usize| steps[joint - 1].fixed.translation;
        let zero = 0.0;
        // Joint 1 may lie anywhere on its own axis: the shoulder is where joint 2 is.
        let shoulder_z = at(2).z;
        let (d3, a4, a5, d5, a7) = (-at(3).y, at(4).x, at(5).x, at(5).y, at(7).x);
        let pattern = [
            (2, -1.0, [zero, zero, shoulder_z]),
            (3, 1.0, [zero, -d3, zero]),
            (4, 1.0, [a4, zero, zero]),
            (5, -1.0, [a5, d5, zero]),
            (6, 1.0, [zero, zero, zero]),
            (7, 1.0, [a7, zero, zero]),
        ];
        let fits = pattern.iter().all(|&(joint, sin_alpha, translation)| {
            let fixed = &steps[joint - 1].fixed;
            (fixed.rotation - quarter_turn(sin_alpha)).amax() < TOL
                && (fixed.translation - Vector3::from(translation)).amax() < TOL
        });
        // Without upper or lower arm there is no triangle.
        let (upper_arm, forearm) = (d3.hypot(a4), d5.hypot(a5));
        if !fits || upper_arm < TOL || forearm < TOL {
            return None;
        }
        let folded = (-d3).atan2(-a4) - d5.atan2(a5);
        let sum_of_squares = upper_arm.powi(2) + forearm.powi(2);
        let twice_product = 2.0 * upper_arm * forearm;
        let [least, most] = cosines_between(limits[3].lower - folded, limits[3].upper - folded);
        Some(Self {
            lower: limits.map(|limits| limits.lower),
            upper: limits.map(|limits| limits.upper),
            arcs: limits.map(Arc::from),
            shoulder_z,
            d3,
            d5,
            a4,
            a5,
            a7,
            joint1_from_base: steps[0].fixed.inverse(),
            tool_from_joint7: end.inverse(),
            elbow: ElbowTriangle {
                sum_of_squares,
                twice_product,
                sin_folded: folded.sin(),
                cos_folded: folded.cos(),
                reach_m2: [most, least].map(|cos| sum_of_squares - twice_product * cos),
            },
        })
    }

    /// Bounds of joint 7, within one turn where there are none.
    pub(super) fn range_of_joint_7(&self) -> (f64, f64) {
        let half_turn = std::f64::consts::PI;
        let or = |bound: f64, else_: f64| if bound.is_finite() { bound } else { else_ };
        (or(self.lower[6], -half_turn), or(self.upper[6], half_turn))
    }
}

/// A hinge of its own that turns as far as its number says.
fn is_plain(step: &Step, idx: usize) -> bool {
    !step.is_prismatic
        && step.q_idx == idx
        && (step.multiplier - 1.0).abs() < TOL
        && step.offset.abs() < TOL
}

/// A quarter of a turn about x, in the direction of the sign.
fn quarter_turn(sin: f64) -> Matrix3<f64> {
    Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, -sin, 0.0, sin, 0.0)
}
