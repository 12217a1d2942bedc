//! Distances to solids, and points on them.

use nalgebra::{Point3, Vector2, Vector3};
use regrasp_api::{Pose, Shape};

/// Signed distance of a point (object frame) from a shape, m; `None` for a shape without a formula.
pub(crate) fn distance(shape: &Shape, p: &Point3<f64>) -> Option<f64> {
    Some(match shape {
        Shape::Box { half_extents } => {
            let q = Vector3::from_fn(|i, _| p[i].abs() - half_extents[i]);
            q.map(|x| x.max(0.0)).norm() + q.max().min(0.0)
        }
        Shape::Sphere { radius } => p.coords.norm() - radius,
        Shape::Cylinder(rod) => {
            let q = Vector2::new(p.x.hypot(p.y) - rod.radius, p.z.abs() - rod.half_height);
            q.map(|x| x.max(0.0)).norm() + q.max().min(0.0)
        }
        Shape::Capsule(_)
        | Shape::Convex { .. }
        | Shape::Compound { .. }
        | Shape::HeightField(_)
        | Shape::PointCloud { .. } => return None,
    })
}

/// Depth of a point (object frame) below the surface of a shape, m; 0 outside, and for shapes
/// without a formula.
pub(crate) fn depth_in(shape: &Shape, p: &Point3<f64>) -> f64 {
    if let Shape::Compound { parts } = shape {
        let depths = parts.iter().map(|part| {
            let in_part = part.object_from_part.inverse_transform_point(p);
            depth_in(&part.shape, &in_part)
        });
        return depths.fold(0.0, f64::max);
    }
    distance(shape, p).map_or(0.0, |d| (-d).max(0.0))
}

/// Distance of a point from the surface of a placed shape, m. For shapes without a formula it is
/// the distance from the bounding box, 0 inside.
pub(crate) fn gap(shape: &Shape, world_from_object: &Pose, p: &Point3<f64>) -> f64 {
    let local = world_from_object.inverse_transform_point(p);
    distance(shape, &local).map_or_else(
        || {
            let aabb = shape.aabb(&Pose::identity());
            let out = Vector3::from_fn(|i, _| (aabb.min[i] - local[i]).max(local[i] - aabb.max[i]));
            out.map(|x| x.max(0.0)).norm()
        },
        f64::abs,
    )
}

/// Distance of a point from a placed shape's surface, m. For compounds it is that of the nearest
/// part, so that the inside of a bowl does not belong to the bowl.
pub(crate) fn surface_gap(shape: &Shape, world_from_object: &Pose, p: &Point3<f64>) -> f64 {
    let Shape::Compound { parts } = shape else {
        return gap(shape, world_from_object, p);
    };
    let gaps = parts.iter().map(|part| {
        let world_from_part = world_from_object * part.object_from_part;
        surface_gap(&part.shape, &world_from_part, p)
    });
    gaps.fold(f64::INFINITY, f64::min)
}

/// Points in World on all faces of the bounding box of a placed shape.
pub(crate) fn samples(shape: &Shape, world_from_object: &Pose) -> Vec<Point3<f64>> {
    const STEPS: [f64; 5] = [-0.8, -0.4, 0.0, 0.4, 0.8];
    let aabb = shape.aabb(&Pose::identity());
    let (center, size) = (aabb.center(), aabb.size());
    let mut points = Vec::new();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            for s in STEPS {
                for t in STEPS {
                    let mut at = Vector3::zeros();
                    at[axis] = sign;
                    at[(axis + 1) % 3] = s;
                    at[(axis + 2) % 3] = t;
                    let local = center + 0.5 * size.component_mul(&at);
                    points.push(world_from_object * local);
                }
            }
        }
    }
    points
}
