//! Turns geoms into collision parts.

use nalgebra::Point3;
use regrasp_api::{Part, Pose, Shape};
use regrasp_scene::Visual;

use crate::MjcfError;
use crate::model::{Geom, GeomForm};

pub(super) fn part(geom: &Geom, object_from_geom: &Pose) -> Result<Part, MjcfError> {
    /// Half size of an infinite plane, and thickness of any plane, m.
    const PLANE_M: [f64; 2] = [10.0, 0.1];
    let mut object_from_part = *object_from_geom;
    let shape = match &geom.form {
        GeomForm::Plane { half } => {
            object_from_part *= Pose::translation(0.0, 0.0, -0.5 * PLANE_M[1]);
            let [x, y] = half.map(|h| if h > 0.0 { h } else { PLANE_M[0] });
            Shape::cuboid([x, y, 0.5 * PLANE_M[1]])
        }
        GeomForm::Solid(shape) => shape.clone(),
        GeomForm::Ellipsoid { radii } => hull(geom, &regrasp_mesh::ellipsoid(*radii).positions)?,
        GeomForm::Mesh(mesh) => hull(geom, &mesh.surface.positions)?,
    };
    Ok(Part::new(object_from_part, shape))
}

fn hull(geom: &Geom, positions: &[[f32; 3]]) -> Result<Shape, MjcfError> {
    let points: Vec<[f64; 3]> = positions.iter().map(|p| p.map(f64::from)).collect();
    regrasp_mesh::convex_hull(&points).map_err(|message| {
        geom.place
            .error(format!("its convex hull, used for collisions: {message}"))
    })
}

pub(super) fn hull_of(visuals: &[Visual]) -> Option<Part> {
    let points = visuals.iter().flat_map(|visual| {
        let corners = visual.surface.positions.iter();
        corners.map(|p| {
            (visual.frame_from_visual * Point3::from(p.map(f64::from)))
                .coords
                .into()
        })
    });
    let points: Vec<[f64; 3]> = points.collect();
    let shape = regrasp_mesh::convex_hull(&points).ok()?;
    Some(Part::new(Pose::identity(), shape))
}
