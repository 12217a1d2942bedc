//! `kind: mesh`, and other kinds made from the triangles of a file.

use std::sync::Arc;

use regrasp_api::Shape;
use regrasp_mesh::{FURTHEST_M, LONGEST_M, Mesh, MeshReport, Up};

use crate::SceneError;
use crate::fields::{Field, Fields, Sign};
use crate::keys::{bad_shape, from_file, scale};
use crate::solid::Solid;
use crate::source::Source;

/// Default limit on the number of convex parts: in effect as many as needed.
const MAX_PARTS: f64 = 256.0;

pub(crate) fn object(object: &Fields<'_>, source: &Source) -> Result<Solid, SceneError> {
    let field = object.need("file")?;
    let max_parts = max_parts(object)?;
    let longest_m = if object.flag("fixed")? {
        FURTHEST_M
    } else {
        LONGEST_M
    };
    let mut mesh = scaled(object, &field, source)?;
    let name = field.text()?;
    if object.flag("flip")? {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    let (shape, body, report) = regrasp_mesh::solid(name, mesh, longest_m, max_parts)
        .map_err(|message| bad_shape(&field, &format!("the mesh `{name}`"), message))?;
    Ok(Solid {
        shape,
        mesh: Some(Arc::new(body)),
        report: Some(Arc::new(report)),
    })
}

pub(crate) fn decomposition(object: &Fields<'_>, source: &Source) -> Result<Solid, SceneError> {
    let max_parts = max_parts(object)?;
    let field = object.need("mesh")?;
    let mesh = open(object, source)?;
    let (shape, report) = regrasp_mesh::decomposition(field.text()?, mesh, max_parts)
        .map_err(|message| bad_shape(&field, "the convex decomposition", message))?;
    Ok(split(shape, report))
}

/// Reads `kind: convex` of a file.
pub(crate) fn hull(object: &Fields<'_>, source: &Source) -> Result<Solid, SceneError> {
    let field = object.need("mesh")?;
    let (shape, report) = regrasp_mesh::hull_of(open(object, source)?)
        .map_err(|message| bad_shape(&field, "the convex hull", message))?;
    Ok(split(shape, report))
}

fn split(shape: Shape, report: MeshReport) -> Solid {
    Solid {
        report: Some(Arc::new(report)),
        ..shape.into()
    }
}

/// Reads `mesh` and `scale` of kinds that need no closed surface.
fn open(object: &Fields<'_>, source: &Source) -> Result<Mesh, SceneError> {
    let field = object.need("mesh")?;
    let mesh = scaled(object, &field, source)?;
    let what = format!("the mesh `{}`", field.text()?);
    regrasp_mesh::check_size(&mesh, FURTHEST_M)
        .map_err(|message| bad_shape(&field, &what, message))?;
    Ok(mesh)
}

fn max_parts(object: &Fields<'_>) -> Result<u32, SceneError> {
    let (key, allowed) = ("max_parts", "from 1 to 256");
    let n = object.number_in(key, Sign::Positive, MAX_PARTS, 1.0..=256.0, allowed)?;
    Ok(n as u32)
}

/// Reads the welded triangles of a file in metres, with z up.
fn scaled(object: &Fields<'_>, file: &Field<'_>, source: &Source) -> Result<Mesh, SceneError> {
    let mesh = from_file(file, source, "the mesh file", regrasp_mesh::read)?;
    let scale = scale(object, Sign::Positive)?;
    let mut mesh = mesh.with_z_up(up(object)?);
    for p in &mut mesh.vertices {
        *p = [0, 1, 2].map(|i| p[i] * scale[i]);
    }
    Ok(mesh.welded())
}

pub(crate) fn up(object: &Fields<'_>) -> Result<Option<Up>, SceneError> {
    let axes = [("y", Up::Y), ("z", Up::Z)];
    object.maybe("up", |field| field.choice("axis", &axes))
}
