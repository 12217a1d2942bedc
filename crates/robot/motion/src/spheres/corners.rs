//! Simplification of convex shapes. Links' meshes may have thousands of corners, and faces too
//! small for a sphere of their own.

use std::cmp::Ordering;
use std::f64::consts::PI;

use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::{ConvexPolyhedron, SupportMap};
use regrasp_geometry_parry::polyhedron;

/// Number of corners above which a shape is simplified.
const MANY: usize = 100;
/// Number of directions in which the outermost corners are kept.
const N_DIRECTIONS: usize = 40;
/// Distance by which the shape may exceed the hull of the kept corners, m. Corners are added until
/// it does not, or [`MANY`] are kept.
const LITTLE_M: f64 = 0.001;

/// Returns the hull of a subset of the corners, and the largest distance by which the shape exceeds
/// it, m; `None` if the shape has few corners.
pub(super) fn fewer(shape: &ConvexPolyhedron) -> Option<(ConvexPolyhedron, f64)> {
    if shape.points().len() <= MANY {
        return None;
    }
    let extents = shape.local_aabb().half_extents();
    // Directions are scaled by the extents, so that they are denser where the shape is flat.
    let kept = directions(N_DIRECTIONS).map(|d| {
        let direction = Vector::new(d.x / extents.x, d.y / extents.y, d.z / extents.z);
        shape.local_support_point(direction).into()
    });
    let mut kept: Vec<[f64; 3]> = kept.collect();
    kept.sort_by(|a, b| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    kept.dedup();
    loop {
        let simple = polyhedron(&kept)?;
        let out_m = |p: &Vector| simple.distance_to_local_point(*p, true);
        let points = shape.points().iter().map(|p| (out_m(p), *p));
        let (out_m, furthest) = points.max_by(|a, b| a.0.total_cmp(&b.0))?;
        if out_m <= LITTLE_M || kept.len() >= MANY {
            return Some((simple, out_m));
        }
        kept.push(furthest.into());
    }
}

/// Unit vectors spread evenly over the sphere: the golden-angle spiral.
pub(super) fn directions(n: usize) -> impl Iterator<Item = Vector> {
    let golden = PI * (3.0 - 5.0_f64.sqrt());
    (0..n).map(move |i| {
        let z = 1.0 - (2.0 * i as f64 + 1.0) / n as f64;
        let (r, turn) = ((1.0 - z * z).sqrt(), golden * i as f64);
        Vector::new(r * turn.cos(), r * turn.sin(), z)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spheres::economy::cover;
    use parry3d_f64::shape::SharedShape;

    /// A forearm as in a mesh: a rounded rod of 6 by 8 by 30 cm with 1,200 corners.
    fn forearm() -> ConvexPolyhedron {
        let ring = |i: usize| {
            let z = -0.15 + 0.3 * i as f64 / 29.0;
            let r = (1.0 - (z / 0.16).powi(4)).sqrt();
            (0..40).map(move |j| {
                let turn = 2.0 * PI * f64::from(j) / 40.0;
                [0.03 * r * turn.cos(), 0.04 * r * turn.sin(), z]
            })
        };
        polyhedron(&(0..30).flat_map(ring).collect::<Vec<_>>()).expect("a rod has a volume")
    }

    #[test]
    fn a_link_of_a_thousand_corners_is_covered_by_few_spheres() {
        let forearm = forearm();
        assert!(forearm.points().len() > 1000);
        let (simple, out_m) = fewer(&forearm).expect("it has many corners");
        assert!(simple.points().len() <= MANY);
        assert!(out_m < 0.003, "the shape exceeds the hull by {out_m:.4} m");
        let spheres = cover(&SharedShape::new(forearm.clone())).expect("a hull is covered");
        assert!(spheres.len() < 60, "{} spheres", spheres.len());
        for p in forearm.points() {
            let in_one = |s: &crate::spheres::cover::Cover| (*p - s.centre).length() <= s.radius;
            assert!(spheres.iter().any(in_one), "{p:?} is in no sphere");
        }
    }
}
