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
mod triangle;

use std::panic::{AssertUnwindSafe, catch_unwind};

use regrasp_geometry_parry::polyhedron;
use serde::{Deserialize, Serialize};

use crate::hull::{hull_points, hull_volume, planes, slim};
use crate::triangles::Mesh;

use columns::Columns;
use piece::Piece;
use triangle::Triangle;

/// Volume that parts may fill outside of the solid before that is a warning, as a part of it.
pub const MOST_OUTSIDE: f64 = 0.1;
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
pub(crate) fn convex_parts(mesh: &Mesh, is_closed: bool, max_parts: u32) -> Result<Parts, String> {
    let split = || split(mesh, is_closed, max_parts as usize);
    catch_unwind(AssertUnwindSafe(split))
        .map_err(|_| "it cannot be split into convex parts".to_owned())?
}

/// The triangles of a mesh by their corners.
fn surface(mesh: &Mesh) -> Vec<Triangle> {
    let triangles = mesh.triangles.iter();
    triangles
        .map(|t| t.map(|i| mesh.vertices[i as usize]))
        .collect()
}

/// Columns through triangles, and the ends of these along the axes.
fn columns(surface: &[Triangle], is_closed: bool) -> (Columns, [[f64; 3]; 2]) {
    let end = |pick: fn(f64, f64) -> f64, start: f64| {
        [0, 1, 2].map(|i| surface.iter().flatten().map(|p| p[i]).fold(start, pick))
    };
    let (min, max) = (
        end(f64::min, f64::INFINITY),
        end(f64::max, f64::NEG_INFINITY),
    );
    let columns = match is_closed {
        true => Columns::of_closed(surface, min, max),
        false => Columns::of_open(surface, min, max),
    };
    (columns, [min, max])
}

fn split(mesh: &Mesh, is_closed: bool, max_parts: usize) -> Result<Parts, String> {
    let surface = surface(mesh);
    let yaw = frame::yaw(&surface);
    let surface: Vec<Triangle> = surface
        .iter()
        .map(|t| t.map(|p| frame::turned(p, -yaw)))
        .collect();
    let (columns, ends) = columns(&surface, is_closed);
    let solid_m3 = columns.volume_m3();
    if solid_m3 <= 0.0 {
        return Err("it encloses no volume".to_owned());
    }
    let mut pieces = vec![Piece::whole(surface, ends).weighed(&columns)];
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
    let found = found.filter(|found| !found.parts.is_empty());
    let mut found = found.ok_or_else(|| "it encloses no volume".to_owned())?;
    for p in found.parts.iter_mut().flatten() {
        *p = frame::turned(*p, yaw);
    }
    Ok(found)
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
pub(crate) fn one_part(mesh: &Mesh, is_closed: bool, hull: Vec<[f64; 3]>) -> Parts {
    let (columns, _) = columns(&surface(mesh), is_closed);
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
