//! Meshes as solids: convex parts for contact, and the mass distribution.

use std::path::Path;
use std::time::Instant;

use regrasp_cache::Key;
use regrasp_geometry::{Aabb, Part, Pose, Shape};
use serde::{Deserialize, Serialize};

use crate::body::{MeshBody, Moments, moments};
use crate::closed::flaw;
use crate::hull::{MAX_PART_CORNERS, hull_points, hull_volume, slim};
use crate::parts::{MOST_OUTSIDE, Parts, convex_parts, one_part, sampled_moments};
use crate::repair::repaired;
use crate::triangles::Mesh;

/// Smallest fraction of its convex hull that a valid solid fills.
const LEAST_FILL: f64 = 1e-4;
/// Fraction of its convex hull from which a solid is replaced by the hull.
const CONVEX_FILL: f64 = 0.995;
/// Largest relative error of a volume that is sampled in columns. If the volume by the sum over the
/// triangles is larger by more than this, shells overlap.
const SAMPLED: f64 = 0.02;
/// Version of cached parts. Raise it whenever the same mesh is split differently than before.
const PARTS_VERSION: u32 = 2;

/// Splits the solid inside a welded mesh into at most `max_parts` convex parts, after repairs if
/// these are safe. The parts are kept in the cache; `name` is for the log. An error is one sentence
/// with the reason why the mesh is not a solid, or is longer than `longest_m`.
pub fn solid(
    name: &str,
    mesh: Mesh,
    longest_m: f64,
    max_parts: u32,
) -> Result<(Shape, MeshBody, MeshReport), String> {
    check_size(&mesh, longest_m)?;
    let n_triangles = mesh.triangles.len();
    let (mesh, mut repairs) = repaired(mesh)?;
    let exact_m3 = moments(&mesh.vertices, &mesh.triangles).volume;
    let folder = regrasp_cache::folder();
    let (shape, body, split) = enclosed(name, mesh, max_parts, folder.as_deref())?;
    if exact_m3 > (1.0 + SAMPLED) * body.volume_m3 {
        repairs.push("shells overlap; space inside several of them counts once".to_owned());
    }
    let mut report = MeshReport::new(n_triangles, true, repairs, &split);
    report.volume_m3 = body.volume_m3;
    Ok((shape, body, report))
}

/// Splits any triangles into at most `max_parts` convex parts and caches them; `name` is for the
/// log. An error is one sentence with the reason why there are none.
pub fn decomposition(
    name: &str,
    mesh: Mesh,
    max_parts: u32,
) -> Result<(Shape, MeshReport), String> {
    let n_triangles = mesh.triangles.len();
    let (mesh, is_closed, repairs) = match repaired(mesh.clone()) {
        Ok((mesh, repairs)) => (mesh, true, repairs),
        Err(_) => (mesh, false, Vec::new()),
    };
    let folder = regrasp_cache::folder();
    let split = split(name, &mesh, is_closed, max_parts, folder.as_deref())?;
    let report = MeshReport::new(n_triangles, is_closed, repairs, &split);
    Ok((compound(split.parts), report))
}

/// Returns the convex hull of any triangles, or one sentence with the reason why there is none.
pub fn hull_of(mesh: Mesh) -> Result<(Shape, MeshReport), String> {
    let n_triangles = mesh.triangles.len();
    let points = hull_points(&mesh.vertices)?;
    let (mesh, is_closed) = match repaired(mesh.clone()) {
        Ok((mesh, _)) => (mesh, true),
        Err(_) => (mesh, false),
    };
    let split = one_part(&mesh, is_closed, points.clone());
    let report = MeshReport::new(n_triangles, is_closed, Vec::new(), &split);
    Ok((Shape::Convex { points }, report))
}

/// Returns convex parts, from the cache if they are there.
fn split(
    name: &str,
    mesh: &Mesh,
    is_closed: bool,
    max_parts: u32,
    cache: Option<&Path>,
) -> Result<Parts, String> {
    let mut key = Key::new("convex parts", PARTS_VERSION);
    key.indices([max_parts, u32::from(is_closed)]);
    key.numbers(mesh.vertices.iter().flatten().copied());
    key.indices(mesh.triangles.iter().flatten().copied());
    let is_sound = |found: &Parts| {
        let part = |part: &Vec<[f64; 3]>| {
            (4..=MAX_PART_CORNERS).contains(&part.len())
                && part.iter().flatten().all(|x| x.is_finite())
        };
        !found.parts.is_empty() && found.parts.iter().all(part)
    };
    regrasp_cache::kept_or(cache, "parts", &key, is_sound, || {
        let n = mesh.triangles.len();
        tracing::info!(target: "prepare", "splitting `{name}` ({n} triangles) into convex parts");
        let start = Instant::now();
        let found = convex_parts(mesh, is_closed, max_parts)?;
        tracing::info!(
            target: "prepare",
            "`{name}`: {} convex parts, which exceed it by {:.1} % of its volume, after {:.1} s{}",
            found.parts.len(),
            100.0 * found.outside,
            start.elapsed().as_secs_f64(),
            if cache.is_some() { "; kept in the cache" } else { "" }
        );
        Ok(found)
    })
}

fn enclosed(
    name: &str,
    mesh: Mesh,
    max_parts: u32,
    cache: Option<&Path>,
) -> Result<(Shape, MeshBody, Parts), String> {
    let moments = moments(&mesh.vertices, &mesh.triangles);
    let hull = hull_points(&mesh.vertices)?;
    let hull_m3 = hull_volume(&hull);
    if moments.volume < 0.0 {
        return Err(format!(
            "it is inside out: its triangles enclose {:.3e} m³; flip its faces in a modelling \
             program, or change `flip`",
            moments.volume
        ));
    }
    // False for NaN as well.
    let is_solid = moments.volume > LEAST_FILL * hull_m3;
    let inertia = moments.inertia_per_kg.symmetric_eigenvalues();
    if !is_solid || inertia.min() <= 0.0 {
        return Err(format!(
            "its triangles enclose only {:.1e} m³; a solid must enclose a volume",
            moments.volume
        ));
    }
    let may_be_convex = moments.volume > CONVEX_FILL * hull_m3;
    let convex = may_be_convex.then(|| one_part(&mesh, true, slim(&hull)));
    let split = match convex {
        Some(whole) if whole.solid_m3 > (CONVEX_FILL - SAMPLED) * hull_m3 => whole,
        _ => split(name, &mesh, true, max_parts, cache)?,
    };
    let parts = split.parts.iter();
    let volume = parts.map(|part| hull_volume(part)).sum();
    let overlaps = moments.volume > (1.0 + SAMPLED) * split.solid_m3;
    let moments = if overlaps {
        sampled_moments(&mesh)
    } else {
        moments
    };
    let body = body(mesh, moments, volume);
    Ok((compound(split.parts.clone()), body, split))
}

pub(crate) fn of_parts(mesh: Mesh, parts_volume_m3: f64) -> Result<MeshBody, String> {
    check_size(&mesh, FURTHEST_M)?;
    if let Some(flaw) = flaw(&mesh) {
        return Err(flaw);
    }
    let moments = moments(&mesh.vertices, &mesh.triangles);
    Ok(body(mesh, moments, parts_volume_m3))
}

fn body(mesh: Mesh, moments: Moments, parts_volume_m3: f64) -> MeshBody {
    let i = moments.inertia_per_kg;
    MeshBody {
        volume_m3: moments.volume,
        parts_volume_m3,
        mass_center: moments.center.into(),
        inertia_per_kg: [0, 1, 2].map(|row| [0, 1, 2].map(|column| i[(row, column)])),
        vertices: mesh.vertices,
        triangles: mesh.triangles,
    }
}

/// Returns a convex solid for one part, a compound for several.
pub(crate) fn compound(mut parts: Vec<Vec<[f64; 3]>>) -> Shape {
    if parts.len() == 1
        && let Some(points) = parts.pop()
    {
        return Shape::Convex { points };
    }
    let part = |points| Part::new(Pose::identity(), Shape::Convex { points });
    Shape::compound(parts.into_iter().map(part))
}

/// Content of a mesh file, its repairs, and the error of its convex parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeshReport {
    /// Number of triangles in the file, without degenerate ones.
    pub n_triangles: usize,
    /// True if the triangles enclose a solid, perhaps after repairs. Otherwise the solid is the
    /// space that cannot be reached from outside, plus a shell of one cell.
    pub is_closed: bool,
    /// Repairs, one sentence each.
    #[serde(rename = "mended")]
    pub repairs: Vec<String>,
    /// Volume of the solid, m³.
    pub volume_m3: f64,
    /// Number of convex parts that represent the mesh.
    pub n_parts: usize,
    /// Volume of the parts outside the solid, as a fraction of its volume.
    pub outside: f64,
    /// Volume of the solid outside the parts, as a fraction of its volume.
    pub missing: f64,
}

impl MeshReport {
    pub(crate) fn new(
        n_triangles: usize,
        is_closed: bool,
        repairs: Vec<String>,
        split: &Parts,
    ) -> Self {
        Self {
            n_triangles,
            is_closed,
            repairs,
            volume_m3: split.solid_m3,
            n_parts: split.parts.len(),
            outside: split.outside,
            missing: split.missing,
        }
    }

    /// Returns true if the parts are so inaccurate that the object will act larger than it is.
    pub fn is_far_off(&self) -> bool {
        self.outside > MOST_OUTSIDE
    }
}

/// Largest length of a movable object, m: millimetres read as metres exceed it.
pub const LONGEST_M: f64 = 2.0;
/// Largest length of any object, and largest distance from its own origin, m.
pub const FURTHEST_M: f64 = 10.0;
/// Smallest thickness of a solid, m: also the smallest length that scene files may contain.
const THINNEST_M: f64 = 1e-4;

/// Checks that a mesh is no longer than `longest_m`, thick enough, and near its origin. An error is
/// one sentence with the mistake, and the scale that may be missing.
pub fn check_size(mesh: &Mesh, longest_m: f64) -> Result<(), String> {
    let Aabb { min, max } = Aabb::around(mesh.vertices.iter().copied());
    let size = [0, 1, 2].map(|i| max[i] - min[i]);
    let [longest, furthest] = [&size[..], &[min, max].concat()]
        .map(|list| list.iter().fold(0.0f64, |m, x| m.max(x.abs())));
    let [x, y, z] = size;
    if mesh.triangles.is_empty() {
        Err("all of its triangles are points or lines".to_owned())
    } else if longest > longest_m {
        Err(format!(
            "it is {x:.3} x {y:.3} x {z:.3} m, longer than {longest_m} m; if it is in \
             millimetres, multiply its `scale` by 0.001"
        ))
    } else if furthest > FURTHEST_M {
        Err(format!(
            "it reaches {furthest:.1} m from its origin, more than {FURTHEST_M} m"
        ))
    } else if longest < 10.0 * THINNEST_M {
        Err(format!(
            "it is only {:.2e} m long; `scale` must convert its unit to metres",
            longest
        ))
    } else if let Some(i) = (0..3).find(|&i| size[i] < THINNEST_M) {
        Err(format!(
            "it is flat: {:.6} m long along {}, less than {THINNEST_M} m",
            size[i],
            ["x", "y", "z"][i]
        ))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_parts_are_those_that_were_found_and_a_broken_file_is_repaired() {
        let folder = tempfile::tempdir().unwrap();
        let bricks = [[0.0, 0.0], [0.08, 0.0], [0.08, 0.03], [0.03, 0.03]];
        let ell = [&bricks[..], &[[0.03, 0.08], [0.0, 0.08]]].concat();
        let (_, body) = crate::sweep::extrusion(ell, 0.03).unwrap();
        let mesh = Mesh::new(body.vertices, body.triangles);
        let found = enclosed("it", mesh.clone(), 32, None).unwrap();
        let first = enclosed("it", mesh.clone(), 32, Some(folder.path())).unwrap();
        let kept = || {
            std::fs::read_dir(folder.path())
                .unwrap()
                .map(|f| f.unwrap().path())
        };
        let path = kept().next().expect("the parts are kept");
        let second = enclosed("it", mesh.clone(), 32, Some(folder.path())).unwrap();
        assert!(found == first && first == second);
        std::fs::write(&path, b"broken").unwrap();
        assert!(enclosed("it", mesh.clone(), 32, Some(folder.path())).unwrap() == found);
        assert!(
            std::fs::metadata(&path).unwrap().len() > 100,
            "the broken file was not written again"
        );
        // Another `max_parts` or size gives another file.
        enclosed("it", mesh.clone(), 2, Some(folder.path())).unwrap();
        let mut larger = mesh;
        larger.vertices.iter_mut().flatten().for_each(|x| *x *= 1.5);
        enclosed("it", larger, 32, Some(folder.path())).unwrap();
        assert_eq!(kept().count(), 3);
    }

    #[test]
    fn what_two_shells_enclose_counts_once() {
        let square = [[0.0, 0.0], [0.04, 0.0], [0.04, 0.04], [0.0, 0.04]];
        let (_, one) = crate::sweep::extrusion(square.to_vec(), 0.04).unwrap();
        for (shift, length) in [(0.02, 0.06), (0.0, 0.04)] {
            let n = u32::try_from(one.vertices.len()).unwrap();
            let other = one.vertices.iter().map(|[x, y, z]| [x + shift, *y, *z]);
            let vertices = one.vertices.iter().copied().chain(other).collect();
            let other = one.triangles.iter().map(|t| t.map(|i| i + n));
            let triangles = one.triangles.iter().copied().chain(other).collect();
            let both = Mesh::new(vertices, triangles);
            let (_, body, report) = solid("both", both, 1.0, 8).unwrap();
            let volume_m3 = length * 0.04 * 0.04;
            assert!(
                (body.volume_m3 / volume_m3 - 1.0).abs() < 0.01,
                "{} m³ instead of {volume_m3} m³",
                body.volume_m3
            );
            let moment = (length * length + 0.04 * 0.04) / 12.0;
            assert!((body.inertia_per_kg[1][1] / moment - 1.0).abs() < 0.02);
            assert!(
                report
                    .repairs
                    .iter()
                    .any(|text| text.contains("shells overlap"))
            );
        }
    }
}
