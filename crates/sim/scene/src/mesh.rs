//! Objects with a mesh, read from a file or swept by a cross-section.
//!
//! One file becomes two things: convex parts, which represent the object in every contact query
//! (like the parts of any compound), and a [`MeshBody`], the surface to draw with its mass
//! distribution.

use std::sync::Arc;

use regrasp_api::{Aabb, Part, Pose, Shape};
use regrasp_mesh::{FURTHEST_M, LONGEST_M, Mesh, MeshBody, MeshReport, Up, sweep};

use crate::Result;
use crate::defs::Solid;
use crate::fields::{Field, Fields, Sign};
use crate::keys::{bad_shape, from_file, scale};
use crate::source::Source;

/// Default and largest limit on the number of convex parts, more than objects need.
const MAX_PARTS: f64 = 256.0;

pub(crate) fn object(object: &Fields<'_>, source: &Source) -> Result<Solid> {
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

pub(crate) fn decomposition(object: &Fields<'_>, source: &Source) -> Result<Solid> {
    let max_parts = max_parts(object)?;
    let field = object.need("mesh")?;
    let mesh = open(object, source)?;
    let (shape, report) = regrasp_mesh::decomposition(field.text()?, mesh, max_parts)
        .map_err(|message| bad_shape(&field, "the convex decomposition", message))?;
    Ok(split(shape, report))
}

/// Reads `kind: convex` of a file.
pub(crate) fn hull(object: &Fields<'_>, source: &Source) -> Result<Solid> {
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
fn open(object: &Fields<'_>, source: &Source) -> Result<Mesh> {
    let field = object.need("mesh")?;
    let mesh = scaled(object, &field, source)?;
    let what = format!("the mesh `{}`", field.text()?);
    regrasp_mesh::check_size(&mesh, FURTHEST_M)
        .map_err(|message| bad_shape(&field, &what, message))?;
    Ok(mesh)
}

fn max_parts(object: &Fields<'_>) -> Result<u32> {
    let is_count = |n: f64| n.fract() == 0.0 && n <= 256.0;
    let allowed = "a whole number from 1 to 256";
    let field = object.get("max_parts");
    let n = field.map(|field| field.number_if(Sign::Positive, is_count, allowed));
    Ok(n.transpose()?.unwrap_or(MAX_PARTS) as u32)
}

/// Reads the welded triangles of a file in metres, with z up.
fn scaled(object: &Fields<'_>, file: &Field<'_>, source: &Source) -> Result<Mesh> {
    let mesh = from_file(file, source, "the mesh file", regrasp_mesh::read)?;
    let scale = scale(object, Sign::Positive)?;
    let mut mesh = mesh.with_z_up(up(object)?);
    for p in &mut mesh.vertices {
        *p = [0, 1, 2].map(|i| p[i] * scale[i]);
    }
    if object.flag("center")? {
        let middle = Aabb::around(mesh.vertices.iter().copied()).center();
        for p in &mut mesh.vertices {
            *p = [0, 1, 2].map(|i| p[i] - middle[i]);
        }
    }
    Ok(mesh.welded())
}

pub(crate) fn up(object: &Fields<'_>) -> Result<Option<Up>> {
    let axes = [("y", Up::Y), ("z", Up::Z)];
    object.maybe("up", |field| field.choice("axis", &axes))
}

/// Reads `kind: extrusion`: an `outline` in the xy plane, extruded by half of `height` along z and
/// half along -z.
pub(crate) fn extrusion(object: &Fields<'_>) -> Result<Solid> {
    let field = object.need("outline")?;
    let height = object.number("height", Sign::Length)?;
    let swept = sweep::extrusion(corners(&field)?, height);
    made(&field, "the extrusion", swept)
}

/// Reads `kind: lathe`: a `profile` of corners [radius, z], revolved about the z axis.
pub(crate) fn lathe(object: &Fields<'_>) -> Result<Solid> {
    let field = object.need("profile")?;
    let mut corners = corners(&field)?;
    for corner in &mut corners {
        if corner[0] < -sweep::ON_AXIS_M {
            let got = format!("a list with the radius {}", corner[0]);
            return Err(field.not_allowed(
                got,
                "a list of [radius, z] with radii that are 0 or greater",
            ));
        }
        if corner[0] < sweep::ON_AXIS_M {
            corner[0] = 0.0;
        }
    }
    made(&field, "the turned profile", sweep::lathe(corners))
}

/// Reads `kind: torus`: a tube of radius `tube` around a circle of radius `radius`.
pub(crate) fn torus(object: &Fields<'_>) -> Result<Solid> {
    let radius = object.number("radius", Sign::Length)?;
    let field = object.need("tube")?;
    let tube = field.number(Sign::Length)?;
    if tube >= radius {
        return Err(field.not_allowed(tube, format!("less than the radius ({radius})")));
    }
    made(&field, "the torus", sweep::torus(radius, tube))
}

/// Joins swept solids, each with its pose in the object's frame, to one mesh.
pub(crate) fn joined(
    field: &Field<'_>,
    solids: &[(Pose, Arc<MeshBody>)],
    parts: Vec<Part>,
) -> Result<Solid> {
    made(field, "the compound", sweep::joined(solids, parts))
}

fn corners(field: &Field<'_>) -> Result<Vec<[f64; 2]>> {
    let corner = |item: Field<'_>| item.array::<2>(Sign::Coordinate);
    field.items()?.map(corner).collect()
}

fn made(field: &Field<'_>, what: &str, swept: Result<(Shape, MeshBody), String>) -> Result<Solid> {
    let (shape, body) = swept.map_err(|message| bad_shape(field, what, message))?;
    Ok(Solid {
        mesh: Some(Arc::new(body)),
        ..shape.into()
    })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};

    use super::*;
    use crate::geometry;

    #[test]
    fn a_torus_is_open_in_the_middle() {
        let text = "{radius: 0.04, tube: 0.012}";
        let node = crate::yaml::parse("f", text).unwrap();
        let object = Fields::new("f", &node, "a torus", &["radius", "tube"]).unwrap();
        let Solid { shape, mesh, .. } = torus(&object).unwrap();
        let body = mesh.unwrap();
        // Area of a regular polygon with 20 corners relative to its circumscribed circle.
        let filled = (TAU / 20.0).sin() * 20.0 / TAU;
        let volume = 2.0 * PI * PI * 0.04 * 0.012 * 0.012 * filled.powi(2);
        assert!((body.volume_m3 / volume - 1.0).abs() < 1e-6);
        let ball = Shape::Sphere { radius: 0.02 };
        let touches = |x: f64| {
            let there = Pose::translation(x, 0.0, 0.0);
            geometry::within(&shape, &Pose::identity(), &ball, &there, 0.0)
        };
        assert!(!touches(0.0) && touches(0.03));
    }
}
