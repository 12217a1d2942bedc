//! Shortening of found paths.

use super::edge::Checker;
use super::halton::Halton;
use super::q::{Q, between};
use crate::path::{distance, path_length};

const PASSES: usize = 4;
/// Smallest move of a vertex, rad.
const LEAST_MOVE_RAD: f64 = 0.05;
/// Gain of a round, as a share of the path's length, below which no further round is made.
const ROUND_GAIN: f64 = 0.02;
const CUTS: usize = 24;
/// Gain of a shortcut, as a share of the path's length, below which it is not worth a check.
const LEAST_GAIN: f64 = 0.004;

/// Shortens a path until a round gains too little. Every edge of the result was checked.
pub(super) fn simplify(checker: &Checker<'_>, mut path: Vec<Q>, rounds: usize) -> Vec<Q> {
    skip_vertices(checker, &mut path);
    for _ in 0..rounds {
        if path.len() < 3 {
            return path;
        }
        let before = path_length(&path);
        smooth(checker, &mut path);
        skip_vertices(checker, &mut path);
        if path_length(&path) > before * (1.0 - ROUND_GAIN) {
            break;
        }
    }
    let mut halton = Halton::new(2, 20);
    for _ in 0..CUTS {
        let [a, b] = pair(&mut halton);
        cut(checker, &mut path, a.min(b), a.max(b));
    }
    path
}

fn pair(halton: &mut Halton) -> [f64; 2] {
    let mut point = halton.point();
    [0.0, 1.0].map(|otherwise| point.next().unwrap_or(otherwise))
}

/// Halves the edges of a path and moves each old vertex towards the middle of its new neighbours
/// where that is free.
fn smooth(checker: &Checker<'_>, path: &mut Vec<Q>) {
    for _ in 0..PASSES {
        halve_edges(path);
        let mut has_moved = false;
        for i in (2..path.len() - 1).step_by(2) {
            let (a, b) = (path[i - 1], path[i + 1]);
            let middle = between(&a, &b, 0.5);
            let middle = between(&path[i], &middle, 0.5);
            if distance(&path[i], &middle) > LEAST_MOVE_RAD
                && checker.line_is_free(&a, &middle)
                && checker.line_is_free(&middle, &b)
            {
                path[i] = middle;
                has_moved = true;
            }
        }
        drop_straight(path);
        if !has_moved {
            break;
        }
    }
}

fn drop_straight(path: &mut Vec<Q>) {
    let mut i = 1;
    while i + 1 < path.len() {
        let [a, at, b] = [&path[i - 1], &path[i], &path[i + 1]];
        let detour = distance(a, at) + distance(at, b) - distance(a, b);
        if detour < 1e-12 {
            path.remove(i);
        } else {
            i += 1;
        }
    }
}

fn halve_edges(path: &mut Vec<Q>) {
    let mut halved = Vec::with_capacity(2 * path.len());
    for edge in path.windows(2) {
        halved.extend([edge[0], between(&edge[0], &edge[1], 0.5)]);
    }
    halved.extend(path.last());
    *path = halved;
}

/// Removes vertices that the path does not need, longest shortcuts first.
pub(super) fn skip_vertices(checker: &Checker<'_>, path: &mut Vec<Q>) {
    let mut i = 0;
    while i + 2 < path.len() {
        let mut leaps = (i + 2..path.len()).rev();
        let leap = leaps.find(|j| checker.line_is_free(&path[i], &path[*j]));
        if let Some(j) = leap {
            path.drain(i + 1..j);
        }
        i += 1;
    }
}

/// Replaces the part between two fractions of the length by a line, if that is shorter and free.
fn cut(checker: &Checker<'_>, path: &mut Vec<Q>, from: f64, to: f64) {
    let length = path_length(path);
    let (Some((i, a)), Some((j, b))) = (at(path, from * length), at(path, to * length)) else {
        return;
    };
    let gain = (to - from) * length - distance(&a, &b);
    if i < j && gain > LEAST_GAIN * length && checker.line_is_free(&a, &b) {
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
