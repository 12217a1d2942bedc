//! Splits a solid into convex parts by their geometric error.
//!
//! The solid is cut by planes across its axes. Each cut divides the piece whose hull has the
//! largest excess over the solid, at the plane that minimises the hulls of both sides, until the
//! hulls fill little more than the solid. Each part is the hull of the surface in its piece, so
//! that its faces are the solid's own. Then parts are merged as long as that adds little volume.
//!
//! V-HACD (Mamou 2016, in parry; 128 cells) is not used: it spends its time on hulls of tens of
//! thousands of cell corners, cuts by volume alone, and stops at a given number of parts, whatever
//! their error.

mod columns;
mod cut;
mod merge;
mod piece;
mod triangle;

use std::panic::{AssertUnwindSafe, catch_unwind};

use regrasp_geometry::Aabb;
use regrasp_geometry_parry::{face_planes, polyhedron};
use serde::{Deserialize, Serialize};

use crate::body::Moments;
use crate::hull::{hull_points, hull_volume, slim};
use crate::triangles::Mesh;

use columns::Columns;
use piece::Piece;
use triangle::Triangle;

/// Volume of parts outside the solid from which a warning is given, as a fraction of its volume.
pub const MOST_OUTSIDE: f64 = 0.1;
/// Limits on the excess of the pieces' hulls, as a fraction of the solid, tried in this order until
/// the merged parts are within [`MOST_OUTSIDE`], or within [`AIM`] if they are few.
const CUT_TO: [f64; 5] = [0.08, 0.06, 0.04, 0.025, 0.01];
/// Target for the parts' volume outside the solid, as a fraction of its volume, if at most [`FEW`]
/// parts reach it: narrow places, such as the neck of a bottle, may be grasped, too.
const AIM: f64 = 0.04;
const FEW: usize = 24;
/// Volume that merging may add, as a fraction of the solid.
const MERGE_GAIN: f64 = 0.02;
/// Number of pieces for each allowed part: there are more cuts than needed, since parts are merged
/// afterwards.
const PIECES_PER_PART: usize = 2;
/// Number of cuts over which the gain is measured.
const LOOK_BACK: usize = 24;
/// Least gain over `LOOK_BACK` cuts, as a fraction of the solid, for which cutting goes on: a noisy
/// surface could be cut without end.
const LEAST_GAIN: f64 = 0.005;
/// Smallest volume of a part, m³: a cube of 0.5 mm. A smaller part does not matter in contact
/// beside its neighbours.
const LEAST_PART_M3: f64 = 1.25e-10;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parts {
    /// Vertices of each part.
    pub(crate) parts: Vec<Vec<[f64; 3]>>,
    pub(crate) solid_m3: f64,
    /// Volume of the parts outside the solid, as a fraction of its volume.
    pub(crate) outside: f64,
    /// Volume of the solid outside the parts, as a fraction of its volume.
    pub(crate) missing: f64,
}

/// Splits a solid into at most `max_parts` convex parts. The inside of an open surface is the space
/// that cannot be reached from outside.
pub(crate) fn convex_parts(mesh: &Mesh, is_closed: bool, max_parts: u32) -> Result<Parts, String> {
    let split = || split(mesh, is_closed, max_parts as usize);
    catch_unwind(AssertUnwindSafe(split))
        .map_err(|_| "it cannot be split into convex parts".to_owned())?
}

fn surface(mesh: &Mesh) -> Vec<Triangle> {
    let triangles = mesh.triangles.iter();
    triangles
        .map(|t| t.map(|i| mesh.vertices[i as usize]))
        .collect()
}

/// Samples triangles in columns; also returns their bounding box.
fn columns(surface: &[Triangle], is_closed: bool) -> (Columns, [[f64; 3]; 2]) {
    let Aabb { min, max } = Aabb::around(surface.iter().flatten().copied());
    let columns = match is_closed {
        true => Columns::of_closed(surface, min, max),
        false => Columns::of_open(surface, min, max),
    };
    (columns, [min, max])
}

fn split(mesh: &Mesh, is_closed: bool, max_parts: usize) -> Result<Parts, String> {
    let mut surface = surface(mesh);
    let yaw = triangle::yaw(&surface);
    for p in surface.iter_mut().flatten() {
        *p = triangle::turned(*p, -yaw);
    }
    let (columns, ends) = columns(&surface, is_closed);
    let solid_m3 = columns.volume_m3();
    if solid_m3 <= 0.0 {
        return Err("it encloses no volume".to_owned());
    }
    let mut pieces = vec![Piece::whole(surface, ends).weighed(&columns)];
    let mut found: Option<Parts> = None;
    for cut_to in CUT_TO {
        let n_before = pieces.len();
        let max_pieces = PIECES_PER_PART * max_parts;
        cut(&mut pieces, &columns, cut_to * solid_m3, max_pieces);
        if found.is_some() && pieces.len() == n_before {
            continue;
        }
        let parts = of(&pieces, max_parts, MERGE_GAIN * solid_m3);
        let parts = measured(parts, &columns, solid_m3);
        let is_better = found.as_ref().is_none_or(|old| {
            // Beyond the required accuracy, improve only with few parts.
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
        *p = triangle::turned(*p, yaw);
    }
    Ok(found)
}

/// Cuts until the hulls exceed the solid by at most `most_m3`, there are `max_pieces` pieces, or
/// further cuts gain too little.
fn cut(pieces: &mut Vec<Piece>, columns: &Columns, most_m3: f64, max_pieces: usize) {
    let solid: f64 = pieces.iter().map(|piece| piece.solid_m3).sum();
    let mut excesses = Vec::new();
    while pieces.len() < max_pieces {
        let excess: f64 = pieces.iter().map(Piece::excess_m3).sum();
        excesses.push(excess);
        let before = excesses.len().checked_sub(LOOK_BACK + 1);
        let before = before.map(|i| excesses[i]);
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
    let with_planes = parts.iter().map(|c| (c.clone(), faces(c)));
    let with_planes: Vec<_> = with_planes.collect();
    let [outside, missing] = columns.differ_m3(&with_planes);
    Parts {
        parts,
        solid_m3,
        outside: outside / solid_m3,
        missing: missing / solid_m3,
    }
}

/// Returns the hull of all vertices as the only part, with its error.
pub(crate) fn one_part(mesh: &Mesh, is_closed: bool, hull: Vec<[f64; 3]>) -> Parts {
    let (columns, _) = columns(&surface(mesh), is_closed);
    let solid_m3 = columns.volume_m3().max(1e-15);
    measured(vec![hull], &columns, solid_m3)
}

/// Mass distribution of a closed mesh by sampling, for shells that overlap.
pub(crate) fn sampled_moments(mesh: &Mesh) -> Moments {
    columns(&surface(mesh), true).0.moments()
}

/// Planes of a hull's faces: a normal, and the plane's offset along it.
fn faces(corners: &[[f64; 3]]) -> Vec<[f64; 4]> {
    let Some(hull) = polyhedron(corners) else {
        return Vec::new();
    };
    let planes = face_planes(&hull).into_iter();
    planes.map(|(n, on)| [n.x, n.y, n.z, n.dot(on)]).collect()
}
