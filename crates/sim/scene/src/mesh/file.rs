//! `kind: mesh`, and what else is made of the triangles of a file.

use std::sync::Arc;

use regrasp_api::Shape;
use regrasp_mesh::{FURTHEST_M, LONGEST_M, Mesh, MeshBody, MeshReport, Up};

use crate::error::{Problem, SceneError};
use crate::fields::{Field, Fields, Sign};
use crate::keys::bad_shape;
use crate::source::Source;
use crate::yaml::Value;

/// Convex parts, if the file does not say how many: as many as it takes.
const MAX_PARTS: f64 = 256.0;

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
    let mut mesh = scaled(object, &field, source)?;
    let name = field.text()?;
    if object.flag("flip")? {
        mesh.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    }
    let (shape, body, report) = regrasp_mesh::solid(name, mesh, longest_m, max_parts)
        .map_err(|message| bad_shape(&field, &format!("the mesh `{name}`"), message))?;
    Ok((shape, Arc::new(body), Arc::new(report)))
}

/// Reads `kind: decomposition`.
pub(crate) fn decomposition(
    object: &Fields<'_>,
    source: &Source,
) -> Result<(Shape, Arc<MeshReport>), SceneError> {
    let max_parts = max_parts(object)?;
    let field = object.need("mesh")?;
    let mesh = open(object, source)?;
    let (shape, report) = regrasp_mesh::decomposition(field.text()?, mesh, max_parts)
        .map_err(|message| bad_shape(&field, "the convex decomposition", message))?;
    Ok((shape, Arc::new(report)))
}

/// Reads `kind: convex` of a file.
pub(crate) fn hull(
    object: &Fields<'_>,
    source: &Source,
) -> Result<(Shape, Arc<MeshReport>), SceneError> {
    let field = object.need("mesh")?;
    let (shape, report) = regrasp_mesh::hull_of(open(object, source)?)
        .map_err(|message| bad_shape(&field, "the convex hull", message))?;
    Ok((shape, Arc::new(report)))
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

/// The most convex parts that there may be.
fn max_parts(object: &Fields<'_>) -> Result<u32, SceneError> {
    let max_parts = object.number_or("max_parts", Sign::Positive, MAX_PARTS)?;
    if !(1.0..=256.0).contains(&max_parts) {
        return Err(object
            .need("max_parts")?
            .not_allowed(max_parts, "from 1 to 256"));
    }
    // The bounds were just checked, and a fraction means its whole part.
    Ok(max_parts as u32)
}

/// The welded triangles of a file in metres, with z up.
fn scaled(object: &Fields<'_>, file: &Field<'_>, source: &Source) -> Result<Mesh, SceneError> {
    let path = source.join(file.text()?);
    let read = match &path {
        Source::File(path) => regrasp_mesh::read(path).map_err(|error| error.to_string()),
        Source::Builtin(_) => Err("built-in scenes have no meshes".to_owned()),
    };
    let bad = |message: String| Problem::bad_reference("the mesh file", &path.name(), &message);
    let mut mesh = read.map_err(|message| file.error(bad(message)))?;
    let scale = scale(object)?;
    mesh = mesh.with_z_up(up(object)?);
    for p in &mut mesh.vertices {
        *p = [0, 1, 2].map(|i| p[i] * scale[i]);
    }
    Ok(mesh.welded())
}

/// One factor, or one for each axis of the object.
fn scale(object: &Fields<'_>) -> Result<[f64; 3], SceneError> {
    match object.get("scale") {
        None => Ok([1.0; 3]),
        Some(field) if matches!(field.node.value, Value::List(_)) => {
            field.array::<3>(Sign::Positive)
        }
        Some(field) => Ok([field.number(Sign::Positive)?; 3]),
    }
}

/// The axis that points up, if the scene file says so.
pub(crate) fn up(object: &Fields<'_>) -> Result<Option<Up>, SceneError> {
    let axes = [("y", Up::Y), ("z", Up::Z)];
    let up = object.get("up").map(|field| field.choice("axis", &axes));
    up.transpose()
}
