//! Queries about solids. Only this module of the crate depends on parry.

use parry3d_f64::math as glam;
use parry3d_f64::query::{self, ShapeCastOptions};
use parry3d_f64::shape::SharedShape;
use regrasp_api::{Pose, Shape};
use regrasp_geometry_parry::{Use, solids, to_parry};

/// Returns the penetration depth of two shapes, m; `None` if they do not overlap.
pub fn overlap_depth(
    a: &Shape,
    world_from_a: &Pose,
    b: &Shape,
    world_from_b: &Pose,
) -> Option<f64> {
    if !aabbs_within(a, world_from_a, b, world_from_b, 0.0) {
        return None;
    }
    let (a, b) = (placed(a, world_from_a), placed(b, world_from_b));
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    let depths = pairs
        .filter_map(|((at_a, a), (at_b, b))| query::contact(at_a, &**a, at_b, &**b, 0.0).ok()?);
    depths.map(|contact| -contact.dist).reduce(f64::max)
}

/// Returns true if two shapes are at most `gap_m` apart.
pub(crate) fn within(
    a: &Shape,
    world_from_a: &Pose,
    b: &Shape,
    world_from_b: &Pose,
    gap_m: f64,
) -> bool {
    if !aabbs_within(a, world_from_a, b, world_from_b, gap_m) {
        return false;
    }
    let (a, b) = (placed(a, world_from_a), placed(b, world_from_b));
    a.iter().any(|(at_a, a)| {
        b.iter().any(|(at_b, b)| {
            query::distance(at_a, &**a, at_b, &**b).is_ok_and(|d| d.distance <= gap_m)
        })
    })
}

/// Returns the distance along -z, m, by which `top` can sink until it touches `below`; `None` if it
/// does not touch within `at_most_m`.
pub fn drop_distance(
    top: &Shape,
    world_from_top: &Pose,
    below: &Shape,
    world_from_below: &Pose,
    at_most_m: f64,
) -> Option<f64> {
    let (top, below) = (placed(top, world_from_top), placed(below, world_from_below));
    let options = ShapeCastOptions::with_max_time_of_impact(at_most_m);
    let (down, rest) = (-glam::Vector::Z, glam::Vector::ZERO);
    let pairs = top.iter().flat_map(|t| below.iter().map(move |b| (t, b)));
    let hits = pairs.filter_map(|((at_top, top), (at_below, below))| {
        query::cast_shapes(at_top, down, &**top, at_below, rest, &**below, options).ok()?
    });
    hits.map(|hit| hit.time_of_impact).reduce(f64::min)
}

/// Volume in m³; overlapping parts count twice, height fields and point clouds have none.
pub(crate) fn volume(shape: &Shape) -> f64 {
    let solids = placed(shape, &Pose::identity()).into_iter();
    let masses = solids.map(|(_, solid)| solid.mass_properties(1.0).mass());
    masses.sum()
}

fn aabbs_within(a: &Shape, world_from_a: &Pose, b: &Shape, world_from_b: &Pose, gap: f64) -> bool {
    let (a, b) = (a.aabb(world_from_a), b.aabb(world_from_b));
    (0..3).all(|i| a.min[i] - gap <= b.max[i] && b.min[i] - gap <= a.max[i])
}

/// Converts to parry's shapes. A shape without volume gives none, since it overlaps nothing.
fn placed(shape: &Shape, world_from_shape: &Pose) -> Vec<(glam::Pose, SharedShape)> {
    let solids = solids(shape, world_from_shape, Use::Queries);
    let solids = solids.into_iter().flatten();
    let shapes = solids.map(|solid| (to_parry(&solid.frame_from_solid), solid.shape));
    shapes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBE: Shape = Shape::cuboid([0.02; 3]);

    #[test]
    fn cubes_overlap_by_what_one_would_measure() {
        let a = Pose::translation(0.3, -0.2, 0.1);
        let depth =
            |dx: f64| overlap_depth(&CUBE, &a, &CUBE, &(Pose::translation(dx, 0.0, 0.0) * a));
        assert!((depth(0.037).unwrap() - 0.003).abs() < 1e-9);
        assert_eq!(depth(0.041), None);
    }

    #[test]
    fn a_cylinder_stands_along_z() {
        let tall = Shape::cylinder(0.03, 0.05);
        let apart = |z: f64| {
            let above = Pose::translation(0.0, 0.0, z);
            within(&tall, &Pose::identity(), &CUBE, &above, 1e-4)
        };
        assert!(apart(0.07) && !apart(0.071), "5 cm + 2 cm = 7 cm");
        assert!((volume(&tall) - std::f64::consts::PI * 0.03f64.powi(2) * 0.1).abs() < 1e-9);
    }

    #[test]
    fn a_relief_bears_what_stands_on_it() {
        let relief = Shape::HeightField(regrasp_api::HeightField {
            size: [0.4, 0.2],
            heights: vec![vec![0.0; 3], vec![0.05; 3], vec![0.0; 3]],
            bottom: -0.02,
        });
        let above = Pose::translation(0.0, 0.0, 0.2);
        let drop = drop_distance(&CUBE, &above, &relief, &Pose::identity(), 0.5).unwrap();
        assert!((drop - (0.2 - 0.02 - 0.05)).abs() < 1e-3, "{drop}");
        let cloud = Shape::PointCloud {
            points: vec![[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]],
            radius: 0.01,
        };
        let depth = |x: f64| {
            let at = Pose::translation(x, 0.0, 0.0);
            overlap_depth(&CUBE, &at, &cloud, &Pose::identity())
        };
        assert!((depth(0.128).unwrap() - 0.002).abs() < 1e-9);
        assert_eq!(depth(0.131), None);
    }
}
