//! Closed-form inverse kinematics of the Franka Panda, with joint 7 given.
//!
//! The idea is that of Y. He and S. Liu, "Analytical Inverse Kinematics for Franka Emika Panda – a
//! Geometrical Solver for 7-DOF Manipulators with Unconventional Design", ICCMA 2021: once joint 7
//! is fixed, the wrist's centre and the axis of joint 6 are known, shoulder, elbow and wrist form a
//! triangle with three known sides, and the rest follows from directions. The derivation is in
//! `branches`. It is our own and includes cases that implementations of the paper omit: the
//! triangle's other side, where joint 4 is above -0.467 rad, and the free split where joints 1 and
//! 3 share one axis.
//!
//! - `recognise` reads the lengths off a chain, and `geometry` keeps them,
//! - `branches` is the closed form for one position of joint 7,
//! - `frame` checks every answer with forward kinematics,
//! - `reach` finds the positions of joint 7 that bring the wrist near enough to the shoulder,
//! - this file sweeps these positions and selects solutions.

mod branches;
mod frame;
mod geometry;
mod reach;
mod recognise;
#[cfg(test)]
mod tests;

use nalgebra::Isometry3;

pub use geometry::{PandaIk, PandaQ};

use super::rng::range_or_turn;
use branches::Goal;

/// Default number of samples of joint 7 in a sweep: one every 0.1 rad.
pub const DEFAULT_SAMPLES: usize = 60;

/// Factors on the number of samples of consecutive sweeps while nothing is found.
const REFINEMENTS: [usize; 4] = [1, 4, 16, 64];

/// Largest number of solutions for one position of joint 7: two sides of the elbow's triangle, two
/// rotations of it, and two of the shoulder.
const MAX_SOLUTIONS: usize = 8;

impl PandaIk {
    /// Writes into `out` the solutions within the limits at `n` positions of joint 7, evenly spaced
    /// over its range with both ends included. If these have none, as for one in a thousand poses
    /// at the edge of reach, 4, 16 and 64 times as many positions are tried. `out` is cleared
    /// first.
    ///
    /// All are verified by forward kinematics to 1e-6 m and rad. If the axes of joints 1 and 3
    /// coincide, any split of the angle between them is a solution. One of them is returned, with
    /// joint 1 at zero if the limits allow.
    pub fn all(&self, base_from_tool: &Isometry3<f64>, n: usize, out: &mut Vec<PandaQ>) {
        out.clear();
        out.reserve(n * MAX_SOLUTIONS);
        for factor in REFINEMENTS {
            self.sweep(base_from_tool, factor * n, 0.0, &mut |q| out.push(*q));
            if !out.is_empty() {
                break;
            }
        }
    }

    /// The solution nearest to `seed_q` (Euclidean distance in joint space), if any, with ever
    /// finer sampling of joint 7: 60, 240, 960, 3840. Poses that the last of them misses are
    /// reachable only in a window of joint 7 of at most 0.0015 rad.
    #[must_use]
    pub fn find_nearest(&self, base_from_tool: &Isometry3<f64>, seed_q: &PandaQ) -> Option<PandaQ> {
        let mut finer = REFINEMENTS.iter();
        finer.find_map(|factor| self.nearest(base_from_tool, seed_q, factor * DEFAULT_SAMPLES))
    }

    /// The solution nearest to `seed_q` on a sweep with `n` samples of joint 7, and at the seed's
    /// own joint 7.
    fn nearest(
        &self,
        base_from_tool: &Isometry3<f64>,
        seed_q: &PandaQ,
        n: usize,
    ) -> Option<PandaQ> {
        let mut nearest: Option<(f64, PandaQ)> = None;
        let mut offer = |q: &PandaQ| {
            let away: f64 = q.iter().zip(seed_q).map(|(q, s)| (q - s).powi(2)).sum();
            if nearest.is_none_or(|(least, _)| away < least) {
                nearest = Some((away, *q));
            }
        };
        let goal = Goal::new(self, base_from_tool);
        self.for_each_branch(&goal, seed_q[6], seed_q[0], &mut offer);
        self.sweep(base_from_tool, n, seed_q[0], &mut offer);
        nearest.map(|(_, q)| q)
    }

    /// Visits every solution at `n` positions of joint 7. They are ordered in steps near the golden
    /// section of the range, since neighbours mostly succeed or fail together.
    fn sweep(
        &self,
        base_from_tool: &Isometry3<f64>,
        n: usize,
        q1_hint: f64,
        visit: &mut impl FnMut(&PandaQ),
    ) {
        let goal = Goal::new(self, base_from_tool);
        let wrist = self.wrist_circle(&goal);
        let [lower, upper] = range_or_turn([self.lower[6], self.upper[6]]);
        let step = if n > 1 {
            (upper - lower) / (n - 1) as f64
        } else {
            0.0
        };
        let stride = golden_stride(n);
        let mut idx = n / 2;
        for _ in 0..n {
            let q7 = (lower + step * idx as f64).min(upper);
            if wrist.may_be_at(q7) {
                self.for_each_branch(&goal, q7, q1_hint, visit);
            }
            idx = (idx + stride) % n;
        }
    }
}

/// A stride near 0.618 n that is coprime to n, so that it visits all of 0..n.
fn golden_stride(n: usize) -> usize {
    let near = (0.618 * n as f64) as usize;
    (near..n).find(|&stride| gcd(stride, n) == 1).unwrap_or(1)
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
