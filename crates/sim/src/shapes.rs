//! Shapes of scenes and URDFs as collision shapes: convex ones, but for what only stands
//! around.

use nalgebra::{Isometry3, Rotation3, Translation3, UnitQuaternion, Vector3};
use rapier3d_f64::parry::utils::Array2;
use rapier3d_f64::prelude::SharedShape;
use regrasp_api::{HeightField, Pose, Shape};
use regrasp_kinematics::Geometry;

use crate::convert::{to_rapier, to_vector};

/// A shape and where it sits on its body.
pub(crate) struct Piece {
    pub(crate) body_from_shape: Pose,
    pub(crate) shape: SharedShape,
}

/// The pieces of an object's shape, or what is wrong with it.
pub(crate) fn object_pieces(shape: &Shape) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    collect(&Isometry3::identity(), shape, &mut pieces)?;
    if pieces.is_empty() {
        return Err("its shape has no parts".to_owned());
    }
    Ok(pieces)
}

fn collect(object_from_shape: &Pose, shape: &Shape, out: &mut Vec<Piece>) -> Result<(), String> {
    let piece = match shape {
        Shape::Box { half_extents: h } => {
            positive(h)?;
            upright(object_from_shape, SharedShape::cuboid(h[0], h[1], h[2]))
        }
        Shape::Sphere { radius } => {
            positive(&[*radius])?;
            upright(object_from_shape, SharedShape::ball(*radius))
        }
        Shape::Cylinder {
            radius,
            half_height,
        } => {
            positive(&[*radius, *half_height])?;
            along_z(
                object_from_shape,
                SharedShape::cylinder(*half_height, *radius),
            )
        }
        Shape::Capsule {
            radius,
            half_height,
        } => {
            positive(&[*radius, *half_height])?;
            upright(
                object_from_shape,
                SharedShape::capsule_z(*half_height, *radius),
            )
        }
        Shape::Convex { points } => {
            let points: Vec<_> = points.iter().map(|p| Vector3::from(*p)).collect();
            upright(object_from_shape, hull(&points)?)
        }
        Shape::Compound { parts } => {
            for part in parts {
                collect(
                    &(object_from_shape * part.object_from_part),
                    &part.shape,
                    out,
                )?;
            }
            return Ok(());
        }
        Shape::HeightField(field) => relief(object_from_shape, field)?,
        Shape::PointCloud { points, radius } => {
            positive(&[*radius])?;
            upright(object_from_shape, cloud(points, *radius)?)
        }
    };
    out.push(piece);
    Ok(())
}

/// The surface of a height field. Parry's lie in the plane of x and z, with y up, and their
/// rows follow z: its z, x and y are our x, y and z.
fn relief(object_from_shape: &Pose, field: &HeightField) -> Result<Piece, String> {
    if let Some(flaw) = field.flaw() {
        return Err(format!("as a height field it is wrong: {flaw}"));
    }
    let [nx, ny] = field.n_places();
    let by_columns = (0..ny).flat_map(|j| field.heights.iter().map(move |row| row[j]));
    let heights = Array2::new(nx, ny, by_columns.collect());
    let scale = Vector3::new(field.size[1], 1.0, field.size[0]);
    let turn = Rotation3::from_basis_unchecked(&[Vector3::y(), Vector3::z(), Vector3::x()]);
    let z_up_from_y_up = UnitQuaternion::from_rotation_matrix(&turn);
    Ok(upright(
        &(object_from_shape * Isometry3::from_parts(Translation3::identity(), z_up_from_y_up)),
        SharedShape::heightfield(heights, to_vector(&scale)),
    ))
}

/// Balls around points, as one shape with one tree over them.
fn cloud(points: &[[f64; 3]], radius: f64) -> Result<SharedShape, String> {
    if points.is_empty() || points.iter().flatten().any(|x| !x.is_finite()) {
        return Err("its points are none, or not all of them are numbers".to_owned());
    }
    let ball = SharedShape::ball(radius);
    let at = |p: &[f64; 3]| to_rapier(&Pose::translation(p[0], p[1], p[2]));
    let balls = points.iter().map(|p| (at(p), ball.clone()));
    Ok(SharedShape::compound(balls.collect()))
}

/// The convex piece of a link's collision geometry; a mesh becomes its convex hull.
pub(crate) fn link_piece(link_from_geometry: &Pose, geometry: &Geometry) -> Result<Piece, String> {
    let at = link_from_geometry;
    Ok(match geometry {
        Geometry::Box { half_extents: h } => {
            positive(h)?;
            upright(at, SharedShape::cuboid(h[0], h[1], h[2]))
        }
        Geometry::Sphere { radius } => {
            positive(&[*radius])?;
            upright(at, SharedShape::ball(*radius))
        }
        Geometry::Cylinder {
            radius,
            half_length,
        } => {
            positive(&[*radius, *half_length])?;
            along_z(at, SharedShape::cylinder(*half_length, *radius))
        }
        Geometry::Capsule {
            radius,
            half_length,
        } => {
            positive(&[*radius, *half_length])?;
            upright(at, SharedShape::capsule_z(*half_length, *radius))
        }
        Geometry::Mesh { vertices, .. } => {
            let points: Vec<_> = vertices.iter().map(|p| p.coords).collect();
            upright(at, hull(&points)?)
        }
    })
}

fn upright(body_from_shape: &Pose, shape: SharedShape) -> Piece {
    Piece {
        body_from_shape: *body_from_shape,
        shape,
    }
}

/// Ours stand along z, parry's along y.
fn along_z(body_from_shape: &Pose, shape: SharedShape) -> Piece {
    let z_from_y = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    upright(
        &(body_from_shape * Isometry3::from_parts(Translation3::identity(), z_from_y)),
        shape,
    )
}

fn positive(sizes: &[f64]) -> Result<(), String> {
    match sizes.iter().find(|s| !(s.is_finite() && **s > 0.0)) {
        Some(size) => Err(format!(
            "a size of its shape is {size} m, not a positive length"
        )),
        None => Ok(()),
    }
}

fn hull(points: &[Vector3<f64>]) -> Result<SharedShape, String> {
    let flat = || {
        format!(
            "{} points that span no volume have no convex hull",
            points.len()
        )
    };
    if points.len() < 4 || points.iter().any(|p| p.iter().any(|x| !x.is_finite())) {
        return Err(flat());
    }
    // parry's hull asserts on degenerate input, so what it cannot do is refused here.
    let centroid = points.iter().sum::<Vector3<f64>>() / points.len() as f64;
    let spread = points.iter().fold(nalgebra::Matrix3::zeros(), |sum, p| {
        sum + (p - centroid) * (p - centroid).transpose()
    });
    let extents = spread.symmetric_eigenvalues();
    if extents.min() <= 1e-12 * extents.max() {
        return Err(flat());
    }
    let points: Vec<_> = points.iter().map(to_vector).collect();
    SharedShape::convex_hull(&points).ok_or_else(flat)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_a_plane_have_no_hull() {
        let square = Shape::Convex {
            points: vec![
                [0.0, 0.0, 0.1],
                [1.0, 0.0, 0.1],
                [1.0, 1.0, 0.1],
                [0.0, 1.0, 0.1],
            ],
        };
        let problem = object_pieces(&square).err();
        assert!(problem.is_some_and(|p| p.contains("no volume")));
    }
}
