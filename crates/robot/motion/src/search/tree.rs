//! Tree of configurations with nearest-neighbour queries.

use pulp::{Simd, WithSimd};
use regrasp_kinematics::MAX_DOF;

use super::q::Q;
use crate::path::distance;
use crate::spheres::{LANES, Vectors};

/// Position of a lane without a node: far from all nodes, and its square is still finite.
const NOWHERE: f32 = 1e15;

pub(super) struct Tree {
    dof: usize,
    vectors: Vectors,
    nodes: Vec<Node>,
    /// Blocks of eight nodes, one vector per joint.
    blocks: Vec<[f32; LANES]>,
}

struct Node {
    q: Q,
    parent: Option<usize>,
    /// Distance beyond which a sample is not worth an extension, rad.
    domain: f64,
}

impl Tree {
    pub(super) fn new(dof: usize, vectors: Vectors) -> Self {
        Self {
            dof,
            vectors,
            nodes: Vec::with_capacity(128),
            blocks: Vec::with_capacity(16 * dof),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn add(&mut self, q: Q, parent: Option<usize>) -> usize {
        let idx = self.nodes.len();
        let lane = idx % LANES;
        if lane == 0 {
            let new = std::iter::repeat_n([NOWHERE; LANES], self.dof);
            self.blocks.extend(new);
        }
        let first = idx / LANES * self.dof;
        for (block, x) in self.blocks[first..].iter_mut().zip(q) {
            block[lane] = x as f32;
        }
        let domain = f64::INFINITY;
        self.nodes.push(Node { q, parent, domain });
        idx
    }

    pub(super) fn q(&self, idx: usize) -> &Q {
        &self.nodes[idx].q
    }

    pub(super) fn domain_mut(&mut self, idx: usize) -> &mut f64 {
        &mut self.nodes[idx].domain
    }

    /// The node nearest to a configuration, and its distance, rad.
    pub(super) fn nearest(&self, q: &Q) -> (usize, f64) {
        let idx = self.vectors.run(Nearest { tree: self, q });
        (idx, distance(&self.nodes[idx].q, q))
    }

    /// Returns true if all edges from a node to its root are free. Otherwise drops the branch that
    /// hangs on the blocked edge nearest to the root.
    pub(super) fn confirm(&mut self, leaf: usize, is_free: impl Fn(&Q, &Q) -> bool) -> bool {
        let (mut at, mut blocked) = (leaf, None);
        while let Some(parent) = self.nodes[at].parent {
            if !is_free(&self.nodes[parent].q, &self.nodes[at].q) {
                blocked = Some(at);
            }
            at = parent;
        }
        if let Some(node) = blocked {
            self.drop_branch(node);
        }
        blocked.is_none()
    }

    /// Hides a node and its descendants from queries.
    fn drop_branch(&mut self, first: usize) {
        let mut is_dropped = vec![false; self.nodes.len()];
        is_dropped[first] = true;
        for idx in first..self.nodes.len() {
            let parent = self.nodes[idx].parent;
            is_dropped[idx] |= parent.is_some_and(|parent| is_dropped[parent]);
            if is_dropped[idx] {
                let block = idx / LANES * self.dof;
                for joint in &mut self.blocks[block..block + self.dof] {
                    joint[idx % LANES] = NOWHERE;
                }
            }
        }
    }

    /// The configurations from a node to its root.
    pub(super) fn branch(&self, leaf: usize) -> impl Iterator<Item = Q> {
        let idxs = std::iter::successors(Some(leaf), |idx| self.nodes[*idx].parent);
        idxs.map(|idx| self.nodes[idx].q)
    }
}

struct Nearest<'a> {
    tree: &'a Tree,
    q: &'a Q,
}

impl WithSimd for Nearest<'_> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> usize {
        let mut best = simd.splat_f32s(f32::INFINITY);
        let mut best_block = simd.splat_f32s(0.0);
        let mut q = [best; MAX_DOF];
        for (to, at) in q.iter_mut().zip(self.q) {
            *to = simd.splat_f32s(*at as f32);
        }
        for (i, block) in self.tree.blocks.chunks_exact(self.tree.dof).enumerate() {
            let mut sum = simd.splat_f32s(0.0);
            for (x, at) in block.iter().zip(q) {
                let d = simd.sub_f32s(pulp::cast(*x), at);
                sum = simd.add_f32s(sum, simd.mul_f32s(d, d));
            }
            let nearer = simd.less_than_f32s(sum, best);
            best = simd.select_f32s(nearer, sum, best);
            best_block = simd.select_f32s(nearer, simd.splat_f32s(i as f32), best_block);
        }
        let (best, blocks): ([f32; LANES], [f32; LANES]) =
            (pulp::cast(best), pulp::cast(best_block));
        let mut nearest = (f32::INFINITY, 0);
        for lane in 0..LANES {
            let idx = blocks[lane] as usize * LANES + lane;
            if best[lane] < nearest.0 || (best[lane] <= nearest.0 && idx < nearest.1) {
                nearest = (best[lane], idx);
            }
        }
        nearest.1
    }
}

#[cfg(test)]
mod tests {
    use super::super::halton::Halton;
    use super::super::q::q;
    use super::*;

    #[test]
    fn what_hangs_on_a_blocked_edge_is_found_no_more() {
        let mut tree = Tree::new(1, Vectors::detect());
        let root = tree.add(q(&[0.0]), None);
        let mut chain = vec![root];
        for i in 1..20 {
            chain.push(tree.add(q(&[f64::from(i)]), chain.last().copied()));
        }
        let beside = tree.add(q(&[-1.0]), Some(chain[2]));
        assert!(tree.confirm(chain[19], |_, _| true));
        // The edges from 4 to 5 and from 9 to 10 are blocked.
        let is_free = |a: &Q, _: &Q| ![4.0, 9.0].iter().any(|x| (a[0] - x).abs() < 0.5);
        assert!(!tree.confirm(chain[19], is_free));
        for (at, near) in [(17.0, chain[4]), (3.2, chain[3]), (-2.0, beside)] {
            assert_eq!(tree.nearest(&q(&[at])).0, near, "the nearest of {at}");
        }
        assert!(tree.confirm(chain[4], is_free), "the branch is not free");
    }

    #[test]
    fn the_nearest_node_is_that_of_a_search_through_all() {
        for vectors in [Vectors::Portable, Vectors::detect()] {
            let mut tree = Tree::new(7, vectors);
            let mut halton = Halton::new(7, 3);
            let mut sample = || q(&halton.point().map(|x| 6.0 * x - 3.0).collect::<Vec<_>>());
            for n in 1..200 {
                tree.add(sample(), None);
                let at = sample();
                let all = (0..n).map(|i| distance(tree.q(i), &at));
                let least = all.fold(f64::INFINITY, f64::min);
                let (idx, d) = tree.nearest(&at);
                assert!(idx < n && d <= least + 1e-5, "{d} instead of {least}");
            }
        }
    }
}
