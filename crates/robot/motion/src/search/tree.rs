//! Tree of configurations with nearest-neighbour queries.

use pulp::{Simd, WithSimd};

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
        for (i, block) in self.tree.blocks.chunks_exact(self.tree.dof).enumerate() {
            let mut sum = simd.splat_f32s(0.0);
            for (x, at) in block.iter().zip(self.q) {
                let d = simd.sub_f32s(pulp::cast(*x), simd.splat_f32s(*at as f32));
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
