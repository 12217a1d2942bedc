//! Convex hulls of points.

use std::panic::{AssertUnwindSafe, catch_unwind};

use nalgebra::{Matrix3, Vector3};
use parry3d_f64::math::Vector;
use parry3d_f64::shape::ConvexPolyhedron;

/// Ratio of the points' smallest variance in any direction to the largest, below which the points
/// count as lying in a plane.
const FLAT: f64 = 1e-12;

/// Returns the convex hull of points; `None` if they span no volume or some are not finite.
pub fn polyhedron(points: &[[f64; 3]]) -> Option<ConvexPolyhedron> {
    if points.len() < 4 || points.iter().flatten().any(|x| !x.is_finite()) {
        return None;
    }
    let sum: Vector3<f64> = points.iter().map(|p| Vector3::from(*p)).sum();
    let centroid = sum / points.len() as f64;
    let spread = points.iter().fold(Matrix3::zeros(), |sum, p| {
        let off = Vector3::from(*p) - centroid;
        sum + off * off.transpose()
    });
    let extents = spread.symmetric_eigenvalues();
    if extents.min() <= FLAT * extents.max() {
        return None;
    }
    let points: Vec<Vector> = points.iter().map(|&p| Vector::from(p)).collect();
    // Parry asserts in some degenerate cases, and a file must not crash the program.
    catch_unwind(AssertUnwindSafe(|| {
        ConvexPolyhedron::from_convex_hull(&points)
    }))
    .ok()?
}

/// Returns the outward normal of each face of a hull, and a point on the face.
pub fn face_planes(hull: &ConvexPolyhedron) -> Vec<(Vector, Vector)> {
    let planes = hull.faces().iter().filter_map(|face| {
        let corners = hull.vertices_adj_to_face();
        let corner = corners.get(face.first_vertex_or_edge as usize)?;
        Some((face.normal, *hull.points().get(*corner as usize)?))
    });
    planes.collect()
}
