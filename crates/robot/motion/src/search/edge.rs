//! Collision checks of straight lines between configurations.

use std::ops::Range;

use super::q::{Q, between};
use crate::path::distance;
use crate::spheres::{LANES, SphereScene, Vectors, Verdict, n_batches};

/// Part of the checks of a line.
#[derive(Clone, Copy, Debug)]
enum Pass {
    /// Eight configurations spread over the line: they find 99 % of the blocked edges of a search.
    First,
    /// All other configurations.
    Rest,
    Whole,
}

impl Pass {
    fn of(self, n_batches: usize) -> Range<usize> {
        match self {
            Self::First => n_batches - 1..n_batches,
            Self::Rest => 0..n_batches - 1,
            Self::Whole => 0..n_batches,
        }
    }
}

/// Checks with spheres, and with exact shapes where spheres cannot decide.
pub(super) struct Checker<'a> {
    pub(super) scene: &'a SphereScene,
    pub(super) dof: usize,
    /// Checks per radian of length (2-norm over joints).
    pub(super) checks_per_rad: f64,
    /// Distance that spheres keep beyond the margins, m.
    pub(super) clearance_m: f32,
    /// Exact check where covering spheres are hit; without it, such hits count as contact.
    pub(super) exact: Option<Exact<'a>>,
}

#[derive(Clone, Copy)]
pub(super) struct Exact<'a> {
    pub(super) is_free: &'a dyn Fn(&Q) -> bool,
    /// Set if a hit of inscribed spheres proves a contact. It does not if some pairs may touch.
    pub(super) trust_inner: bool,
}

impl Checker<'_> {
    pub(super) fn vectors(&self) -> Vectors {
        self.scene.vectors
    }

    /// Returns true if the line from `a` to `b` is free; `a` itself is not checked.
    pub(super) fn line_is_free(&self, a: &Q, b: &Q) -> bool {
        self.passes(Pass::Whole, a, b)
    }

    /// Returns false if the first pass of checks finds that the line from `a` to `b` is blocked.
    pub(super) fn may_be_free(&self, a: &Q, b: &Q) -> bool {
        self.passes(Pass::First, a, b)
    }

    /// Returns true if the checks left out by [`Self::may_be_free`] find no contact on the line
    /// from `a` to `b`.
    pub(super) fn rest_is_free(&self, a: &Q, b: &Q) -> bool {
        self.passes(Pass::Rest, a, b)
    }

    fn passes(&self, pass: Pass, a: &Q, b: &Q) -> bool {
        let (from, to) = (&a[..self.dof], &b[..self.dof]);
        let n_batches = n_batches(distance(a, b), self.checks_per_rad);
        let batches = pass.of(n_batches);
        let Some(exact) = &self.exact else {
            let clearance_m = self.clearance_m;
            return self
                .scene
                .are_clear(from, to, n_batches, batches, clearance_m);
        };
        batches.rev().all(|batch| {
            let first = (batch + 1) as f64 / n_batches as f64;
            let fractions = std::array::from_fn(|lane| (lane as f64 + first) / LANES as f64);
            let verdict = self.scene.look(from, to, fractions, self.clearance_m);
            exact.batch_is_free(a, b, &fractions, verdict)
        })
    }
}

impl Exact<'_> {
    fn batch_is_free(&self, a: &Q, b: &Q, fractions: &[f64; LANES], verdict: Verdict) -> bool {
        let Verdict { perhaps, surely } = verdict;
        if surely != 0 && self.trust_inner {
            return false;
        }
        // Once a sure bit is set the verdict is incomplete, so all lanes are checked.
        let doubtful = if surely == 0 { perhaps } else { 0xff };
        let mut lanes = (0..LANES).filter(|lane| doubtful >> lane & 1 == 1);
        lanes.all(|lane| (self.is_free)(&between(a, b, fractions[lane])))
    }
}
