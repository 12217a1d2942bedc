//! Exact checks of configurations and paths.

use regrasp_api::{CollisionPair, ObjectId};

use super::prepared::Search;
use super::q::{Q, between};
use crate::Proximity;
use crate::path::{self, distance};
use crate::spheres::Travel;

impl Search<'_> {
    /// The first touching pair in a configuration by the exact shapes, self-collision included.
    pub(super) fn contact(&self, q: &[f64]) -> Option<CollisionPair> {
        self.arm.geometry.first_contact(q, &self.around)
    }

    /// Returns true if a path is free along its whole length. This is proven with spheres, and
    /// where they are too large with the distances between the exact shapes.
    pub(super) fn is_proven(&self, path: &[Q]) -> bool {
        let dof = self.bounds.len();
        path.windows(2).all(|edge| {
            let (a, b) = (&edge[0], &edge[1]);
            let keeps_clear = |f: f64, travel: Option<&Travel<'_>>| {
                let at = between(a, b, f);
                let geometry = &self.arm.geometry;
                geometry.keeps_clear(&at[..dof], &self.around, travel)
            };
            self.scene
                .line_is_proven(&a[..dof], &b[..dof], &keeps_clear)
        })
    }

    /// All objects that the arm touches on the straight line from `a` to `b`; `None` if it touches
    /// itself there, since no object is the cause then.
    pub(super) fn objects_along(&self, a: &Q, b: &Q, checks_per_rad: f64) -> Option<Vec<ObjectId>> {
        let dof = self.bounds.len();
        let n = (distance(a, b) * checks_per_rad).ceil().max(1.0) as usize;
        let mut around = self.around.clone();
        let mut objects = vec![];
        for i in 0..=n {
            let at = between(a, b, i as f64 / n as f64);
            while let Some(pair) = self.arm.geometry.first_contact(&at[..dof], &around) {
                if !around.remove(&pair.other) {
                    return None;
                }
                objects.push(ObjectId::new(&pair.other));
            }
        }
        Some(objects)
    }

    /// All pairs nearer than `within_m` at a configuration, nearest first, with the depth of
    /// overlaps, by the exact shapes.
    pub fn proximities(&self, q: &[f64], within_m: f64) -> Vec<Proximity> {
        self.arm.geometry.proximities(q, &self.around, within_m)
    }

    /// The first contact along a path by the exact shapes alone, without any margin, and its
    /// distance along the path, rad.
    pub fn contact_along(
        &self,
        path: &[Vec<f64>],
        checks_per_rad: f64,
    ) -> Option<(f64, CollisionPair)> {
        let around = self.around.clone().with_margin(0.0);
        let mut before = 0.0;
        for edge in path.windows(2) {
            let length = distance(&edge[0], &edge[1]);
            let n = (length * checks_per_rad).ceil().max(1.0) as usize;
            for i in 0..=n {
                let f = i as f64 / n as f64;
                let q = path::between(&edge[0], &edge[1], f);
                if let Some(pair) = self.arm.geometry.first_contact(&q, &around) {
                    return Some((before + f * length, pair));
                }
            }
            before += length;
        }
        None
    }
}
