//! A solid as several convex parts, chosen by how far they are off.
//!
//! The solid is cut by planes across its axes, always the piece whose hull is furthest off and
//! where the hulls of both sides are least, until the hulls fill little more than the solid. Each
//! part is the hull of the surface in its piece, so that its faces are the solid's own. Then parts
//! are merged as long as little is added.
//!
//! Compared with V-HACD (Mamou 2016, in parry; 128 cells), which this replaces: that spends its
//! time on hulls of tens of thousands of cell corners, cuts by volume alone, and stops at a number
//! of parts, however far off they are.

mod columns;
mod cut;
mod frame;
mod merge;
mod piece;

use std::panic::{AssertUnwindSafe, catch_unwind};

use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;
use regrasp_geometry_parry::polyhedron;
use serde::{Deserialize, Serialize};

use super::convex::{hull_points, hull_volume, planes, slim};
use columns::Columns;
use piece::Piece;

type Triangle = [[f64; 3]; 3];

/// What parts may fill outside of the solid, as a part of it.
pub(crate) const MOST_OUTSIDE: f64 = 0.1;
/// How far pieces are cut before parts are merged and measured, in turn until that holds: what
/// their hulls may enclose too much, as a part of the solid.
const CUT_TO: [f64; 5] = [0.08, 0.06, 0.04, 0.025, 0.01];
/// What is aimed at where it takes few parts: a neck or a stud is gripped, too.
const AIM: f64 = 0.04;
const FEW: usize = 24;
/// What merging may add, as a part of the solid.
const MERGE_GAIN: f64 = 0.02;
/// Pieces for each part that there may be: cuts go further than needed, and are merged again.
const PIECES_PER_PART: usize = 2;
/// Cuts are looked back on after so many...
const LOOK_BACK: usize = 24;
/// ...and given up if they gained less than this part of the solid: noise has no convex parts.
const LEAST_GAIN: f64 = 0.005;
/// A part with less volume touches nothing that its neighbours do not, m³: a cube of 0.5 mm.
const LEAST_PART_M3: f64 = 1.25e-10;

/// Convex parts, and how far they are off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parts {
    /// Corners of each.
    pub(crate) parts: Vec<Vec<[f64; 3]>>,
    /// What they are the parts of, m³.
    pub(crate) solid_m3: f64,
    /// What they fill outside of it, as a part of it.
    pub(crate) outside: f64,
    /// What of it they leave out, as a part of it.
    pub(crate) missing: f64,
}

/// Splits a solid into at most `max_parts` convex parts. What is not closed is filled as far as
/// nothing gets in from outside.
pub(crate) fn convex_parts(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    is_closed: bool,
    max_parts: u32,
) -> Result<Parts, String> {
    let split = || split(vertices, triangles, is_closed, max_parts as usize);
    catch_unwind(AssertUnwindSafe(split))
        .map_err(|_| "it cannot be split into convex parts".to_owned())?
}

fn split(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    is_closed: bool,
    max_parts: usize,
) -> Result<Parts, String> {
    let surface = || triangles.iter().map(|t| t.map(|i| vertices[i as usize]));
    let yaw = frame::yaw(&surface().collect::<Vec<_>>());
    let surface: Vec<Triangle> = surface()
        .map(|t| t.map(|p| frame::turned(p, -yaw)))
        .collect();
    let end = |pick: fn(f64, f64) -> f64, start: f64| {
        [0, 1, 2].map(|i| surface.iter().flatten().map(|p| p[i]).fold(start, pick))
    };
    let (min, max) = (
        end(f64::min, f64::INFINITY),
        end(f64::max, f64::NEG_INFINITY),
    );
    let columns = match is_closed {
        true => Columns::of_closed(&surface, min, max),
        false => Columns::of_open(&surface, min, max),
    };
    let solid_m3 = columns.volume_m3();
    if solid_m3 <= 0.0 {
        return Err("it encloses no volume".to_owned());
    }
    let mut pieces = vec![Piece::whole(surface, min, max, &columns)];
    let mut found: Option<Parts> = None;
    for cut_to in CUT_TO {
        let n_before = pieces.len();
        cut(
            &mut pieces,
            &columns,
            cut_to * solid_m3,
            PIECES_PER_PART * max_parts,
        );
        if found.is_some() && pieces.len() == n_before {
            continue;
        }
        let parts = of(&pieces, max_parts, MERGE_GAIN * solid_m3);
        let parts = measured(parts, &columns, solid_m3);
        let is_better = found.as_ref().is_none_or(|old| {
            // Beyond what is needed, only what hardly takes more parts.
            let is_needed = old.outside > MOST_OUTSIDE || parts.parts.len() <= FEW;
            is_needed && parts.outside < old.outside
        });
        let most = if parts.parts.len() > FEW {
            MOST_OUTSIDE
        } else {
            AIM
        };
        let is_enough = parts.outside <= most;
        if is_better {
            found = Some(parts);
        }
        if is_enough {
            break;
        }
    }
    let mut found = found.filter(|found| !found.parts.is_empty());
    let found = found
        .take()
        .ok_or_else(|| "it encloses no volume".to_owned())?;
    Ok(turned_back(found, yaw))
}

/// Cuts pieces until their hulls enclose no more than `most_m3` too much, there are
/// `max_pieces`, or it gains nothing any more.
fn cut(pieces: &mut Vec<Piece>, columns: &Columns, most_m3: f64, max_pieces: usize) {
    let solid: f64 = pieces.iter().map(|piece| piece.solid_m3).sum();
    let mut excesses = Vec::new();
    while pieces.len() < max_pieces {
        let excess: f64 = pieces.iter().map(Piece::excess_m3).sum();
        excesses.push(excess);
        let before = excesses
            .len()
            .checked_sub(LOOK_BACK + 1)
            .map(|i| excesses[i]);
        if excess <= most_m3 || before.is_some_and(|before| before - excess < LEAST_GAIN * solid) {
            return;
        }
        let can_be_cut = (0..pieces.len()).filter(|&i| pieces[i].best.is_some());
        let worst =
            can_be_cut.max_by(|&a, &b| pieces[a].excess_m3().total_cmp(&pieces[b].excess_m3()));
        let Some(worst) = worst else { return };
        match pieces[worst].halves(columns) {
            Some([below, above]) => {
                pieces[worst] = below;
                pieces.push(above);
            }
            None => pieces[worst].best = None,
        }
    }
}

/// The parts that pieces are.
fn of(pieces: &[Piece], max_parts: usize, gain_m3: f64) -> Vec<Vec<[f64; 3]>> {
    let hulls = pieces
        .iter()
        .filter_map(|piece| hull_points(&piece.points()).ok());
    let parts = merge::merged(hulls.collect(), max_parts, gain_m3).into_iter();
    parts
        .map(|points| slim(&points))
        .filter(|points| hull_volume(points) > LEAST_PART_M3)
        .collect()
}

fn measured(parts: Vec<Vec<[f64; 3]>>, columns: &Columns, solid_m3: f64) -> Parts {
    let with_planes: Vec<_> = parts
        .iter()
        .map(|corners| (corners.clone(), faces(corners)))
        .collect();
    let [outside, missing] = columns.differ_m3(&with_planes);
    Parts {
        parts,
        solid_m3,
        outside: outside / solid_m3,
        missing: missing / solid_m3,
    }
}

/// How far the hull of all corners is off, as if it were the one part.
pub(crate) fn one_part(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    is_closed: bool,
    hull: Vec<[f64; 3]>,
) -> Parts {
    let surface: Vec<Triangle> = triangles
        .iter()
        .map(|t| t.map(|i| vertices[i as usize]))
        .collect();
    let end = |pick: fn(f64, f64) -> f64, start: f64| {
        [0, 1, 2].map(|i| surface.iter().flatten().map(|p| p[i]).fold(start, pick))
    };
    let (min, max) = (
        end(f64::min, f64::INFINITY),
        end(f64::max, f64::NEG_INFINITY),
    );
    let columns = match is_closed {
        true => Columns::of_closed(&surface, min, max),
        false => Columns::of_open(&surface, min, max),
    };
    let solid_m3 = columns.volume_m3().max(1e-15);
    measured(vec![hull], &columns, solid_m3)
}

/// The planes of a hull's faces: a normal, and how far along it the plane is.
fn faces(corners: &[[f64; 3]]) -> Vec<[f64; 4]> {
    let Some(hull) = polyhedron(corners) else {
        return Vec::new();
    };
    let planes = planes(&hull).into_iter();
    planes.map(|(n, on)| [n.x, n.y, n.z, n.dot(on)]).collect()
}

fn turned_back(mut parts: Parts, yaw: f64) -> Parts {
    for p in parts.parts.iter_mut().flatten() {
        *p = frame::turned(*p, yaw);
    }
    parts
}

/// Volume of the hull of a few points; 0 if there is none.
fn hull_volume_of(mut points: Vec<[f64; 3]>) -> f64 {
    points.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    points.dedup();
    if points.len() < 4 {
        return 0.0;
    }
    let points: Vec<Vector> = points.into_iter().map(Vector::from).collect();
    // Parry asserts in some degenerate cases.
    let hull = catch_unwind(AssertUnwindSafe(|| try_convex_hull(&points)));
    let Ok(Ok((corners, triangles))) = hull else {
        return 0.0;
    };
    let Some(&first) = corners.first() else {
        return 0.0;
    };
    let six = triangles.iter().map(|t| {
        let [a, b, c] = t.map(|i| corners[i as usize] - first);
        a.dot(b.cross(c))
    });
    six.sum::<f64>().abs() / 6.0
}

/// The least and the greatest of three.
fn ordered([a, b, c]: [f64; 3]) -> [f64; 2] {
    [a.min(b).min(c), a.max(b).max(c)]
}
