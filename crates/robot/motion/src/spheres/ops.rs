//! Queries on vector instructions.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::check::{Beyond, Find, Placed, Verdict};
use super::lanes::{LANES, V};
use super::scene::SphereScene;

/// Distance of a shrunken sphere from the obstacle that it hit, m.
const OFF_M: f32 = 1e-4;

pub(super) struct Look<'a> {
    pub(super) scene: &'a SphereScene,
    pub(super) q: &'a [[f32; LANES]],
    pub(super) find: Find,
    pub(super) beyond: Beyond<'a>,
}

impl WithSimd for Look<'_> {
    type Output = Verdict;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Verdict {
        let q = loaded(simd, self.q);
        let mut placed = Placed::new();
        self.scene.check(&mut placed, &q, self.find, self.beyond)
    }
}

/// One vector for each joint, zero beyond the last.
#[inline(always)]
fn loaded<S: Simd>(simd: S, lanes: &[[f32; LANES]]) -> [V<S>; regrasp_kinematics::MAX_DOF] {
    let mut q = [V::splat(simd, 0.0); regrasp_kinematics::MAX_DOF];
    for (q, lanes) in q.iter_mut().zip(lanes) {
        *q = V::load(simd, *lanes);
    }
    q
}

/// Query for the covering spheres that are hit in the first configuration. Returns the index of
/// each, and the radius at which it would be clear, m.
pub(super) struct Doubts<'a> {
    pub(super) scene: &'a SphereScene,
    pub(super) q: &'a [[f32; LANES]],
    pub(super) clearance: f32,
}

impl WithSimd for Doubts<'_> {
    type Output = Vec<(usize, f32)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<(usize, f32)> {
        let scene = self.scene;
        let q = loaded(simd, self.q);
        let mut placed = Placed::new();
        scene.place(&mut placed, &q);
        let mut spheres = vec![];
        for part in &scene.parts {
            let more = part.margin + self.clearance;
            let first = scene.groups[part.groups.0].spheres.0;
            let last = scene.groups[part.groups.1].spheres.1;
            for idx in first..=last {
                let centre = placed.bodies[part.body].point(scene.spheres[idx].centre);
                for obstacle in &part.obstacles {
                    let obstacle = &scene.obstacles[*obstacle as usize];
                    let gap = obstacle.gap(&centre) - OFF_M;
                    if gap < scene.spheres[idx].outer + more {
                        spheres.push((idx, gap.max(0.0) - more));
                    }
                }
            }
        }
        spheres
    }
}

/// Bits for each pair of links: one per configuration in which the pair is hit.
pub(super) struct PairHits<'a> {
    pub(super) scene: &'a SphereScene,
    pub(super) q: &'a [[f32; LANES]],
}

impl WithSimd for PairHits<'_> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<u32> {
        let q = loaded(simd, self.q);
        let mut placed = Placed::new();
        self.scene.place(&mut placed, &q);
        let mut hits = vec![0; self.scene.self_pairs.len()];
        for (pair, hits) in hits.iter_mut().enumerate() {
            let mut verdict = Verdict::default();
            let scene = self.scene;
            scene.check_pair(pair, &placed, 0.0, Find::Each, &mut verdict);
            *hits = verdict.perhaps;
        }
        hits
    }
}

/// A straight line between two configurations, without its start.
pub(super) struct Line<'a> {
    pub(super) scene: &'a SphereScene,
    pub(super) from: &'a [f64],
    pub(super) to: &'a [f64],
    /// Number of batches of eight checks.
    pub(super) n_batches: usize,
    /// Batches to be checked, in descending order.
    pub(super) batches: Range<usize>,
    pub(super) clearance: f32,
}

impl WithSimd for Line<'_> {
    type Output = bool;

    /// Checks eight configurations spread over the whole line first, then eight between them, and
    /// so on, so that a blocked line is found early.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> bool {
        let eighths = [0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875];
        let eighths = V::load(simd, eighths);
        let zero = V::splat(simd, 0.0);
        let mut q = [zero; regrasp_kinematics::MAX_DOF];
        let mut placed = Placed::new();
        for batch in self.batches.rev() {
            let f = eighths + V::splat(simd, (batch + 1) as f32 / self.n_batches as f32 * 0.125);
            for (q, (a, b)) in q.iter_mut().zip(self.from.iter().zip(self.to)) {
                *q = V::splat(simd, *a as f32) + f * V::splat(simd, (b - a) as f32);
            }
            let beyond = Beyond::Clearance(self.clearance);
            let verdict = self.scene.check(&mut placed, &q, Find::Any, beyond);
            if verdict.perhaps != 0 {
                return false;
            }
        }
        true
    }
}
