//! Positions of joint 7 at which the wrist is within reach.
//!
//! As joint 7 turns, the wrist's centre W moves on a circle about its axis, in the frame of the
//! tool. The squared distance from W to the shoulder S is a + b cos(q7 + φ): with c the vector from
//! the circle's centre to S, and x, y the axes of frame 7 at q7 = 0, a = |c|² + a7² and
//! b cos(q7 + φ) = 2 a7 c·(x cos q7 - y sin q7). The reachable distances are those within the
//! limits of joint 4.

use std::f64::consts::{PI, TAU};

use nalgebra::{Isometry3, Vector3};

use super::branches::Goal;
use super::geometry::PandaIk;
use crate::ik::rng::range_or_turn;

/// Largest rounding error of a squared distance, m²; more than what `branches` tolerates.
const ROUNDING_M2: f64 = 1e-8;
/// Change of the squared distance below which the circle counts as a point, m².
const NO_CIRCLE_M2: f64 = 1e-12;

/// Squared distance of the wrist from the shoulder, as a function of joint 7.
pub(super) struct WristCircle {
    a: f64,
    b: f64,
    phase: f64,
    /// Least and largest distance of q7 + φ from full turns at which the wrist is within reach,
    /// rad.
    within: [f64; 2],
}

impl WristCircle {
    /// Returns true if the wrist is within reach with joint 7 at `q7`.
    pub(super) fn may_be_at(&self, q7: f64) -> bool {
        let angle = q7 + self.phase;
        let angle = (angle - TAU * (angle / TAU).round()).abs();
        (self.within[0]..=self.within[1]).contains(&angle)
    }
}

impl PandaIk {
    pub(super) fn wrist_circle(&self, goal: &Goal) -> WristCircle {
        let frame7 = &goal.segment7;
        let to_shoulder = Vector3::new(0.0, 0.0, self.shoulder_z) - frame7.translation.vector;
        let [along_x, along_y] =
            [0, 1].map(|axis| self.a7 * to_shoulder.dot(&frame7.rotation.matrix().column(axis)));
        let a = to_shoulder.norm_squared() + self.a7 * self.a7;
        let b = 2.0 * along_x.hypot(along_y);
        let [least, most] = self.elbow.reach_m2;
        let cosines = [least - ROUNDING_M2 - a, most + ROUNDING_M2 - a].map(|m2| m2 / b);
        let is_never = cosines[0] > 1.0 || cosines[1] < -1.0;
        let within = match (b < NO_CIRCLE_M2, is_never) {
            (true, _) if (least..=most).contains(&a) => [0.0, PI],
            (true, _) | (false, true) => [f64::INFINITY; 2],
            (false, false) => [cosines[1], cosines[0]].map(|cos| cos.clamp(-1.0, 1.0).acos()),
        };
        WristCircle {
            a,
            b,
            phase: along_y.atan2(along_x),
            within,
        }
    }

    /// Returns true if the wrist is out of reach by more than `slack_m` at every position of joint
    /// 7.
    pub(in crate::ik) fn wrist_is_out_of_reach(
        &self,
        base_from_tool: &Isometry3<f64>,
        slack_m: f64,
    ) -> bool {
        let circle = self.wrist_circle(&Goal::new(self, base_from_tool));
        let [lower, upper] = range_or_turn([self.lower[6], self.upper[6]]);
        let cosines = cosines_between(lower + circle.phase, upper + circle.phase);
        let [nearest, furthest] = cosines.map(|cos| (circle.a + circle.b * cos).max(0.0).sqrt());
        let [least, most] = self.elbow.reach_m2.map(f64::sqrt);
        nearest > most + slack_m || furthest < least - slack_m
    }

    /// Largest distance of the wrist's centre from the tool, m.
    pub(in crate::ik) fn wrist_from_tool_m(&self) -> f64 {
        self.tool_from_joint7.translation.vector.norm() + self.a7.abs()
    }
}

/// Least and largest cosine of the angles in an interval.
pub(super) fn cosines_between(from: f64, to: f64) -> [f64; 2] {
    let is_passed = |angle: f64| ((to - angle) / TAU).floor() * TAU + angle >= from;
    if !to.is_finite() || !from.is_finite() || to - from >= TAU {
        return [-1.0, 1.0];
    }
    let (a, b) = (from.cos(), to.cos());
    [
        if is_passed(PI) { -1.0 } else { a.min(b) },
        if is_passed(0.0) { 1.0 } else { a.max(b) },
    ]
}
