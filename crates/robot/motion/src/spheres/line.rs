//! Checks of lines between configurations.

use std::ops::Range;

use super::check::{Beyond, Find, Moves, Travel, Verdict};
use super::lanes::LANES;
use super::ops::{Doubts, Line, Look, PairHits};
use super::reach::COARSE_PER_RAD;
use super::scene::SphereScene;
use crate::path::distance;

/// Number of stretches per rad from which the exact shapes are used. Spheres are faster as long as
/// a stretch moves the arm by more than the spheres exceed the shapes.
const ASKED_PER_RAD: f64 = 640.0;
/// Largest number of stretches per rad.
const FINE_PER_RAD: f64 = 2560.0;

/// Number of batches in which a line of this length is checked, at least one.
pub(crate) fn n_batches(length: f64, checks_per_rad: f64) -> usize {
    (length * checks_per_rad / LANES as f64).ceil().max(1.0) as usize
}

impl SphereScene {
    /// Returns true if the configurations of `batches` keep `clearance_m` beyond the margins from
    /// everything. The line from `a` to `b`, without `a`, is divided into `n_batches` batches of
    /// eight configurations. The last batch is spread over the whole line, and the others lie
    /// between its configurations.
    pub(crate) fn are_clear(
        &self,
        a: &[f64],
        b: &[f64],
        n_batches: usize,
        batches: Range<usize>,
        clearance_m: f32,
    ) -> bool {
        self.vectors.run(Line {
            scene: self,
            from: a,
            to: b,
            n_batches,
            batches,
            clearance: clearance_m,
        })
    }

    /// Checks the configurations at eight fractions of a line.
    pub(crate) fn look(
        &self,
        a: &[f64],
        b: &[f64],
        fractions: [f64; LANES],
        clearance_m: f32,
    ) -> Verdict {
        let q = at_fractions(a, b, fractions);
        self.vectors.run(Look {
            scene: self,
            q: &q[..a.len()],
            find: Find::Sure,
            beyond: Beyond::Clearance(clearance_m),
        })
    }

    /// One bit for each of up to eight configurations, set if spheres prove it free; ignore others.
    pub(crate) fn clear(&self, configurations: &[Vec<f64>]) -> u32 {
        let mut q = [[0.0; LANES]; regrasp_kinematics::MAX_DOF];
        let last = configurations.len() - 1;
        for lane in 0..LANES {
            for (q, x) in q.iter_mut().zip(&configurations[lane.min(last)]) {
                q[lane] = *x as f32;
            }
        }
        let verdict = self.vectors.run(Look {
            scene: self,
            q: &q[..configurations[0].len()],
            find: Find::Each,
            beyond: Beyond::Clearance(0.0),
        });
        !verdict.perhaps
    }

    /// Bits for each of the [`SphereScene::pairs`]: one per configuration in which the pair is hit.
    /// `q` has one entry for each joint.
    pub(crate) fn pair_hits(&self, q: &[[f32; LANES]]) -> Vec<u32> {
        self.vectors.run(PairHits { scene: self, q })
    }

    /// Returns a copy that is clear at `q`, a configuration that is free by the exact shapes:
    /// spheres that are hit there are shrunk, and pairs of links that are hit are dropped. The
    /// spheres then do not cover the robot, so a path found with the copy has to be proven with the
    /// original scene.
    pub(crate) fn relaxed_at(&self, q: &[f64], clearance_m: f32) -> Self {
        let lanes = at_fractions(q, q, [0.0; LANES]);
        let lanes = &lanes[..q.len()];
        let doubts = self.vectors.run(Doubts {
            scene: self,
            q: lanes,
            clearance: clearance_m,
        });
        let mut relaxed = self.clone();
        for (idx, radius) in doubts {
            let outer = &mut relaxed.spheres[idx].outer;
            *outer = outer.min(radius);
        }
        let mut hits = self.pair_hits(lanes).into_iter();
        relaxed.self_pairs.retain(|_| hits.next() == Some(0));
        relaxed.group_pairs();
        relaxed
    }

    /// Returns true if the whole line from `a` to `b` is free, between checks too.
    ///
    /// Each stretch is checked at its middle, with spheres enlarged by their motion within half a
    /// stretch. If a sphere is hit and the stretches are short, `keeps_clear` compares the
    /// distances between the exact shapes at the middle with their motion within half the stretch.
    /// If that fails too, the stretch is halved. For the shortest stretches `keeps_clear` gets no
    /// motion and only checks the configuration.
    pub(crate) fn line_is_proven(
        &self,
        a: &[f64],
        b: &[f64],
        keeps_clear: &dyn Fn(f64, Option<&Travel<'_>>) -> bool,
    ) -> bool {
        let length = distance(a, b);
        let n = (length * COARSE_PER_RAD).ceil().max(1.0);
        let moves = self.moves(a, b);
        let mut half = 0.5 / n;
        let middles = (0..n as usize).map(|i| (2.0 * i as f64 + 1.0) * half);
        let mut middles: Vec<f64> = middles.collect();
        let finest = 0.5 / (length * FINE_PER_RAD).max(1.0);
        let asked = 0.5 / (length * ASKED_PER_RAD).max(1.0);
        while !middles.is_empty() {
            let share = half as f32;
            let mut open = self.doubtful(a, b, &middles, Beyond::Motion(&moves, share));
            if half <= finest {
                return open.into_iter().all(|f| keeps_clear(f, None));
            }
            if half <= asked {
                let travel = Travel {
                    scene: self,
                    moves: &moves,
                    share,
                };
                open.retain(|f| !keeps_clear(*f, Some(&travel)));
            }
            half *= 0.5;
            middles.clear();
            for middle in open {
                middles.extend([middle - half, middle + half]);
            }
        }
        true
    }

    /// Returns the fractions of a line at which spheres are hit.
    fn doubtful(&self, a: &[f64], b: &[f64], fractions: &[f64], beyond: Beyond<'_>) -> Vec<f64> {
        let mut doubtful = vec![];
        for some in fractions.chunks(LANES) {
            let eight = std::array::from_fn(|lane| some[lane.min(some.len() - 1)]);
            let q = at_fractions(a, b, eight);
            let verdict = self.vectors.run(Look {
                scene: self,
                q: &q[..a.len()],
                find: Find::Each,
                beyond,
            });
            let hit = some.iter().enumerate();
            doubtful.extend(
                hit.filter(|(i, _)| verdict.perhaps >> i & 1 == 1)
                    .map(|(_, f)| f),
            );
        }
        doubtful
    }

    /// Upper bounds on the motion of parts and pairs along a line.
    fn moves(&self, a: &[f64], b: &[f64]) -> Moves {
        let along = |sweep: &[f32]| -> f32 {
            let each = sweep.iter().zip(a.iter().zip(b));
            each.map(|(m, (a, b))| m * (b - a).abs() as f32).sum()
        };
        Moves {
            parts: self.parts.iter().map(|p| along(&p.sweep)).collect(),
            pairs: self.self_pairs.iter().map(|p| along(&p.sweep)).collect(),
        }
    }
}

fn at_fractions(
    a: &[f64],
    b: &[f64],
    fractions: [f64; LANES],
) -> [[f32; LANES]; regrasp_kinematics::MAX_DOF] {
    let mut q = [[0.0; LANES]; regrasp_kinematics::MAX_DOF];
    for (q, (a, b)) in q.iter_mut().zip(a.iter().zip(b)) {
        *q = fractions.map(|f| (a + f * (b - a)) as f32);
    }
    q
}
