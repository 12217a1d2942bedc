//! Kinds made by sweeping a cross-section: meshes without a file.

use std::sync::Arc;

use regrasp_api::{Part, Pose, Shape};
use regrasp_mesh::{MeshBody, sweep};

use crate::error::SceneError;
use crate::fields::{Field, Fields, Sign};
use crate::keys::bad_shape;
use crate::solid::Solid;

/// `kind: extrusion`: an `outline` in the xy plane along z, `height` long, half of it below.
pub(crate) fn extrusion(object: &Fields<'_>) -> Result<Solid, SceneError> {
    let field = object.need("outline")?;
    let height = object.number("height", Sign::Length)?;
    let swept = sweep::extrusion(corners(&field)?, height);
    made(&field, "the extrusion", swept)
}

/// `kind: lathe`: a `profile` of corners [radius, z] turned about the z axis.
pub(crate) fn lathe(object: &Fields<'_>) -> Result<Solid, SceneError> {
    let field = object.need("profile")?;
    let mut corners = corners(&field)?;
    for corner in &mut corners {
        if corner[0] < -sweep::ON_AXIS_M {
            return Err(field.not_allowed(corner[0], "radii that are 0 or greater"));
        }
        if corner[0] < sweep::ON_AXIS_M {
            corner[0] = 0.0;
        }
    }
    made(&field, "the turned profile", sweep::lathe(corners))
}

/// `kind: torus`: a tube of radius `tube` around a circle of radius `radius`.
pub(crate) fn torus(object: &Fields<'_>) -> Result<Solid, SceneError> {
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
) -> Result<Solid, SceneError> {
    made(field, "the compound", sweep::joined(solids, parts))
}

fn corners(field: &Field<'_>) -> Result<Vec<[f64; 2]>, SceneError> {
    let corner = |item: Field<'_>| item.array::<2>(Sign::Coordinate);
    field.items()?.map(corner).collect()
}

fn made(
    field: &Field<'_>,
    what: &str,
    swept: Result<(Shape, MeshBody), String>,
) -> Result<Solid, SceneError> {
    let (shape, body) = swept.map_err(|message| bad_shape(field, what, message))?;
    Ok(Solid {
        mesh: Some(Arc::new(body)),
        ..shape.into()
    })
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
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
        // The share of a circle that a polygon of 20 corners on it covers.
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
