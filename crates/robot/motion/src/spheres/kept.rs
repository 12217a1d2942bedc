//! Cache of robots' spheres in the user's cache folder.

use parry3d_f64::math::Vector;
use regrasp_api::Shape;
use regrasp_cache::{Key, kept_or};
use regrasp_kinematics::Geometry;

use super::cover::Cover;
use crate::collision::{LinkSolid, RobotGeometry};

/// Version of the spheres and of their key: increased when the same shapes are covered in another
/// way, or when [`key`] includes other numbers.
const VERSION: u32 = 3;

/// Centre, radius and inner radius, m.
type Numbers = [f64; 5];

/// The spheres of each solid, from the cache or from `find`.
pub(super) fn or(
    geometry: &RobotGeometry,
    solids: &[(&LinkSolid, bool)],
    find: impl FnOnce() -> Vec<Vec<Cover>>,
) -> Vec<Vec<Cover>> {
    let folder = regrasp_cache::folder();
    let is_sound = |kept: &Vec<Vec<Numbers>>| {
        let all = || kept.iter().flatten().flatten();
        kept.len() == solids.len() && all().all(|x| x.is_finite())
    };
    let key = key(geometry, solids);
    let find = || -> Result<Vec<Vec<Numbers>>, std::convert::Infallible> {
        let numbers = |s: &Cover| [s.centre.x, s.centre.y, s.centre.z, s.radius, s.inner];
        let solid = |spheres: Vec<Cover>| spheres.iter().map(numbers).collect();
        Ok(find().into_iter().map(solid).collect())
    };
    let Ok(kept) = kept_or(folder.as_deref(), "spheres", &key, is_sound, find);
    let cover = |[x, y, z, radius, inner]: Numbers| Cover {
        centre: Vector::new(x, y, z),
        radius,
        inner,
    };
    let solid = |spheres: Vec<Numbers>| spheres.into_iter().map(cover).collect();
    kept.into_iter().map(solid).collect()
}

/// Hash of every shape and its pose, field by field and to the last bit.
fn key(geometry: &RobotGeometry, solids: &[(&LinkSolid, bool)]) -> Key {
    let mut key = Key::new("spheres of a robot", VERSION);
    for link in geometry.model.links() {
        for collision in &link.collisions {
            add_geometry(&mut key, &collision.geometry);
        }
    }
    for (solid, moves) in solids {
        key.indices([solid.link_idx as u32, u32::from(*moves)]);
        let at = solid.link_from_solid.translation;
        let turn = solid.link_from_solid.rotation;
        key.numbers([at.x, at.y, at.z, turn.x, turn.y, turn.z, turn.w]);
    }
    key
}

/// Adds a number for the kind of shape, and then its fields.
fn add_geometry(key: &mut Key, geometry: &Geometry) {
    let mut solid = |kind, numbers: &[f64]| {
        key.indices([kind]);
        key.numbers(numbers.iter().copied());
    };
    match geometry {
        Geometry::Solid(Shape::Box { half_extents }) => solid(0, half_extents),
        Geometry::Solid(Shape::Sphere { radius }) => solid(1, &[*radius]),
        Geometry::Solid(Shape::Cylinder(rod)) => solid(2, &[rod.radius, rod.half_height]),
        Geometry::Solid(Shape::Capsule(rod)) => solid(3, &[rod.radius, rod.half_height]),
        // URDF has no other shapes.
        Geometry::Solid(_) => solid(5, &[]),
        Geometry::Mesh {
            vertices,
            triangles,
        } => {
            key.indices([4]);
            key.numbers(vertices.iter().flat_map(|p| [p.x, p.y, p.z]));
            key.indices(triangles.iter().flatten().copied());
        }
    }
}
