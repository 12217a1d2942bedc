//! Shorter paths out of found ones.

use super::edge::Checker;
use super::halton::Halton;
use super::q::{Q, between, distance, length};

/// Shortcuts that are tried in one round.
const CUTS: usize = 40;
/// A round that gains less than this share ends the matter.
const LEAST_GAIN: f64 = 0.002;

/// Shortens a path as long as that pays. Every edge that comes out was checked.
pub(super) fn simplify(checker: &Checker<'_>, mut path: Vec<Q>, rounds: usize) -> Vec<Q> {
    let mut halton = Halton::new(2, 20);
    skip_vertices(checker, &mut path);
    for _ in 0..rounds {
        if path.len() < 3 {
            break;
        }
        let before = length(&path);
        for _ in 0..CUTS {
            let mut between = halton.point();
            let (a, b) = (between.next().unwrap_or(0.0), between.next().unwrap_or(1.0));
            cut(checker, &mut path, a.min(b), a.max(b));
        }
        shave_corners(checker, &mut path);
        skip_vertices(checker, &mut path);
        if length(&path) > before * (1.0 - LEAST_GAIN) {
            break;
        }
    }
    path
}

/// Leaves out vertices that the path can do without, longest leaps first.
fn skip_vertices(checker: &Checker<'_>, path: &mut Vec<Q>) {
    let mut i = 0;
    while i + 2 < path.len() {
        let leap = (i + 2..path.len())
            .rev()
            .find(|j| checker.line_is_free(&path[i], &path[*j]));
        if let Some(j) = leap {
            path.drain(i + 1..j);
        }
        i += 1;
    }
}

/// Replaces what is between two fractions of the length by a line, if it is free and
/// they are not on the same edge.
fn cut(checker: &Checker<'_>, path: &mut Vec<Q>, from: f64, to: f64) {
    let length = length(path);
    let (Some((i, a)), Some((j, b))) = (at(path, from * length), at(path, to * length)) else {
        return;
    };
    if i < j && checker.line_is_free(&a, &b) {
        path.splice(i + 1..=j, [a, b]);
        path.dedup_by(|x, y| distance(x, y) < 1e-9);
    }
}

/// The edge and point at a distance along the path.
fn at(path: &[Q], mut s: f64) -> Option<(usize, Q)> {
    for (i, edge) in path.windows(2).enumerate() {
        let d = distance(&edge[0], &edge[1]);
        if s <= d && d > 0.0 {
            return Some((i, between(&edge[0], &edge[1], s / d)));
        }
        s -= d;
    }
    None
}

/// Moves each inner vertex to the line between points on its two edges.
fn shave_corners(checker: &Checker<'_>, path: &mut Vec<Q>) {
    let mut i = 1;
    while i + 1 < path.len() {
        let (before, corner, after) = (&path[i - 1], &path[i], &path[i + 1]);
        let shaved = [0.5, 0.25, 0.1].into_iter().find_map(|share| {
            let a = between(corner, before, share);
            let b = between(corner, after, share);
            checker.line_is_free(&a, &b).then_some([a, b])
        });
        match shaved {
            Some(two) => {
                path.splice(i..=i, two);
                i += 2;
            }
            None => i += 1,
        }
    }
}
