//! Objects whose shape is a mesh: read from a file, or swept by a cross-section.
//!
//! One file becomes two things that belong together: convex parts, which stand for the object
//! in every question about contact (as the parts of any compound do), and a [`MeshBody`], the
//! surface that is drawn and where its mass is.

mod body;
mod gltf;
mod outline;
mod read;
mod repair;
mod report;
mod surface;
mod swept;
mod triangles;

use std::sync::Arc;

use regrasp_api::{Part, Pose, Shape};

pub use body::MeshBody;
pub(crate) use body::shared;
pub use report::{MOST_OUTSIDE, MeshReport};
pub(crate) use swept::{extrusion, joined, lathe, torus};

use crate::fields::{Field, Fields, Sign};
use crate::keys::bad_shape;
use crate::source::Source;
use crate::{Problem, SceneError, geometry};
use geometry::{MAX_PART_CORNERS, Parts};
pub(crate) use gltf::surface as gltf_surface;
pub(crate) use read::{Format, loaded};
use triangles::Mesh;
pub(crate) use triangles::{MAX_TRIANGLES, read_bytes};

/// What can move is not longer, m: a file of millimetres that is read as metres is.
const LONGEST_M: f64 = 2.0;
/// Nothing is longer, or further from its own origin, m.
const FURTHEST_M: f64 = 10.0;
/// A solid is at least as thick, m, as any length in a scene file.
const THINNEST_M: f64 = 1e-4;
/// What encloses a smaller part of its bounding box is no solid.
const LEAST_FILL: f64 = 1e-4;
/// A solid that fills so much of its convex hull is taken for the hull.
const CONVEX_FILL: f64 = 0.995;

/// Convex parts, if the file does not say how many: as many as it takes.
const MAX_PARTS: f64 = 256.0;
/// To be raised whenever the same mesh is split in another way than before.
const PARTS_VERSION: u32 = 2;

/// Keys of `kind: mesh`.
pub(crate) const KEYS: &[&str] = &["file", "scale", "up", "flip", "max_parts"];

/// Reads an object of `kind: mesh`.
pub(crate) fn object(
    object: &Fields<'_>,
    source: &Source,
) -> Result<(Shape, Arc<MeshBody>, Arc<MeshReport>), SceneError> {
    let field = object.need("file")?;
    let max_parts = max_parts(object)?;
    let longest_m = if object.flag("fixed")? {
        FURTHEST_M
    } else {
        LONGEST_M
    };
    let mut mesh = surface::welded(&scaled(object, &field, source)?);
    let name = field.text()?;
    let what = format!("the mesh `{name}`");
    let bad = |message: String| bad_shape(&field, &what, message);
    if object.flag("flip")? {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    check_size(&mesh, longest_m).map_err(bad)?;
    let n_triangles = mesh.triangles.len();
    let (mesh, mended) = mended(mesh).map_err(bad)?;
    let folder = regrasp_cache::folder();
    let (shape, body, split) = solid(name, mesh, max_parts, folder.as_deref()).map_err(bad)?;
    let mut report = MeshReport::new(n_triangles, true, mended, &split);
    report.volume_m3 = body.volume_m3;
    Ok((shape, Arc::new(body), Arc::new(report)))
}

/// A closed surface and what was mended of it, or its flaw.
fn mended(mesh: Mesh) -> Result<(Mesh, Vec<String>), String> {
    let Some(flaw) = surface::flaw(&mesh) else {
        return Ok((mesh, Vec::new()));
    };
    let (repaired, told) = repair::repaired(&mesh);
    match (surface::flaw(&repaired), repair::widest_hole(&repaired)) {
        (None, _) => Ok((repaired, told)),
        (Some(_), Some((wide_m, [x, y, z]))) => Err(format!(
            "{flaw}; only small holes are closed here, and the widest is {:.0} mm across, around \
             ({x:.3}, {y:.3}, {z:.3}) m",
            1e3 * wide_m
        )),
        (Some(_), None) => Err(flaw),
    }
}

/// Reads `mesh` and `scale` of kinds that need no closed surface.
pub(crate) fn open(object: &Fields<'_>, source: &Source) -> Result<Mesh, SceneError> {
    let field = object.need("mesh")?;
    let mesh = surface::welded(&scaled(object, &field, source)?);
    let what = format!("the mesh `{}`", field.text()?);
    check_size(&mesh, FURTHEST_M).map_err(|message| bad_shape(&field, &what, message))?;
    Ok(mesh)
}

/// Convex parts of any triangles, as a shape.
pub(crate) fn parts(
    name: &str,
    mesh: Mesh,
    max_parts: u32,
) -> Result<(Shape, Arc<MeshReport>), String> {
    let n_triangles = mesh.triangles.len();
    let (mesh, is_closed, mended) = match mended(mesh.clone()) {
        Ok((mesh, mended)) => (mesh, true, mended),
        Err(_) => (mesh, false, Vec::new()),
    };
    let folder = regrasp_cache::folder();
    let split = split(name, &mesh, is_closed, max_parts, folder.as_deref())?;
    let report = MeshReport::new(n_triangles, is_closed, mended, &split);
    Ok((compound(split.parts), Arc::new(report)))
}

/// The convex hull of any triangles.
pub(crate) fn hull(mesh: Mesh) -> Result<(Shape, Arc<MeshReport>), String> {
    let n_triangles = mesh.triangles.len();
    let points = geometry::hull_points(&mesh.vertices)?;
    let (mesh, is_closed) = match mended(mesh.clone()) {
        Ok((mesh, _)) => (mesh, true),
        Err(_) => (mesh, false),
    };
    let split = geometry::one_part(&mesh.vertices, &mesh.triangles, is_closed, points.clone());
    let report = MeshReport::new(n_triangles, is_closed, Vec::new(), &split);
    Ok((Shape::Convex { points }, Arc::new(report)))
}

/// Convex parts, from the cache if they are there.
fn split(
    name: &str,
    mesh: &Mesh,
    is_closed: bool,
    max_parts: u32,
    cache: Option<&std::path::Path>,
) -> Result<Parts, String> {
    let mut key = regrasp_cache::Key::new("convex parts", PARTS_VERSION);
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
        let start = std::time::Instant::now();
        let found = geometry::convex_parts(&mesh.vertices, &mesh.triangles, is_closed, max_parts)?;
        tracing::info!(
            target: "prepare",
            "`{name}`: {} convex parts, {:.1} % outside of it, after {:.1} s{}",
            found.parts.len(),
            100.0 * found.outside,
            start.elapsed().as_secs_f64(),
            if cache.is_some() { "; kept in the cache" } else { "" }
        );
        Ok(found)
    })
}

/// How many convex parts there may be.
pub(crate) fn max_parts(object: &Fields<'_>) -> Result<u32, SceneError> {
    let max_parts = object.number_or("max_parts", Sign::Positive, MAX_PARTS)?;
    if !(1.0..=256.0).contains(&max_parts) {
        return Err(object
            .need("max_parts")?
            .not_allowed(max_parts, "from 1 to 256"));
    }
    // The bounds were just checked, and a fraction means its whole part.
    Ok(max_parts as u32)
}

/// The triangles of a file in metres, with z up.
fn scaled(object: &Fields<'_>, file: &Field<'_>, source: &Source) -> Result<Mesh, SceneError> {
    let path = source.join(file.text()?);
    let (mut mesh, format) = read::read(&path).map_err(|message| {
        file.error(Problem::BadReference {
            what: "the mesh file",
            path: path.name(),
            message,
        })
    })?;
    let scale = scale(object)?;
    let is_y_up = is_y_up(object, format)?;
    for p in &mut mesh.vertices {
        let [x, y, z] = *p;
        let turned = if is_y_up { [x, -z, y] } else { [x, y, z] };
        *p = [0, 1, 2].map(|i| turned[i] * scale[i]);
    }
    Ok(mesh)
}

/// One factor, or one for each axis of the object.
fn scale(object: &Fields<'_>) -> Result<[f64; 3], SceneError> {
    match object.get("scale") {
        None => Ok([1.0; 3]),
        Some(field) if matches!(field.node.value, crate::yaml::Value::List(_)) => {
            field.array::<3>(Sign::Positive)
        }
        Some(field) => Ok([field.number(Sign::Positive)?; 3]),
    }
}

/// glTF says that y is up; the other formats say nothing.
fn is_y_up(object: &Fields<'_>, format: Format) -> Result<bool, SceneError> {
    let Some(field) = object.get("up") else {
        return Ok(format == Format::Gltf);
    };
    match field.text()? {
        "y" => Ok(true),
        "z" => Ok(false),
        word => Err(field.error(Problem::unknown_word("axis", word, ["y", "z"]))),
    }
}

fn check_size(mesh: &Mesh, longest_m: f64) -> Result<(), String> {
    let bound = |pick: fn(f64, f64) -> f64, start: f64| {
        [0, 1, 2].map(|i| mesh.vertices.iter().map(|p| p[i]).fold(start, pick))
    };
    let (min, max) = (
        bound(f64::min, f64::INFINITY),
        bound(f64::max, f64::NEG_INFINITY),
    );
    let size = [0, 1, 2].map(|i| max[i] - min[i]);
    let [longest, furthest] = [&size[..], &[min, max].concat()]
        .map(|list| list.iter().fold(0.0f64, |m, x| m.max(x.abs())));
    let [x, y, z] = size;
    if mesh.triangles.is_empty() {
        Err("all of its triangles are points or lines".to_owned())
    } else if longest > longest_m {
        Err(format!(
            "it is {x:.3} x {y:.3} x {z:.3} m, longer than {longest_m} m; is it in millimetres? \
             then set `scale: 0.001`"
        ))
    } else if furthest > FURTHEST_M {
        Err(format!(
            "it reaches {furthest:.1} m from its origin, more than {FURTHEST_M} m"
        ))
    } else if longest < 10.0 * THINNEST_M {
        Err(format!(
            "it is only {:.2e} m long; `scale` multiplies what the file says to give metres",
            longest
        ))
    } else if let Some(i) = (0..3).find(|&i| size[i] < THINNEST_M) {
        Err(format!(
            "it is flat: {:.1e} m along {}, less than {THINNEST_M} m",
            size[i],
            ["x", "y", "z"][i]
        ))
    } else {
        Ok(())
    }
}

/// The solid inside a closed surface.
fn solid(
    name: &str,
    mesh: Mesh,
    max_parts: u32,
    cache: Option<&std::path::Path>,
) -> Result<(Shape, MeshBody, Parts), String> {
    let moments = body::moments(&mesh.vertices, &mesh.triangles);
    let hull = geometry::hull_points(&mesh.vertices)?;
    let hull_volume = geometry::hull_volume(&hull);
    if moments.volume < 0.0 {
        return Err(format!(
            "it is inside out: its triangles enclose {:.3e} m³; turn its faces around in a \
             modelling program, or set `flip: true`",
            moments.volume
        ));
    }
    // Also true of what is not a number.
    let is_solid = moments.volume > LEAST_FILL * hull_volume;
    let inertia = moments.inertia_per_kg.symmetric_eigenvalues();
    if !is_solid || inertia.min() <= 0.0 {
        return Err(format!(
            "its triangles enclose only {:.1e} m³, as if it were folded paper",
            moments.volume
        ));
    }
    let split = if moments.volume > CONVEX_FILL * hull_volume {
        let hull = geometry::slim(&hull);
        geometry::one_part(&mesh.vertices, &mesh.triangles, true, hull)
    } else {
        split(name, &mesh, true, max_parts, cache)?
    };
    let parts = split.parts.iter();
    let volume = parts.map(|part| geometry::hull_volume(part)).sum();
    let body = body(mesh, moments, volume);
    Ok((compound(split.parts.clone()), body, split))
}

/// The body of a surface whose convex parts are known.
fn of_parts(mesh: Mesh, parts_volume_m3: f64) -> Result<MeshBody, String> {
    check_size(&mesh, FURTHEST_M)?;
    if let Some(flaw) = surface::flaw(&mesh) {
        return Err(flaw);
    }
    let moments = body::moments(&mesh.vertices, &mesh.triangles);
    Ok(body(mesh, moments, parts_volume_m3))
}

fn body(mesh: Mesh, moments: body::Moments, parts_volume_m3: f64) -> MeshBody {
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

/// One part is a convex solid, several are a compound.
fn compound(mut parts: Vec<Vec<[f64; 3]>>) -> Shape {
    if parts.len() == 1
        && let Some(points) = parts.pop()
    {
        return Shape::Convex { points };
    }
    let part = |points| Part {
        object_from_part: Pose::identity(),
        shape: Shape::Convex { points },
    };
    Shape::Compound {
        parts: parts.into_iter().map(part).collect(),
    }
}

#[cfg(test)]
#[path = "../../../../../tests/common/solids.rs"]
mod solids;

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    #[test]
    fn kept_parts_are_those_that_were_found_and_a_broken_file_is_mended() {
        let folder = tempfile::tempdir().unwrap();
        let solids::Solid {
            vertices,
            triangles,
        } = solids::angle();
        let mesh = surface::welded(&Mesh {
            vertices,
            triangles,
        });
        let found = solid("it", mesh.clone(), 32, None).unwrap();
        let first = solid("it", mesh.clone(), 32, Some(folder.path())).unwrap();
        let kept = || {
            std::fs::read_dir(folder.path())
                .unwrap()
                .map(|f| f.unwrap().path())
        };
        let path = kept().next().expect("the parts are kept");
        let second = solid("it", mesh.clone(), 32, Some(folder.path())).unwrap();
        assert!(found == first && first == second);
        std::fs::write(&path, b"broken").unwrap();
        assert!(solid("it", mesh.clone(), 32, Some(folder.path())).unwrap() == found);
        assert!(
            std::fs::metadata(&path).unwrap().len() > 100,
            "it is mended"
        );
        // Another way to split it, and another size, are other files.
        solid("it", mesh.clone(), 2, Some(folder.path())).unwrap();
        let mut larger = mesh;
        larger.vertices.iter_mut().flatten().for_each(|x| *x *= 1.5);
        solid("it", larger, 32, Some(folder.path())).unwrap();
        assert_eq!(kept().count(), 3);
    }
}
