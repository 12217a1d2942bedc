//! Our shapes as parry's.

use std::sync::Arc;

use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::shape::SharedShape;
use regrasp_api::{Pose, Shape};
use regrasp_kinematics::Geometry;

use crate::terrain::Terrain;

/// The collision shape of an object; `None` for what spans no volume.
pub(crate) fn from_object(shape: &Shape) -> Option<SharedShape> {
    Some(match shape {
        Shape::Box {
            half_extents: [x, y, z],
        } => SharedShape::cuboid(*x, *y, *z),
        Shape::Sphere { radius } => SharedShape::ball(*radius),
        Shape::Cylinder {
            radius,
            half_height,
        } => z_cylinder(*radius, *half_height),
        Shape::Capsule {
            radius,
            half_height,
        } => SharedShape::capsule_z(*half_height, *radius),
        Shape::Convex { points } => {
            let points: Vec<_> = points
                .iter()
                .map(|[x, y, z]| Vector::new(*x, *y, *z))
                .collect();
            SharedShape::convex_hull(&points)?
        }
        Shape::Compound { parts } => {
            let parts: Option<Vec<_>> = parts
                .iter()
                .map(|part| Some((to_parry(&part.object_from_part), from_object(&part.shape)?)))
                .collect();
            SharedShape::compound(flatten(parts?))
        }
        Shape::HeightField(field) => SharedShape(Arc::new(Terrain::new(field)?)),
        Shape::PointCloud { points, radius } => cloud(points, *radius)?,
    })
}

/// Balls around points; `None` without any.
fn cloud(points: &[[f64; 3]], radius: f64) -> Option<SharedShape> {
    let ball = SharedShape::ball(radius);
    let at = |p: &[f64; 3]| ParryPose::from_translation(Vector::from(*p));
    let balls: Vec<_> = points.iter().map(|p| (at(p), ball.clone())).collect();
    (!balls.is_empty()).then(|| SharedShape::compound(balls))
}

/// The collision shape of a link; a mesh counts as its convex hull.
pub(crate) fn from_link(geometry: &Geometry) -> Option<SharedShape> {
    Some(match geometry {
        Geometry::Box {
            half_extents: [x, y, z],
        } => SharedShape::cuboid(*x, *y, *z),
        Geometry::Sphere { radius } => SharedShape::ball(*radius),
        Geometry::Cylinder {
            radius,
            half_length,
        } => z_cylinder(*radius, *half_length),
        Geometry::Capsule {
            radius,
            half_length,
        } => SharedShape::capsule_z(*half_length, *radius),
        Geometry::Mesh { vertices, .. } => {
            let points: Vec<_> = vertices
                .iter()
                .map(|p| Vector::new(p.x, p.y, p.z))
                .collect();
            SharedShape::convex_hull(&points)?
        }
    })
}

/// A rigid transform as parry's.
pub(crate) fn to_parry(pose: &Pose) -> ParryPose {
    let (t, r) = (&pose.translation, pose.rotation.coords);
    ParryPose::from_parts(
        Vector::new(t.x, t.y, t.z),
        Rotation::from_xyzw(r.x, r.y, r.z, r.w),
    )
}

/// The convex parts of a shape, and where they are in it.
pub(crate) fn convex_parts(shape: &SharedShape) -> Vec<(ParryPose, SharedShape)> {
    match shape.as_compound() {
        Some(compound) => compound.shapes().to_vec(),
        None => vec![(ParryPose::IDENTITY, shape.clone())],
    }
}

/// Parry's cylinders stand along y, ours along z.
fn z_cylinder(radius: f64, half_height: f64) -> SharedShape {
    let upright = Pose::rotation(nalgebra::Vector3::x() * std::f64::consts::FRAC_PI_2);
    SharedShape::compound(vec![(
        to_parry(&upright),
        SharedShape::cylinder(half_height, radius),
    )])
}

/// Parry refuses compounds inside compounds.
fn flatten(parts: Vec<(ParryPose, SharedShape)>) -> Vec<(ParryPose, SharedShape)> {
    let mut flat = Vec::with_capacity(parts.len());
    for (pose, shape) in parts {
        match shape.as_compound() {
            Some(inner) => {
                flat.extend(inner.shapes().iter().map(|(p, s)| (pose * *p, s.clone())));
            }
            None => flat.push((pose, shape)),
        }
    }
    flat
}
