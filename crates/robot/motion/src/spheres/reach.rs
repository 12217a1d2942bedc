//! Reach of the robot's parts, and their displacement by each joint.

use super::bound::{BodySphere, length};
use super::tree::Tree;

/// Largest clearance beyond its margin with which a part at rest is checked, m.
pub(super) const CLEARANCE_M: f32 = 0.01;
/// Initial stretches per rad into which a line is divided for a proof.
pub(super) const COARSE_PER_RAD: f64 = 40.0;
/// Upper bound on the travel of a prismatic joint, m.
const TRAVEL_M: f32 = 2.0;

/// Largest motion of a part within half a stretch of a proof, m; `sweep` is its displacement by
/// each joint, m per rad.
pub(super) fn largest_motion(sweep: &[f32]) -> f32 {
    0.5 / COARSE_PER_RAD as f32 * length(sweep)
}

impl Tree {
    /// Region in which an obstacle can come within `margin` of a sphere on `body`: a centre in the
    /// root's frame, and a radius, m. `None` if a joint of the chain is prismatic or `body` is the
    /// root. The axis of the first joint is fixed, so the rest of the chain reaches no farther than
    /// its length.
    pub(super) fn reach(
        &self,
        body: usize,
        sphere: &BodySphere,
        margin: f32,
    ) -> Option<([f32; 3], f32)> {
        let chain: Vec<_> = self.up_from(body).collect();
        let slides = chain.iter().any(|b| self.bodies[*b].is_prismatic);
        let (first, rest) = chain.split_last().filter(|_| !slides)?;
        let origin = self.bodies[*first].parent_from_z.origin();
        let rest = rest.iter();
        let links = rest.map(|b| length(&self.bodies[*b].parent_from_z.origin()));
        let reach = links.sum::<f32>() + length(&sphere.centre) + sphere.outer;
        Some((origin, reach + margin))
    }

    /// Largest displacement, for each joint of the arm, of a sphere on `body` relative to its
    /// ancestor `against` when the joint moves by one unit. The distance to the joint's axis is at
    /// most the length of the chain between them.
    pub(super) fn sweep(&self, body: usize, sphere: &BodySphere, against: usize) -> Vec<f32> {
        let n = self.bodies.iter().map(|b| b.q_idx + 1).max();
        let mut sweep = vec![0.0; n.unwrap_or(0)];
        let mut arm = length(&sphere.centre) + sphere.outer;
        for b in self.up_from(body).take_while(|b| *b != against) {
            let joint = &self.bodies[b];
            let lever = if joint.is_prismatic { 1.0 } else { arm };
            sweep[joint.q_idx] += lever * joint.multiplier.abs();
            arm += length(&joint.parent_from_z.origin())
                + if joint.is_prismatic { TRAVEL_M } else { 0.0 };
        }
        sweep
    }

    /// Largest relative displacement of spheres on two bodies, `a` and `b`, for each joint.
    pub(super) fn sweep_between(
        &self,
        (a, a_bound): (usize, &BodySphere),
        (b, b_bound): (usize, &BodySphere),
    ) -> Vec<f32> {
        let above_a: Vec<_> = self.up_from(a).collect();
        let shared = self.up_from(b).find(|x| above_a.contains(x));
        let shared = shared.unwrap_or(0);
        let of_a = self.sweep(a, a_bound, shared);
        let of_b = self.sweep(b, b_bound, shared);
        of_a.iter().zip(&of_b).map(|(x, y)| x + y).collect()
    }
}
