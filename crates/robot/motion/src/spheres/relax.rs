//! Shrinking of covering spheres at configurations that the exact shapes call free.

use pulp::{Simd, WithSimd};

use super::check::{Find, Placed, Verdict};
use super::lanes::V;
use super::scene::SphereScene;

/// Distance of a shrunken sphere from the obstacle that it hit, m.
const OFF_M: f32 = 1e-4;

impl SphereScene {
    /// Returns a scene in which the spheres are shrunk that are hit at `q`, a configuration that
    /// the exact shapes call free. It no longer covers the robot, so a path found with it has to be
    /// proven with the original scene.
    pub(crate) fn relaxed_at(&self, q: &[f64], clearance_m: f32) -> Self {
        let doubts = self.vectors.run(FindDoubts {
            scene: self,
            q,
            clearance: clearance_m,
        });
        let mut relaxed = self.clone();
        for (idx, radius) in doubts.spheres {
            let outer = &mut relaxed.spheres[idx].outer;
            *outer = outer.min(radius);
        }
        relaxed.retain_pairs(&doubts.clear_pairs);
        relaxed
    }
}

struct FindDoubts<'a> {
    scene: &'a SphereScene,
    q: &'a [f64],
    clearance: f32,
}

struct Doubts {
    /// Index, and the radius at which the sphere is clear, m.
    spheres: Vec<(usize, f32)>,
    /// Set for each pair of links that is clear.
    clear_pairs: Vec<bool>,
}

impl WithSimd for FindDoubts<'_> {
    type Output = Doubts;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Doubts {
        let scene = self.scene;
        let mut q = [V::splat(simd, 0.0); regrasp_kinematics::MAX_DOF];
        for (q, x) in q.iter_mut().zip(self.q) {
            *q = V::splat(simd, *x as f32);
        }
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
        let mut clear_pairs = vec![true; scene.self_pairs.len()];
        for (pair, is_clear) in clear_pairs.iter_mut().enumerate() {
            let mut verdict = Verdict::default();
            scene.check_pair(pair, &placed, 0.0, Find::Each, &mut verdict);
            *is_clear = verdict.perhaps == 0;
        }
        Doubts {
            spheres,
            clear_pairs,
        }
    }
}
