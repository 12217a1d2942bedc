//! Heights at which an object comes to rest at a point (x, y in World) whose height is not given.

use nalgebra::{Point3, Vector3};
use regrasp_api::{ObjectId, PerceivedObject, Percept, Shape};

use crate::{SUPPORT_GAP_M, support_of};

/// Fraction of an object's half extents at which a movable support has to carry it.
const FOOT: f64 = 0.7;
/// Largest height of a movable object on which others are put, as a fraction of its width. A taller
/// one without a hollow blocks its place instead.
const LOW: f64 = 0.4;
/// Distance from a movable object's origin below which a point counts as the object's own place,
/// where nothing is put on it, m.
const OWN_PLACE_M: f64 = 0.001;
/// Largest height difference under the foot of an object within one surface, m.
const LEVEL_M: f64 = 0.003;

/// Returns the height of an object's origin at rest at a point (x, y in World), in its present
/// orientation, m; `None` if no surface is there. It rests on its present support, or that of the
/// object `beside` it, if that carries it there and nothing fixed covers it. Otherwise it rests on
/// the highest surface there: of a fixed object, or of a low or hollow one that carries it and that
/// the task does not move.
pub fn resting_z(
    percept: &Percept,
    object: &PerceivedObject,
    beside: Option<&PerceivedObject>,
    xy: [f64; 2],
    is_moved: impl Fn(&ObjectId) -> bool,
) -> Option<f64> {
    let others = || percept.objects.iter().filter(|o| o.id != object.id);
    // Parts of the support itself may be above, such as the roof of a cupboard, and do not count.
    let is_covered = |own: &PerceivedObject, z: f64| {
        let mut fixed = others().filter(|o| !o.movable && own.id != o.id);
        fixed.any(|o| surface_z(o, xy, f64::INFINITY).is_some_and(|top| top > z + LEVEL_M))
    };
    let below = |top: &PerceivedObject| {
        let below = support_of(percept, top)?;
        let bottom_z = top.aabb_in_world().min[2];
        let stays = !below.movable || carries(below, object, xy, bottom_z);
        let z = surface_z(below, xy, bottom_z + SUPPORT_GAP_M).filter(|_| stays)?;
        (!is_covered(below, z)).then_some(z)
    };
    let own = [Some(object), beside]
        .into_iter()
        .flatten()
        .filter_map(below);
    let highest = || {
        let open = others().filter(|o| !o.movable || !is_moved(&o.id) && takes(o, object, xy));
        let heights = open.filter_map(|o| surface_z(o, xy, f64::INFINITY));
        heights.max_by(f64::total_cmp)
    };
    let floor_z = own.max_by(f64::total_cmp).or_else(highest)?;
    Some(floor_z + object.position().z - object.aabb_in_world().min[2])
}

/// Returns the height of an object's origin at which its lowest point is as high as another's, m in
/// World.
pub fn level_z(object: &PerceivedObject, other: &PerceivedObject) -> f64 {
    let [own, other] = [object, other].map(|o| o.aabb_in_world().min[2]);
    object.position().z - own + other
}

/// Returns true if the surface of `below` at a point (x, y in World, m) is at the height `bottom_z`
/// of another object's lowest point, m in World, and so carries that object.
pub fn is_surface_at(below: &PerceivedObject, [x, y]: [f64; 2], bottom_z: f64) -> bool {
    let top_z = surface_z(below, [x, y], bottom_z + SUPPORT_GAP_M);
    top_z.is_some_and(|z| (z - bottom_z).abs() <= SUPPORT_GAP_M)
}

/// Returns true if another object can be put on a movable one at a point without moving it.
fn takes(below: &PerceivedObject, object: &PerceivedObject, xy: [f64; 2]) -> bool {
    let size = below.aabb_in_world().size();
    let is_low = size.z <= LOW * size.x.min(size.y) || below.shape.cavity().is_some();
    let center = below.position().xy();
    let is_own_place = (center - Vector3::new(xy[0], xy[1], 0.0).xy()).norm() < OWN_PLACE_M;
    is_low && !is_own_place && carries(below, object, xy, f64::INFINITY)
}

/// Returns true if a surface below a height carries the foot of an object at a point.
fn carries(below: &PerceivedObject, object: &PerceivedObject, [x, y]: [f64; 2], z: f64) -> bool {
    let size = object.aabb_in_world().size();
    let Some(middle_z) = surface_z(below, [x, y], z + SUPPORT_GAP_M) else {
        return false;
    };
    let corners = [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)];
    corners.iter().all(|(along, across)| {
        let half = |extent: f64| 0.5 * FOOT * extent;
        let at = [x + along * half(size.x), y + across * half(size.y)];
        let corner_z = surface_z(below, at, middle_z + SUPPORT_GAP_M);
        corner_z.is_some_and(|z| (z - middle_z).abs() <= LEVEL_M)
    })
}

/// Height of an object's highest surface below a given height at a point, m in World; of a height
/// field or a point cloud, the top of its bounding box.
fn surface_z(object: &PerceivedObject, [x, y]: [f64; 2], below_z: f64) -> Option<f64> {
    let bounds = object.aabb_in_world();
    let from_z = below_z.min(bounds.max[2] + SUPPORT_GAP_M);
    if let Shape::HeightField(_) | Shape::PointCloud { .. } = object.shape {
        return bounds.covers(x, y).then_some(bounds.max[2]);
    }
    let object_from_world = object.world_from_object.inverse();
    let origin = object_from_world * Point3::new(x, y, from_z);
    let [down_m, _] = object
        .shape
        .ahead(&origin, &(object_from_world * -Vector3::z()))?;
    (down_m > 0.0).then_some(from_z - down_m)
}

#[cfg(test)]
mod tests {
    use regrasp_api::solids;
    use regrasp_testkit::{cube, cuboid, fixed, percept, thing};

    use super::*;

    const HALF_M: f64 = 0.02;

    fn z_at(objects: &[PerceivedObject], xy: [f64; 2]) -> f64 {
        let percept = percept(objects.to_vec());
        let z = resting_z(&percept, &objects[0], None, xy, |_| false);
        z.expect("a surface is there") - HALF_M
    }

    #[test]
    fn an_object_keeps_its_support_and_rests_on_real_surfaces() {
        let on = |z: f64, x: f64| cube("cube", HALF_M, [x, 0.0, z + HALF_M]);
        let table = fixed("table", "table", cuboid([0.5, 0.5, 0.02]), [0.5, 0.0, 0.0]);
        let book = thing("book", "book", cuboid([0.1, 0.08, 0.01]), [0.5, 0.0, 0.03]);
        let tray = solids::tray([0.3, 0.2], 0.05, 0.005);
        let tray = fixed("tray", "tray", tray, [0.5, 0.0, 0.02]);
        let near = regrasp_testkit::near;
        let flat = [table.clone(), book.clone()];
        let with =
            |object: PerceivedObject, others: &[PerceivedObject]| [&[object], others].concat();
        for (place, z, x, to_x, right_z) in [
            ("on the book", 0.04, 0.47, 0.52, 0.04),
            ("beside the book", 0.04, 0.47, 0.65, 0.02),
            ("held over the book", 0.3, 0.47, 0.47, 0.04),
            ("from the table", 0.02, 0.2, 0.47, 0.02),
        ] {
            near(
                place,
                z_at(&with(on(z, x), &flat), [to_x, 0.0]),
                right_z,
                1e-6,
            );
        }
        let deep = [table.clone(), tray.clone()];
        let floor_z = z_at(&with(on(0.3, 0.2), &deep), [0.53, 0.03]);
        assert!(
            (0.02..0.04).contains(&floor_z),
            "the floor, not the rim: {floor_z}"
        );
        let inside = z_at(&with(on(floor_z, 0.5), &deep), [0.55, 0.02]);
        near("in the tray", inside, floor_z, 1e-6);
        let into = z_at(&with(on(0.02, 0.2), &deep), [0.53, 0.03]);
        near("from the table into the fixed tray", into, floor_z, 1e-6);
    }
}
