//! Recognition of chains for which the closed form holds, and their lengths.

use nalgebra::{Matrix3, Vector3};

use super::geometry::{Arc, ElbowTriangle, PandaIk};
use super::reach::cosines_between;
use crate::chain::{Chain, Step};

/// Tolerated deviation from the Panda's pattern: of entries of rotations, and of lengths, m.
const TOL: f64 = 1e-9;

impl PandaIk {
    /// Returns the closed form for `chain`, if it has the Panda's pattern of seven hinges: axes
    /// perpendicular or parallel and offset as in the table below, to 1e-9. The lengths are free
    /// and taken from the chain; base and tool may be mounted in any pose.
    ///
    /// In Craig's convention (frame i lies on axis i; the transform from frame i - 1 is Rx(α) Tx(a)
    /// Rz(q) Tz(d)):
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
        let at = |joint: usize| steps[joint - 1].fixed.translation.vector;
        let zero = 0.0;
        // Joint 1 may be anywhere on its own axis: the shoulder is at joint 2.
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
            (fixed.rotation.matrix() - quarter_turn(sin_alpha)).amax() < TOL
                && (fixed.translation.vector - Vector3::from(translation)).amax() < TOL
        });
        // Without an upper arm or a forearm there is no triangle.
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
}

/// Returns true for an independent hinge without multiplier or offset.
fn is_plain(step: &Step, idx: usize) -> bool {
    !step.is_prismatic
        && step.q_idx == idx
        && (step.multiplier - 1.0).abs() < TOL
        && step.offset.abs() < TOL
}

/// A quarter turn about x, in the direction of the sign.
fn quarter_turn(sin: f64) -> Matrix3<f64> {
    Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, -sin, 0.0, sin, 0.0)
}
