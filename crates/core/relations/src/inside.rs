//! Containment in hollow objects.

use nalgebra::{Point3, Vector3};
use regrasp_api::{Aabb, PerceivedObject, Pose, Shape};

/// Least depth of an inner object's lowest point below the rim, m.
const BELOW_RIM_M: f64 = 0.002;

/// Returns true if the middle of one object's underside is in the hollow of another, below the
/// rim, and the rim does not carry the object.
pub fn is_inside(inner: &PerceivedObject, outer: &PerceivedObject) -> bool {
    let bounds = inner.aabb_in_world();
    is_bounded_inside(&bounds, &outer.shape, &outer.world_from_object) && inner.id != outer.id
}

/// Returns true if the middle of the underside of a bounding box in World is in the hollow of a
/// compound, and the rim does not carry the box.
pub fn is_bounded_inside(inner: &Aabb, outer: &Shape, world_from_outer: &Pose) -> bool {
    let center = inner.center();
    let above_floor_m = BELOW_RIM_M.min(0.5 * (inner.max[2] - inner.min[2]));
    let lowest = Point3::new(center.x, center.y, inner.min[2] + above_floor_m);
    matches!(outer, Shape::Compound { .. })
        && outer.aabb(world_from_outer).contains(&lowest)
        && outer.encloses(&world_from_outer.inverse_transform_point(&lowest))
        && !is_wider_than_opening(inner, outer, world_from_outer)
}

/// Returns true if an object with its centre above a rim is wider than the opening.
pub(crate) fn is_on_rim(inner: &PerceivedObject, outer: &PerceivedObject) -> bool {
    is_wider_than_opening(
        &inner.aabb_in_world(),
        &outer.shape,
        &outer.world_from_object,
    )
}

/// Returns true if a bounding box in World with its centre above the rim is wider than the opening,
/// as that of a ball that rests on the rim of a mug and dips into it.
fn is_wider_than_opening(inner: &Aabb, outer: &Shape, world_from_outer: &Pose) -> bool {
    let center = world_from_outer.inverse_transform_point(&inner.center());
    if outer.encloses(&center) {
        return false;
    }
    let Some(cavity) = outer.cavity().filter(|c| c.rim_z < center.z) else {
        return false;
    };
    let at_rim = Point3::new(center.x, center.y, cavity.rim_z - BELOW_RIM_M);
    let half = 0.5 * inner.size();
    [Vector3::x(), Vector3::y()].iter().any(|axis| {
        let reaches = |direction: Vector3<f64>| {
            let wall = outer.ahead(
                &at_rim,
                &world_from_outer.inverse_transform_vector(&direction),
            );
            wall.is_some_and(|[inner_m, _]| inner_m < half.dot(axis))
        };
        reaches(*axis) && reaches(-axis)
    })
}

#[cfg(test)]
mod tests {
    use regrasp_api::ObjectId;
    use regrasp_api::solids::{boxed, tray};

    use super::*;

    fn bin() -> Shape {
        let handle = boxed([0.13, 0.0, 0.0], [0.03, 0.005, 0.005], 0.0);
        let mut bin = tray([0.2, 0.1], 0.08, 0.01);
        if let Shape::Compound { parts } = &mut bin {
            parts.push(handle);
        }
        bin
    }

    #[test]
    fn what_stands_on_a_wall_or_is_flat_or_open_to_a_side_is_not_in() {
        let cube = |x: f64, y: f64, z: f64| regrasp_testkit::cube("cube", 0.015, [x, y, z]);
        let world_from_bin = Pose::new(Vector3::new(0.5, -0.2, 0.3), Vector3::z() * 0.4);
        let bin = PerceivedObject {
            id: ObjectId::new("bin"),
            shape: bin(),
            world_from_object: world_from_bin,
            ..cube(0.0, 0.0, 0.0)
        };
        let at = |x, y, z: f64| {
            let p = world_from_bin * Point3::new(x, y, z);
            is_inside(&cube(p.x, p.y, p.z), &bin)
        };
        let ball = |z: f64| {
            let p = world_from_bin * Point3::new(0.0, 0.0, z);
            regrasp_testkit::cube("ball", 0.045, [p.x, p.y, p.z])
        };
        assert!(is_on_rim(&ball(0.082), &bin) && !is_on_rim(&ball(0.0), &bin));
        assert!(at(0.02, 0.01, -0.015), "a cube on the floor is not inside");
        assert!(
            at(0.02, 0.01, 0.05),
            "a cube that sticks out above the rim is not inside"
        );
        assert!(
            !at(0.0, 0.045, 0.0549),
            "a cube that stands on the wall is inside"
        );
        let bounded = |radius: f64, z: f64| {
            let p = world_from_bin * Point3::new(0.0, 0.0, z);
            let ends = [-radius, radius].map(|r| [p.x + r, p.y + r, p.z + r]);
            let ball = Aabb::around(ends);
            is_bounded_inside(&ball, &bin.shape, &bin.world_from_object)
        };
        assert!(
            !bounded(0.045, 0.082),
            "a ball that rests on the rim is inside"
        );
        assert!(
            bounded(0.045, 0.015),
            "a ball with its centre below the rim is not inside"
        );
        assert!(
            bounded(0.025, 0.06),
            "a ball narrower than the bin is not inside"
        );
        let Shape::Compound { mut parts } = bin.shape.clone() else {
            panic!("a bin has parts");
        };
        parts.remove(1);
        assert_eq!(
            Shape::Compound { parts }.cavity(),
            None,
            "a bin without one wall has a cavity"
        );
        assert_eq!(regrasp_testkit::cuboid([0.1; 3]).cavity(), None);
    }
}
