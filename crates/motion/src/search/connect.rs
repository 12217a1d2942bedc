//! RRT-Connect: two trees that grow towards each other.
//!
//! Kuffner and LaValle, "RRT-Connect: An efficient approach to single-query path
//! planning", ICRA 2000; balanced, and with the dynamic domain of Jaillet, Yershova,
//! LaValle and Simeon (IROS 2005), which keeps nodes at obstacles from being extended
//! into them again and again.

use super::edge::Checker;
use super::halton::Halton;
use crate::path::distance;

/// Longest edge, rad.
const RANGE_RAD: f64 = 1.0;
/// Radius of the domain of a node whose extension failed, rad.
const DOMAIN_RAD: f64 = 4.0;
const LEAST_DOMAIN_RAD: f64 = 1.0;
const DOMAIN_STEP: f64 = 1e-4;

#[derive(Clone, Debug)]
struct Node {
    q: Vec<f64>,
    parent: Option<usize>,
    domain: f64,
}

struct Tree(Vec<Node>);

impl Tree {
    fn nearest(&self, q: &[f64]) -> (usize, f64) {
        let squared = |n: &Node| -> f64 { n.q.iter().zip(q).map(|(a, b)| (a - b).powi(2)).sum() };
        let mut best = (0, f64::INFINITY);
        for (idx, node) in self.0.iter().enumerate() {
            let d = squared(node);
            if d < best.1 {
                best = (idx, d);
            }
        }
        (best.0, best.1.sqrt())
    }

    fn add(&mut self, q: Vec<f64>, parent: usize) -> usize {
        self.0.push(Node {
            q,
            parent: Some(parent),
            domain: f64::INFINITY,
        });
        self.0.len() - 1
    }

    fn branch(&self, leaf: usize) -> Vec<Vec<f64>> {
        let idxs = std::iter::successors(Some(leaf), |idx| self.0[*idx].parent);
        idxs.map(|idx| self.0[idx].q.clone()).collect()
    }
}

/// A path from the start to one of the goals, and how many samples it took.
pub(super) fn connect(
    checker: &Checker<'_>,
    bounds: &[[f64; 2]],
    start: &[f64],
    goals: &[Vec<f64>],
    max_iterations: usize,
    skip: u32,
) -> (Option<Vec<Vec<f64>>>, usize) {
    for goal in goals {
        if checker.line_is_free(start, goal) {
            return (Some(vec![start.to_vec(), goal.clone()]), 0);
        }
    }
    let root = |q: &[f64]| Node {
        q: q.to_vec(),
        parent: None,
        domain: f64::INFINITY,
    };
    let mut trees = [
        Tree(vec![root(start)]),
        Tree(goals.iter().map(|g| root(g)).collect()),
    ];
    let mut halton = Halton::new(bounds.len(), skip);
    for iteration in 0..max_iterations {
        // The smaller tree grows.
        let grows = usize::from(trees[1].0.len() < trees[0].0.len());
        let sample = halton
            .point()
            .zip(bounds)
            .map(|(x, [low, high])| low + x * (high - low));
        let sample: Vec<f64> = sample.collect();
        let Some(leaf) = extend(checker, &mut trees[grows], &sample) else {
            continue;
        };
        let q = trees[grows].0[leaf].q.clone();
        if let Some(other) = reach(checker, &mut trees[1 - grows], &q) {
            let mut path = trees[grows].branch(leaf);
            path.reverse();
            path.extend(trees[1 - grows].branch(other).into_iter().skip(1));
            if grows == 1 {
                path.reverse();
            }
            return (Some(path), iteration + 1);
        }
    }
    (None, max_iterations)
}

/// One edge towards a sample.
fn extend(checker: &Checker<'_>, tree: &mut Tree, sample: &[f64]) -> Option<usize> {
    let (near, d) = tree.nearest(sample);
    if d > tree.0[near].domain {
        return None;
    }
    let q = towards(&tree.0[near].q, sample, d);
    if checker.line_is_free(&tree.0[near].q, &q) {
        tree.0[near].domain *= 1.0 + DOMAIN_STEP;
        return Some(tree.add(q, near));
    }
    let domain = &mut tree.0[near].domain;
    *domain = if domain.is_finite() {
        (*domain * (1.0 - DOMAIN_STEP)).max(LEAST_DOMAIN_RAD)
    } else {
        DOMAIN_RAD
    };
    None
}

/// Edges towards `goal` until one is blocked; the node at the goal if none is.
fn reach(checker: &Checker<'_>, tree: &mut Tree, goal: &[f64]) -> Option<usize> {
    let (mut at, _) = tree.nearest(goal);
    loop {
        let d = distance(&tree.0[at].q, goal);
        let q = towards(&tree.0[at].q, goal, d);
        if !checker.line_is_free(&tree.0[at].q, &q) {
            return None;
        }
        at = tree.add(q, at);
        if d <= RANGE_RAD {
            return Some(at);
        }
    }
}

fn towards(from: &[f64], to: &[f64], d: f64) -> Vec<f64> {
    if d <= RANGE_RAD {
        return to.to_vec();
    }
    let f = RANGE_RAD / d;
    from.iter().zip(to).map(|(a, b)| a + f * (b - a)).collect()
}
