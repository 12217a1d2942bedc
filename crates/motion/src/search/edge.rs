//! Whether configurations and the straight lines between them are free.

use wide::f32x8;

use crate::path::distance;
use crate::spheres::{SphereScene, Verdict};

/// Decides with spheres, and with exact shapes where spheres cannot.
pub(super) struct Checker<'a> {
    pub(super) scene: &'a SphereScene,
    /// Whether a configuration is free, by the exact shapes.
    pub(super) is_free: &'a dyn Fn(&[f64]) -> bool,
    /// Whether hit inscribed spheres settle it; not while some pairs are excused.
    pub(super) trust_inner: bool,
    /// Checks along a line for each radian of its length (2-norm over joints).
    pub(super) checks_per_rad: f64,
}

impl Checker<'_> {
    /// Whether the line from `a` to `b` is free; `a` itself is taken as known.
    ///
    /// Eight configurations spread over the whole line come first, then eight between
    /// them, and so on: a bad line is found out early.
    pub(super) fn line_is_free(&self, a: &[f64], b: &[f64]) -> bool {
        let n_rakes = (distance(a, b) * self.checks_per_rad / 8.0).ceil().max(1.0);
        (0..n_rakes as usize).rev().all(|rake| {
            let fractions: [f64; 8] =
                std::array::from_fn(|lane| (lane as f64 + (rake + 1) as f64 / n_rakes) / 8.0);
            self.rake_is_free(a, b, fractions)
        })
    }

    fn rake_is_free(&self, a: &[f64], b: &[f64], fractions: [f64; 8]) -> bool {
        let f = f32x8::from(fractions.map(|f| f as f32));
        let mut q = [f32x8::ZERO; regrasp_kinematics::MAX_DOF];
        for (q, (a, b)) in q.iter_mut().zip(a.iter().zip(b)) {
            *q = f32x8::splat(*a as f32) + f * f32x8::splat((b - a) as f32);
        }
        let Verdict { perhaps, surely } = self.scene.check(&q);
        if perhaps == 0 {
            return true;
        }
        if surely != 0 && self.trust_inner {
            return false;
        }
        // With a sure bit set the verdict is incomplete, so all lanes count.
        let doubtful = if surely == 0 { perhaps } else { 0xff };
        let mut last = f64::NAN;
        (0..8).filter(|lane| doubtful >> lane & 1 == 1).all(|lane| {
            let fraction = fractions[lane];
            if fraction.total_cmp(&last).is_eq() {
                return true;
            }
            last = fraction;
            let q: Vec<f64> = a
                .iter()
                .zip(b)
                .map(|(a, b)| a + fraction * (b - a))
                .collect();
            (self.is_free)(&q)
        })
    }
}
