//! Solids made by sweeping a cross-section: meshes without a file.
//!
//! The convex parts follow from the cross-section and are exactly the solid. No mesh has to be
//! split, and randomly scaled copies of a solid have the same parts.

mod outline;

use std::f64::consts::TAU;
use std::sync::Arc;

use nalgebra::Point3;
use regrasp_geometry::{Part, Pose, Shape};

use crate::body::MeshBody;
use crate::hull::{MAX_PART_CORNERS, hull_volume};
use crate::solid::{compound, of_parts};
use crate::triangles::Mesh;

use outline::Corner;

/// Number of flat sides of a round solid: the largest for which a slice of it, which has twice as
/// many vertices, has at most [`MAX_PART_CORNERS`].
const N_SIDES: usize = MAX_PART_CORNERS / 2;
/// Radius below which a point is on the axis, m.
pub const ON_AXIS_M: f64 = 1e-9;

type Swept = (Mesh, Vec<Vec<[f64; 3]>>);

/// Makes a solid of height `height` by extruding an outline in the xy plane to both sides along z.
/// An error is one sentence with the reason why it is not a solid.
pub fn extrusion(outline: Vec<[f64; 2]>, height: f64) -> Result<(Shape, MeshBody), String> {
    solid(along_z(&outline::checked(outline)?, 0.5 * height))
}

/// Makes a solid by turning a profile of corners [radius, z], no radius below 0, about the z axis.
/// An error is one sentence with the reason why it is not a solid.
pub fn lathe(profile: Vec<[f64; 2]>) -> Result<(Shape, MeshBody), String> {
    solid(about_z(&outline::checked(profile)?))
}

/// Makes a torus from a circle of radius `tube` around one of the larger radius `radius`. An error
/// is one sentence with the reason why it is not a solid.
pub fn torus(radius: f64, tube: f64) -> Result<(Shape, MeshBody), String> {
    let corner = |i: usize| {
        let (sin, cos) = (TAU * i as f64 / N_SIDES as f64).sin_cos();
        [radius + tube * cos, tube * sin]
    };
    let corners: Vec<Corner> = (0..N_SIDES).map(corner).collect();
    solid(about_z(&corners))
}

/// Joins swept solids, each in the object's frame, to one mesh with all their convex parts.
/// Overlaps count twice for volume and mass, as for the parts of any compound. An error is one
/// sentence with the reason why it is not a solid.
pub fn joined(
    solids: &[(Pose, Arc<MeshBody>)],
    parts: Vec<Part>,
) -> Result<(Shape, MeshBody), String> {
    let mut mesh = Mesh::default();
    for (object_from_solid, body) in solids {
        let first = mesh.vertices.len() as u32;
        let moved =
            |p: &[f64; 3]| -> [f64; 3] { (object_from_solid * Point3::from(*p)).coords.into() };
        mesh.vertices.extend(body.vertices.iter().map(moved));
        let triangles = body.triangles.iter();
        mesh.triangles
            .extend(triangles.map(|t| t.map(|i| i + first)));
    }
    let volume = solids.iter().map(|(_, body)| body.parts_volume_m3).sum();
    Ok((Shape::Compound { parts }, of_parts(mesh, volume)?))
}

fn solid((mesh, parts): Swept) -> Result<(Shape, MeshBody), String> {
    let volume = parts.iter().map(|part| hull_volume(part)).sum();
    Ok((compound(parts), of_parts(mesh, volume)?))
}

/// Extrudes a counter-clockwise polygon from -half to +half along z.
fn along_z(corners: &[Corner], half: f64) -> Swept {
    let n = corners.len();
    let ends = |corners: &[Corner]| -> Vec<[f64; 3]> {
        let end = |z: f64| corners.iter().map(move |[x, y]| [*x, *y, z]);
        end(-half).chain(end(half)).collect()
    };
    let mut triangles: Vec<[usize; 3]> = vec![];
    for [a, b, c] in outline::triangles(corners) {
        triangles.extend([[c, b, a], [a + n, b + n, c + n]]);
    }
    for i in 0..n {
        let j = (i + 1) % n;
        triangles.extend([[i, j, j + n], [i, j + n, i + n]]);
    }
    let parts = outline::merged(outline::slabs(corners));
    let parts = parts.iter().map(|part| ends(part)).collect();
    (surface(ends(corners), triangles), parts)
}

/// Turns a counter-clockwise polygon of [radius, z] about z, in flat sides with vertices at the
/// radii.
fn about_z(corners: &[Corner]) -> Swept {
    let n = corners.len();
    let at = |[radius, z]: Corner, side: usize| {
        let (sin, cos) = (TAU * (side % N_SIDES) as f64 / N_SIDES as f64).sin_cos();
        [radius * cos, radius * sin, z]
    };
    let sides = |corners: &[Corner], sides: std::ops::Range<usize>| -> Vec<[f64; 3]> {
        let corner = |side: usize| corners.iter().map(move |&corner| at(corner, side));
        sides.flat_map(corner).collect()
    };
    let mut triangles: Vec<[usize; 3]> = vec![];
    for (side, next) in (0..N_SIDES).map(|i| (i * n, (i + 1) % N_SIDES * n)) {
        for (i, j) in (0..n).map(|i| (i, (i + 1) % n)) {
            let [from, to] = [corners[i][0], corners[j][0]];
            // A point on the axis stays in place.
            if from > 0.0 {
                triangles.push([side + i, next + i, next + j]);
            }
            if to > 0.0 {
                triangles.push([side + i, next + j, side + j]);
            }
        }
    }
    let (solid, hollow): (Vec<_>, Vec<_>) = outline::slabs(corners)
        .into_iter()
        .partition(|slab| slab.iter().all(|p| p[0] >= 0.0) && reaches_axis(slab));
    let mut parts: Vec<_> = solid.iter().map(|slab| sides(slab, 0..N_SIDES)).collect();
    for ring in outline::merged(hollow) {
        parts.extend((0..N_SIDES).map(|side| sides(&ring, side..side + 2)));
    }
    (surface(sides(corners, 0..N_SIDES), triangles), parts)
}

/// Returns true if a slab of a profile has the axis as a side over its whole height.
fn reaches_axis(slab: &[Corner]) -> bool {
    let height = |on: &dyn Fn(&&Corner) -> bool| {
        let heights = || slab.iter().filter(on).map(|p| p[1]);
        heights().fold(f64::NEG_INFINITY, f64::max) - heights().fold(f64::INFINITY, f64::min)
    };
    height(&|p| p[0] <= ON_AXIS_M) >= height(&|_| true) - ON_AXIS_M
}

fn surface(vertices: Vec<[f64; 3]>, triangles: Vec<[usize; 3]>) -> Mesh {
    // Indices are small: an outline has at most 64 corners, and a round solid 20 sides.
    let triangles = triangles.iter().map(|t| t.map(|i| i as u32)).collect();
    Mesh::new(vertices, triangles).welded()
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    /// The share of a circle that a polygon of `n` corners on it covers.
    fn filled(n: usize) -> f64 {
        (TAU / n as f64).sin() * n as f64 / TAU
    }

    #[track_caller]
    fn check((mesh, parts): Swept, n_parts: usize, volume: f64) {
        let in_parts: f64 = parts.iter().map(|part| hull_volume(part)).sum();
        assert_eq!(parts.len(), n_parts);
        let body = of_parts(mesh, in_parts).unwrap();
        for (what, found) in [("surface", body.volume_m3), ("parts", in_parts)] {
            let off = found / volume - 1.0;
            assert!(
                off.abs() < 1e-6,
                "the relative error of the volume of the {what} is {off:.1e}"
            );
        }
    }

    #[test]
    fn the_surface_is_closed_and_encloses_what_the_parts_fill() {
        let ell = [[0.0, 0.0], [0.06, 0.0], [0.06, 0.02], [0.02, 0.02]];
        let ell = [&ell[..], &[[0.02, 0.05], [0.0, 0.05]]].concat();
        check(along_z(&ell, 0.015), 2, 0.0018 * 0.03);
        // A bottle: body, shoulder and neck, all of them solid.
        let bottle = [[0.0, 0.0], [0.03, 0.0], [0.03, 0.1], [0.01, 0.12]];
        let bottle = [&bottle[..], &[[0.01, 0.15], [0.0, 0.15]]].concat();
        let cone = 0.02 / 3.0 * (0.0009 + 0.0001 + 0.0003);
        let volume = PI * (0.1 * 0.0009 + cone + 0.03 * 0.0001);
        check(about_z(&bottle), 3, volume * filled(N_SIDES));
        // A cup: a floor, and a wall around a cavity.
        let cup = [[0.0, 0.0], [0.04, 0.0], [0.04, 0.1], [0.036, 0.1]];
        let cup = [&cup[..], &[[0.036, 0.01], [0.0, 0.01]]].concat();
        let volume = PI * (0.0016 * 0.1 - 0.001296 * 0.09);
        check(about_z(&cup), 1 + N_SIDES, volume * filled(N_SIDES));
    }
}
