//! Support of objects by each other, and their distances seen from above.

use regrasp_api::{Aabb, Part, PerceivedObject, Percept, Shape};

use crate::{is_inside, level_gap_m};

/// Largest vertical gap between surfaces that rest on each other, m: twice the contact margin plus
/// what settling leaves.
pub const SUPPORT_GAP_M: f64 = 0.006;

/// Least depth of an object's lowest point below the rim of the hollow object that contains it, m.
const RIM_M: f64 = 0.001;
/// Least overlap, seen from above, of an object and one that carries a part of it, m.
const OVERLAP_M: f64 = 0.002;

/// Returns true if `top` rests on `below`, judged by shapes and poses: its lowest point is at the
/// upper surface of `below`, and its centre is above it.
///
/// A compound (bowl, tray) supports objects anywhere above its floor and below its rim, if one of
/// its parts is under them. So a bottle of several parts does not support the tray in which it
/// lies. At the height of the rim, a part has to be under the object's centre, or the object has to
/// cover the compound's middle: an object that leans on the rim with its centre beside the wall is
/// supported by something else.
pub fn is_supported_by(top: &PerceivedObject, below: &PerceivedObject) -> bool {
    if top.id == below.id {
        return false;
    }
    let (a, b) = (top.aabb_in_world(), below.aabb_in_world());
    let center = a.center();
    let above_footprint = b.covers(center.x, center.y);
    let gap = a.min[2] - b.max[2];
    let touches = if below.shape.is_hollow() {
        let middle = b.center();
        let across = a.covers(middle.x, middle.y);
        let ends_below = |part: &Aabb| {
            part.covers(center.x, center.y) && (a.min[2] - part.max[2]).abs() < SUPPORT_GAP_M
        };
        let is_below = |part: &Aabb| {
            part.max[2] < a.min[2] + SUPPORT_GAP_M
                && (0..2).all(|i| part.min[i] <= a.max[i] && a.min[i] <= part.max[i])
        };
        a.min[2] > b.min[2] - SUPPORT_GAP_M
            && gap < SUPPORT_GAP_M
            && match gap < -RIM_M {
                true => has_part(below, is_below),
                false => across || has_part(below, ends_below),
            }
    } else {
        gap.abs() < SUPPORT_GAP_M
    };
    above_footprint && touches
}

/// Largest height of a fixed object above a surface on which it counts as standing, m.
const FIXED_GAP_M: f64 = 0.03;

/// Returns true if `object` stands on `surface`: it rests there, or it is fixed and rises from
/// there. A fixed object may be let into the surface, as a stove into a worktop, or hang a little
/// above it.
pub fn stands_on(object: &PerceivedObject, surface: &PerceivedObject) -> bool {
    if object.movable || object.id == surface.id {
        return is_supported_by(object, surface);
    }
    let (a, b) = (object.aabb_in_world(), surface.aabb_in_world());
    let center = a.center();
    let above_footprint = b.covers(center.x, center.y);
    let rises = a.min[2] < b.max[2] + FIXED_GAP_M && a.max[2] > b.max[2];
    is_supported_by(object, surface) || above_footprint && rises
}

/// Returns true if a condition holds for the bounds in World of a part of a compound. Always true
/// for other shapes, which have no parts.
fn has_part(object: &PerceivedObject, holds: impl Fn(&Aabb) -> bool) -> bool {
    let Shape::Compound { parts } = &object.shape else {
        return true;
    };
    let bounds = |part: &Part| {
        let world_from_part = object.world_from_object * part.object_from_part;
        part.shape.aabb(&world_from_part)
    };
    parts.iter().any(|part| holds(&bounds(part)))
}

/// Returns true if `below` carries `top` or a part of it: an object that bridges two blocks rests
/// on both, though its centre is above neither.
pub fn bears(below: &PerceivedObject, top: &PerceivedObject) -> bool {
    let gap_m = top.aabb_in_world().min[2] - below.aabb_in_world().max[2];
    is_supported_by(top, below)
        || top.id != below.id && gap_m.abs() < SUPPORT_GAP_M && level_gap_m(top, below) < -OVERLAP_M
}

/// Returns the object that carries `top` although `top` seems to rest on `below`, since that object
/// is no thicker than [`SUPPORT_GAP_M`]: a loose sheet, or a container such as a bowl. A part of
/// `below` and what is fixed on it, such as a mat, belong to it.
pub fn carrier_between<'a>(
    percept: &'a Percept,
    top: &PerceivedObject,
    below: &PerceivedObject,
) -> Option<&'a PerceivedObject> {
    let belongs = |o: &PerceivedObject| {
        o.id == below.id
            || percept.whole_of(&o.id) == Some(&below.id)
            || !percept.is_loose(&o.id) && !is_inside(top, o)
    };
    let mut others = percept.objects.iter().filter(|o| !belongs(o));
    others.find(|o| is_supported_by(top, o) && is_supported_by(o, below))
}

/// Returns the object in or on which another rests: the innermost container, else the support
/// directly below.
pub fn support_of<'a>(
    percept: &'a Percept,
    object: &PerceivedObject,
) -> Option<&'a PerceivedObject> {
    let others = || percept.objects.iter().filter(|o| o.id != object.id);
    let volume = |o: &&PerceivedObject| o.aabb_in_world().size().product();
    let containers = others().filter(|o| is_inside(object, o));
    let inside = containers.min_by(|a, b| volume(a).total_cmp(&volume(b)));
    inside.or_else(|| {
        let below = others().find(|o| is_supported_by(object, o))?;
        carrier_between(percept, object, below).or(Some(below))
    })
}

/// Largest number of objects that carry one another, such as a stack on a tray.
const MOST_CARRIERS: usize = 16;

/// Returns the objects that carry an object, from its support down.
pub fn carriers<'a>(percept: &'a Percept, object: &PerceivedObject) -> Vec<&'a PerceivedObject> {
    let all = std::iter::successors(support_of(percept, object), |o| support_of(percept, o));
    all.take(MOST_CARRIERS).collect()
}

/// Returns true if an object is in or on another, or in or on something else that a movable target
/// carries. On something else on a fixed one, such as a tray on a table, it counts as off.
pub fn is_carried_by(
    percept: &Percept,
    object: &PerceivedObject,
    target: &PerceivedObject,
) -> bool {
    let is_direct = is_supported_by(object, target) || is_inside(object, target);
    let is_it = |o: &&PerceivedObject| o.id == target.id;
    is_direct || target.movable && carriers(percept, object).iter().any(is_it)
}

/// Returns all movable objects that rest directly on `below`, in percept order.
pub fn objects_on<'a>(percept: &'a Percept, below: &PerceivedObject) -> Vec<&'a PerceivedObject> {
    let others = percept.objects.iter();
    others.filter(|o| o.movable && bears(below, o)).collect()
}

/// Returns the gap between the bounding boxes of two objects seen from above, m.
pub fn box_gap_m(a: &PerceivedObject, b: &PerceivedObject) -> f64 {
    let (a, b) = (a.aabb_in_world(), b.aabb_in_world());
    let gap = |i: usize| (a.min[i] - b.max[i]).max(b.min[i] - a.max[i]).max(0.0);
    gap(0).hypot(gap(1))
}

/// Returns true if the bounding boxes of two objects, each grown by `clearance_m / 2`, overlap seen
/// from above.
pub fn footprints_overlap(a: &PerceivedObject, b: &PerceivedObject, clearance_m: f64) -> bool {
    let (a, b) = (a.aabb_in_world(), b.aabb_in_world());
    (0..2).all(|i| a.min[i] - clearance_m < b.max[i] && b.min[i] - clearance_m < a.max[i])
}

#[cfg(test)]
mod tests {
    use regrasp_api::ObjectId;

    use super::*;

    #[test]
    fn a_tray_carries_what_stands_on_its_contents_and_a_table_only_what_touches_it() {
        let cube = |id: &str, x: f64, z: f64| PerceivedObject {
            id: ObjectId::new(id),
            ..regrasp_testkit::cube(id, 0.02, [x, 0.0, z])
        };
        let tray = regrasp_testkit::thing("tray", "tray", cuboid([0.1, 0.1, 0.01]), [0.0; 3]);
        let table = regrasp_testkit::fixed("table", "table", cuboid([0.5; 3]), [0.0, 0.0, -0.51]);
        let objects = vec![table, tray, cube("a", 0.0, 0.03), cube("b", 0.0, 0.07)];
        let percept = regrasp_testkit::percept([objects, vec![cube("c", 0.3, 0.01)]].concat());
        let is_on = |id: &str, target: &str| {
            let find = |id: &str| percept.objects.iter().find(|o| o.id.as_str() == id);
            let [object, target] = [id, target].map(|id| find(id).expect("it is seen"));
            is_carried_by(&percept, object, target)
        };
        assert_eq!(
            ["a", "b", "c"].map(|id| is_on(id, "tray")),
            [true, true, false]
        );
        assert_eq!(
            ["a", "b", "c"].map(|id| is_on(id, "table")),
            [false, false, true]
        );
        assert!(is_on("b", "a") && is_on("tray", "table"));
    }

    #[test]
    fn a_plank_rests_on_both_blocks_that_it_bridges_and_on_no_other() {
        let cube = |x, y| regrasp_testkit::cube("cube", 0.02, [x, y, 0.02]);
        let plank = PerceivedObject {
            id: regrasp_api::ObjectId::new("plank"),
            shape: regrasp_testkit::cuboid([0.1, 0.02, 0.005]),
            ..regrasp_testkit::cube("plank", 0.02, [0.0, 0.0, 0.045])
        };
        for (x, y, is_below) in [(-0.08, 0.0, true), (0.08, 0.0, true), (0.08, 0.045, false)] {
            let block = cube(x, y);
            assert!(
                !is_supported_by(&plank, &block),
                "the block at {x}, {y} is below the plank's centre"
            );
            assert_eq!(bears(&block, &plank), is_below, "a block at {x}, {y}");
            assert!(!bears(&plank, &block), "a block at {x}, {y}");
        }
    }
    use nalgebra::Vector3;
    use regrasp_api::Pose;
    use regrasp_api::solids::{boxed, tray};
    use regrasp_testkit::cuboid;

    fn cube(id: &str, half: f64, x: f64, z: f64) -> PerceivedObject {
        regrasp_testkit::cube(id, half, [x, -0.3, z])
    }

    #[test]
    fn what_lies_in_a_thin_bin_is_carried_by_the_bin_and_not_by_the_table_below() {
        let bin = PerceivedObject {
            shape: tray([0.2, 0.2], 0.08, 0.004),
            ..cube("bin", 0.1, 0.5, 0.04)
        };
        let table = PerceivedObject {
            shape: cuboid([0.5, 0.5, 0.02]),
            movable: false,
            ..cube("table", 0.02, 0.5, -0.02)
        };
        let apple = cube("apple", 0.02, 0.5, 0.024);
        let mut percept = regrasp_testkit::percept(vec![table.clone(), bin, apple.clone()]);
        for movable in [true, false] {
            percept.objects[1].movable = movable;
            let carrier = carrier_between(&percept, &apple, &table);
            assert_eq!(carrier.map(|o| o.id.as_str()), Some("bin"));
        }
        let bin = &percept.objects[1];
        for (object, below) in [(&apple, "bin"), (bin, "table")] {
            let support = support_of(&percept, object).map(|o| o.id.as_str());
            assert_eq!(support, Some(below), "below {}", object.id);
        }
        assert!(carrier_between(&percept, bin, &table).is_none());
        assert!(carrier_between(&percept, &apple, bin).is_none());
    }

    #[test]
    fn a_bin_supports_what_is_in_it_or_lies_on_it_and_not_what_leans_on_its_rim() {
        let wall = |x: f64| boxed([x, 0.0, 0.04], [0.005, 0.1, 0.04], 0.0);
        let floor = boxed([0.0; 3], [0.1, 0.1, 0.005], 0.0);
        let bin = PerceivedObject {
            shape: Shape::compound([floor, wall(-0.1), wall(0.1)]),
            ..cube("bin", 0.1, 0.5, 0.0)
        };
        assert!(is_supported_by(&cube("in", 0.02, 0.53, 0.025), &bin));
        assert!(is_supported_by(&cube("across", 0.12, 0.5, 0.2), &bin));
        assert!(is_supported_by(&cube("on a wall", 0.02, 0.598, 0.1), &bin));
        assert!(!is_supported_by(&cube("leans", 0.02, 0.585, 0.1), &bin));
        assert!(!is_supported_by(&cube("hovers", 0.02, 0.5, 0.13), &bin));
    }

    #[test]
    fn a_tray_is_not_on_top_of_the_bottle_that_lies_in_it() {
        let lies = |x: f64, radius: f64, half_height: f64| Part {
            object_from_part: Pose::new(
                Vector3::new(x, 0.0, 0.0),
                Vector3::y() * std::f64::consts::FRAC_PI_2,
            ),
            shape: regrasp_testkit::cylinder(radius, half_height),
        };
        let bottle = PerceivedObject {
            shape: Shape::compound([lies(0.0, 0.03, 0.06), lies(0.09, 0.012, 0.03)]),
            ..cube("bottle", 0.03, 0.5, 0.034)
        };
        let plank = |x: f64, z: f64, half_extents| boxed([x, 0.0, z], half_extents, 0.0);
        let tray = PerceivedObject {
            shape: Shape::compound([
                plank(0.0, -0.013, [0.11, 0.18, 0.002]),
                plank(0.108, 0.002, [0.002, 0.18, 0.013]),
                plank(-0.108, 0.002, [0.002, 0.18, 0.013]),
            ]),
            ..cube("tray", 0.1, 0.5, 0.015)
        };
        assert!(is_supported_by(&bottle, &tray));
        assert!(!is_supported_by(&tray, &bottle));
    }

    #[test]
    fn what_is_let_into_a_table_stands_on_it() {
        let table = cube("table", 0.3, 0.5, -0.3);
        let fixed = |z| regrasp_testkit::fixed("stove", "stove", cuboid([0.05; 3]), [0.6, -0.3, z]);
        assert!(stands_on(&fixed(0.0), &table));
        assert!(stands_on(&fixed(0.07), &table));
        assert!(!stands_on(&fixed(0.09), &table));
        assert!(!stands_on(&fixed(-0.06), &table));
        // A movable object cannot be inside the table: the percept is wrong.
        assert!(!stands_on(&cube("loose", 0.05, 0.6, 0.0), &table));
    }

    #[test]
    fn only_what_stands_on_it_is_supported_by_it() {
        let below = cube("below", 0.02, 0.5, 0.02);
        assert!(is_supported_by(&cube("on", 0.015, 0.51, 0.0551), &below));
        assert!(!is_supported_by(&cube("hovers", 0.015, 0.51, 0.07), &below));
        assert!(!is_supported_by(
            &cube("beside", 0.015, 0.55, 0.055),
            &below
        ));
        assert!(!is_supported_by(&below, &cube("on", 0.015, 0.51, 0.0551)));
    }
}
