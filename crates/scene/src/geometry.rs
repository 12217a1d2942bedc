//! Questions about solids. The only module here that knows parry.

mod convex;
mod relief;

use nalgebra::Vector3;
use parry3d_f64::math as glam;
use parry3d_f64::query::{self, ShapeCastOptions};
use parry3d_f64::shape::SharedShape;
use regrasp_api::{Pose, Shape};

pub(crate) use convex::{MAX_PART_CORNERS, convex_parts, hull_points, hull_volume, slim};
use relief::block;

/// One convex solid, placed.
struct Solid {
    world_from_solid: glam::Pose,
    shape: SharedShape,
}

/// How deep two shapes are inside each other, m; `None` if they are not.
pub(crate) fn overlap_depth(
    a: &Shape,
    world_from_a: &Pose,
    b: &Shape,
    world_from_b: &Pose,
) -> Option<f64> {
    if !aabbs_within(a, world_from_a, b, world_from_b, 0.0) {
        return None;
    }
    let (a, b) = (solids(a, world_from_a), solids(b, world_from_b));
    let pairs = a.iter().flat_map(|a| b.iter().map(move |b| (a, b)));
    let depths = pairs.filter_map(|(a, b)| {
        let (pose_a, pose_b) = (&a.world_from_solid, &b.world_from_solid);
        query::contact(pose_a, &*a.shape, pose_b, &*b.shape, 0.0).ok()?
    });
    depths.map(|contact| -contact.dist).reduce(f64::max)
}

/// Whether two shapes are at most `gap_m` apart.
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
    let (a, b) = (solids(a, world_from_a), solids(b, world_from_b));
    a.iter().any(|a| {
        b.iter().any(|b| {
            let (pose_a, pose_b) = (&a.world_from_solid, &b.world_from_solid);
            query::distance(pose_a, &*a.shape, pose_b, &*b.shape).is_ok_and(|d| d.distance <= gap_m)
        })
    })
}

/// How far `top` can sink along -z before it touches `below`; `None` if it never
/// does.
pub(crate) fn drop_distance(
    top: &Shape,
    world_from_top: &Pose,
    below: &Shape,
    world_from_below: &Pose,
    at_most_m: f64,
) -> Option<f64> {
    let (top, below) = (solids(top, world_from_top), solids(below, world_from_below));
    let options = ShapeCastOptions::with_max_time_of_impact(at_most_m);
    let (down, rest) = (-glam::Vector::Z, glam::Vector::ZERO);
    let pairs = top.iter().flat_map(|t| below.iter().map(move |b| (t, b)));
    let hits = pairs.filter_map(|(t, b)| {
        let (pose_t, pose_b) = (&t.world_from_solid, &b.world_from_solid);
        query::cast_shapes(pose_t, down, &*t.shape, pose_b, rest, &*b.shape, options).ok()?
    });
    hits.map(|hit| hit.time_of_impact).reduce(f64::min)
}

/// Volume in m³; overlapping parts count twice.
pub(crate) fn volume(shape: &Shape) -> f64 {
    let solids = solids(shape, &Pose::identity());
    solids
        .iter()
        .map(|s| s.shape.mass_properties(1.0).mass())
        .sum()
}

/// The convex hull of points; an error says why there is none.
pub(crate) fn hull(points: &[[f64; 3]]) -> Result<Shape, String> {
    let points = hull_points(points)?;
    Ok(Shape::Convex { points })
}

fn aabbs_within(a: &Shape, world_from_a: &Pose, b: &Shape, world_from_b: &Pose, gap: f64) -> bool {
    let (a, b) = (a.aabb(world_from_a), b.aabb(world_from_b));
    (0..3).all(|i| a.min[i] - gap <= b.max[i] && b.min[i] - gap <= a.max[i])
}

fn solids(shape: &Shape, world_from_shape: &Pose) -> Vec<Solid> {
    let one = |shape: SharedShape, world_from_solid: Pose| {
        vec![Solid {
            world_from_solid: to_glam(&world_from_solid),
            shape,
        }]
    };
    // parry's cylinders stand along y, ours along z.
    let z_from_y =
        nalgebra::UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_2);
    let pose = *world_from_shape;
    match shape {
        Shape::Box { half_extents: h } => one(SharedShape::cuboid(h[0], h[1], h[2]), pose),
        Shape::Sphere { radius } => one(SharedShape::ball(*radius), pose),
        Shape::Cylinder {
            radius,
            half_height,
        } => one(
            SharedShape::cylinder(*half_height, *radius),
            pose * z_from_y,
        ),
        Shape::Capsule {
            radius,
            half_height,
        } => one(SharedShape::capsule_z(*half_height, *radius), pose),
        Shape::Convex { points } => {
            let points: Vec<_> = points.iter().map(|&p| glam::Vector::from(p)).collect();
            match SharedShape::convex_hull(&points) {
                Some(hull) => one(hull, pose),
                None => Vec::new(),
            }
        }
        Shape::Compound { parts } => parts
            .iter()
            .flat_map(|part| solids(&part.shape, &(pose * part.object_from_part)))
            .collect(),
        Shape::HeightField(field) => match block(field) {
            Some(block) => one(block, pose),
            None => Vec::new(),
        },
        Shape::PointCloud { points, radius } => {
            let ball = SharedShape::ball(*radius);
            let at = |&p: &[f64; 3]| glam::Pose::from_translation(glam::Vector::from(p));
            let balls: Vec<_> = points.iter().map(|p| (at(p), ball.clone())).collect();
            match balls.is_empty() {
                true => Vec::new(),
                false => one(SharedShape::compound(balls), pose),
            }
        }
    }
}

fn to_glam(pose: &Pose) -> glam::Pose {
    let (t, q) = (pose.translation.vector, pose.rotation.coords);
    glam::Pose::from_parts(
        glam::Vector::new(t.x, t.y, t.z),
        glam::Rotation::from_xyzw(q.x, q.y, q.z, q.w),
    )
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    const CUBE: Shape = Shape::Box {
        half_extents: [0.02; 3],
    };

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
        let tall = Shape::Cylinder {
            radius: 0.03,
            half_height: 0.05,
        };
        let apart = |z: f64| {
            within(
                &tall,
                &Pose::identity(),
                &CUBE,
                &Pose::translation(0.0, 0.0, z),
                1e-4,
            )
        };
        assert!(apart(0.07) && !apart(0.071), "5 cm + 2 cm = 7 cm");
        assert!((volume(&tall) - std::f64::consts::PI * 0.03f64.powi(2) * 0.1).abs() < 1e-9);
    }

    #[test]
    fn points_in_a_plane_are_no_solid() {
        let flat = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [1.0, 1.0, 0.0],
        ];
        assert!(hull(&flat).is_err());
        assert!(hull(&[[1.0; 3]; 9]).is_err());
        assert!(hull(&flat[..3]).is_err());
    }
}
