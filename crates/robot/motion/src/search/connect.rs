//! RRT-Connect: two trees that grow towards each other.
//!
//! Kuffner and LaValle, "RRT-Connect: An efficient approach to single-query path planning",
//! ICRA 2000. The trees are balanced, and use the dynamic domain of Jaillet, Yershova, LaValle and
//! Simeon (IROS 2005), which keeps nodes near obstacles from being extended into them again and
//! again.
//!
//! Edges are checked lazily (Bohlin and Kavraki, "Path planning using lazy PRM", ICRA 2000): at
//! few configurations while the trees grow, and at the others once they are part of a path.

use super::edge::Checker;
use super::halton::Halton;
use super::problem::RemainingBudget;
use super::q::{Q, between, q};
use super::tree::Tree;
use crate::path::distance;

/// Longest edge, rad: long enough to cross free space in few steps, short enough for paths that
/// need little shortening.
const RANGE_RAD: f64 = 0.5;
/// Radius of the domain of a node whose extension failed, rad.
const DOMAIN_RAD: f64 = 4.0;
const LEAST_DOMAIN_RAD: f64 = 1.0;
const DOMAIN_STEP: f64 = 1e-4;

/// Ends to be connected, and limits of the effort.
pub(super) struct Ends<'a> {
    pub(super) bounds: &'a [[f64; 2]],
    pub(super) start: Q,
    pub(super) goals: &'a [Q],
    pub(super) max_samples: usize,
    /// Samples to skip at the beginning of the sequence.
    pub(super) skip: u32,
    /// Upper bound on the path length, rad. Samples through which no shorter path can lead are
    /// skipped: they lie outside an ellipsoid around both ends. (J. Gammell, S. Srinivasa and T.
    /// Barfoot, "Informed RRT*", IROS 2014.)
    pub(super) shorter_than: f64,
}

/// Finds a path from the start to one of the goals, and returns it with the number of samples used.
pub(super) fn connect(
    checker: &Checker<'_>,
    ends: &Ends<'_>,
    remaining: &mut RemainingBudget,
) -> (Option<Vec<Q>>, usize) {
    let Ends {
        bounds,
        start,
        goals,
        ..
    } = ends;
    for goal in *goals {
        if checker.line_is_free(start, goal) {
            return (Some(vec![*start, *goal]), 0);
        }
    }
    let mut trees = [0, 1].map(|_| Tree::new(bounds.len(), checker.vectors()));
    trees[0].add(*start, None);
    for goal in *goals {
        trees[1].add(*goal, None);
    }
    let mut halton = Halton::new(bounds.len(), ends.skip);
    for n_taken in 0..ends.max_samples {
        if !remaining.take() {
            return (None, n_taken);
        }
        // The smaller tree grows.
        let grows = usize::from(trees[1].len() < trees[0].len());
        let mut sample = q(&[]);
        let scaled = halton.point().zip(*bounds);
        for (to, (x, [low, high])) in sample.iter_mut().zip(scaled) {
            *to = low + x * (high - low);
        }
        if !ends.may_pass(&sample) {
            continue;
        }
        let Some(leaf) = extend(checker, &mut trees[grows], &sample) else {
            continue;
        };
        let at = *trees[grows].q(leaf);
        if let Some(other) = reach(checker, &mut trees[1 - grows], &at) {
            let is_free = |a: &Q, b: &Q| checker.rest_is_free(a, b);
            let mut ends = [(grows, leaf), (1 - grows, other)].into_iter();
            if !ends.all(|(tree, end)| trees[tree].confirm(end, is_free)) {
                continue;
            }
            let mut path: Vec<Q> = trees[grows].branch(leaf).collect();
            path.reverse();
            path.extend(trees[1 - grows].branch(other).skip(1));
            if grows == 1 {
                path.reverse();
            }
            return (Some(path), n_taken + 1);
        }
    }
    (None, ends.max_samples)
}

impl Ends<'_> {
    /// Returns true if a short enough path can lead through a configuration.
    fn may_pass(&self, q: &Q) -> bool {
        if self.shorter_than.is_infinite() {
            return true;
        }
        let to_goal = self.goals.iter().map(|goal| distance(q, goal));
        distance(&self.start, q) + to_goal.fold(f64::INFINITY, f64::min) <= self.shorter_than
    }
}

fn extend(checker: &Checker<'_>, tree: &mut Tree, sample: &Q) -> Option<usize> {
    let (near, d) = tree.nearest(sample);
    if d > *tree.domain_mut(near) {
        return None;
    }
    let at = towards(tree.q(near), sample, d);
    if checker.may_be_free(tree.q(near), &at) {
        *tree.domain_mut(near) *= 1.0 + DOMAIN_STEP;
        return Some(tree.add(at, Some(near)));
    }
    let domain = tree.domain_mut(near);
    *domain = if domain.is_finite() {
        (*domain * (1.0 - DOMAIN_STEP)).max(LEAST_DOMAIN_RAD)
    } else {
        DOMAIN_RAD
    };
    None
}

/// Adds edges towards `goal` until one is blocked; returns the node at the goal if none is.
fn reach(checker: &Checker<'_>, tree: &mut Tree, goal: &Q) -> Option<usize> {
    let (mut at, _) = tree.nearest(goal);
    loop {
        let d = distance(tree.q(at), goal);
        let next = towards(tree.q(at), goal, d);
        if !checker.may_be_free(tree.q(at), &next) {
            return None;
        }
        at = tree.add(next, Some(at));
        if d <= RANGE_RAD {
            return Some(at);
        }
    }
}

fn towards(from: &Q, to: &Q, d: f64) -> Q {
    if d <= RANGE_RAD {
        return *to;
    }
    between(from, to, RANGE_RAD / d)
}
