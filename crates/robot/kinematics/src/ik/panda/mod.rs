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
//! - this file sweeps these and selects.

mod branches;
mod frame;
mod geometry;
#[cfg(test)]
mod grid_tests;
mod reach;
mod recognise;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use nalgebra::Isometry3;

pub use geometry::{PandaIk, PandaQ};

use branches::Goal;

/// Default number of samples of joint 7 in a sweep: one every 0.1 rad.
pub const DEFAULT_SAMPLES: usize = 60;

/// Numbers of samples of consecutive sweeps while nothing is found.
const REFINEMENTS: [usize; 4] = [DEFAULT_SAMPLES, 240, 960, 3840];

/// Largest number of solutions for one position of joint 7: two sides of the elbow's triangle, two
/// rotations of it, and two of the shoulder.
const MAX_SOLUTIONS: usize = 8;

/// Solutions for one position of joint 7. Dereferences to a slice.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Solutions {
    q: [PandaQ; MAX_SOLUTIONS],
    n: usize,
}

impl std::ops::Deref for Solutions {
    type Target = [PandaQ];

    fn deref(&self) -> &[PandaQ] {
        &self.q[..self.n]
    }
}

impl Solutions {
    fn push(&mut self, q: PandaQ) {
        self.q[self.n] = q;
        self.n += 1;
    }
}

impl PandaIk {
    /// Writes into `out` every solution with joint 7 at `q7` (radians) that brings the tool to
    /// `base_from_tool`, within the limits: up to eight. All are verified by forward kinematics to
    /// 1e-6 m and rad. There are none if `q7` is beyond its limits or a number is not finite.
    ///
    /// If the axes of joints 1 and 3 coincide, any split of the angle between them is a solution.
    /// One of them is returned, with joint 1 at zero if the limits allow.
    pub fn solve(&self, base_from_tool: &Isometry3<f64>, q7: f64, out: &mut Solutions) {
        out.n = 0;
        let goal = Goal::new(self, base_from_tool);
        let _: ControlFlow<()> = self.for_each_branch(&goal, q7, 0.0, &mut |q| {
            out.push(*q);
            ControlFlow::Continue(())
        });
    }

    /// Writes into `out` the solutions at `n` positions of joint 7, evenly spaced over its range
    /// with both ends included. If these have none, as for one in a thousand poses at the edge of
    /// reach, 4, 16 and 64 times as many positions are tried. `out` is cleared first.
    pub fn all(&self, base_from_tool: &Isometry3<f64>, n: usize, out: &mut Vec<PandaQ>) {
        out.clear();
        out.reserve(n * MAX_SOLUTIONS);
        for factor in [1, 4, 16, 64] {
            let _: ControlFlow<()> = self.sweep(base_from_tool, factor * n, 0.0, &mut |q| {
                out.push(*q);
                ControlFlow::Continue(())
            });
            if !out.is_empty() {
                break;
            }
        }
    }

    /// The first solution found on a sweep with `n` samples of joint 7, in an order that jumps
    /// across its range.
    #[must_use]
    pub fn first(&self, base_from_tool: &Isometry3<f64>, n: usize) -> Option<PandaQ> {
        let found = self.sweep(base_from_tool, n, 0.0, &mut |q| ControlFlow::Break(*q));
        found.break_value()
    }

    /// Finds a solution with ever finer sampling of joint 7: 60, 240, 960, 3840. Poses that the
    /// last of them misses are reachable only in a window of joint 7 of at most 0.0015 rad.
    #[must_use]
    pub fn find(&self, base_from_tool: &Isometry3<f64>) -> Option<PandaQ> {
        let mut finer = REFINEMENTS.iter();
        finer.find_map(|&n| self.first(base_from_tool, n))
    }

    /// The solution nearest to `seed_q`, if any: [`PandaIk::nearest`] with the coarsest sampling of
    /// [`PandaIk::find`] that has a solution.
    #[must_use]
    pub fn find_nearest(&self, base_from_tool: &Isometry3<f64>, seed_q: &PandaQ) -> Option<PandaQ> {
        let mut finer = REFINEMENTS.iter();
        finer.find_map(|&n| self.nearest(base_from_tool, seed_q, n))
    }

    /// The solution with the highest score on a sweep with `n` samples of joint 7, such as
    /// `|q| chain.limit_margin(q)` for the one farthest from the limits, or
    /// `|q| chain.manipulability(q)` for the most dexterous one.
    pub fn best(
        &self,
        base_from_tool: &Isometry3<f64>,
        n: usize,
        mut score: impl FnMut(&PandaQ) -> f64,
    ) -> Option<PandaQ> {
        let mut best = Best::default();
        let _: ControlFlow<()> = self.sweep(base_from_tool, n, 0.0, &mut |q| {
            best.offer(q, score(q));
            ControlFlow::Continue(())
        });
        best.q
    }

    /// The solution nearest to `seed_q` (Euclidean distance in joint space) on a sweep with `n`
    /// samples of joint 7, and at the seed's own joint 7.
    #[must_use]
    pub fn nearest(
        &self,
        base_from_tool: &Isometry3<f64>,
        seed_q: &PandaQ,
        n: usize,
    ) -> Option<PandaQ> {
        let mut best = Best::default();
        let mut offer = |q: &PandaQ| -> ControlFlow<()> {
            let away: f64 = q.iter().zip(seed_q).map(|(q, s)| (q - s).powi(2)).sum();
            best.offer(q, -away);
            ControlFlow::Continue(())
        };
        let goal = Goal::new(self, base_from_tool);
        let _: ControlFlow<()> = self.for_each_branch(&goal, seed_q[6], seed_q[0], &mut offer);
        let _: ControlFlow<()> = self.sweep(base_from_tool, n, seed_q[0], &mut offer);
        best.q
    }

    /// Visits every solution at `n` positions of joint 7. They are ordered in steps near the golden
    /// section of the range, since neighbours mostly succeed or fail together.
    fn sweep<B>(
        &self,
        base_from_tool: &Isometry3<f64>,
        n: usize,
        q1_hint: f64,
        visit: &mut impl FnMut(&PandaQ) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let goal = Goal::new(self, base_from_tool);
        let wrist = self.wrist_circle(&goal);
        let (lower, upper) = self.range_of_joint_7();
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
                self.for_each_branch(&goal, q7, q1_hint, visit)?;
            }
            idx = (idx + stride) % n;
        }
        ControlFlow::Continue(())
    }
}

#[derive(Default)]
struct Best {
    q: Option<PandaQ>,
    score: f64,
}

impl Best {
    fn offer(&mut self, q: &PandaQ, score: f64) {
        if self.q.is_none() || score > self.score {
            self.q = Some(*q);
            self.score = score;
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
