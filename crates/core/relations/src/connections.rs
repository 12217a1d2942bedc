//! The relations `against`, `across` and `inserted`, and upright objects.

use crate::{SUPPORT_GAP_M, bears, is_inside, is_supported_by, level_gap_m, stands_on};
use regrasp_api::{Connection, Mating, ObjectId, ObjectPort, PerceivedObject, Percept};

/// Largest gap between objects that stand against each other, m.
const AGAINST_M: f64 = 0.012;
/// Largest vertical gap between objects that count as level, m.
const LEVEL_M: f64 = 0.01;
/// Fraction of the depth by which an inserted plug may stick out of its hole.
const LOOSE: f64 = 0.1;
/// Distance by which an inserted plug may stick out of even a shallow hole, m: allows for errors of
/// perception and for settling.
const LEAST_LOOSE_M: f64 = 0.003;
/// Largest offset of an inserted plug from its hole's axis, beyond the clearance of the two, m.
const ASIDE_M: f64 = 0.002;
/// Largest lean of an upright object, rad.
const UPRIGHT_RAD: f64 = 0.15;
/// Largest rotation of an inserted plug against its hole, rad.
const TURNED_RAD: f64 = 0.2;

pub(crate) fn not_on_one_support(
    percept: &Percept,
    object: &PerceivedObject,
    target: &PerceivedObject,
) -> Option<String> {
    let mut others = percept.objects.iter();
    let is_one = others.any(|o| is_supported_by(object, o) && stands_on(target, o));
    let (id, by) = (&object.id, &target.id);
    if !is_one {
        return Some(format!("{id} and {by} do not stand on the same support"));
    }
    if is_inside(object, target) || bears(object, target) || bears(target, object) {
        return Some(format!("one of {id} and {by} is in or on the other"));
    }
    not_in_one_container(percept, object, target).or_else(|| not_level(object, target, target))
}

pub(crate) fn not_in_one_container(
    percept: &Percept,
    a: &PerceivedObject,
    b: &PerceivedObject,
) -> Option<String> {
    let contains_one = |o: &&PerceivedObject| is_inside(a, o) != is_inside(b, o);
    let container = percept.objects.iter().find(contains_one)?;
    Some(format!(
        "only one of {} and {} is in {}",
        a.id, b.id, container.id
    ))
}

/// Explains why an object is not level with two others, which may be the same one; `None` if it is
/// at most 1 cm above or below the height range of the two.
pub fn not_level(
    object: &PerceivedObject,
    a: &PerceivedObject,
    b: &PerceivedObject,
) -> Option<String> {
    let [own, a_box, b_box] = [object, a, b].map(PerceivedObject::aabb_in_world);
    let (low, high) = (
        a_box.min[2].min(b_box.min[2]),
        a_box.max[2].max(b_box.max[2]),
    );
    let gap_m = (own.min[2] - high).max(low - own.max[2]);
    (gap_m > LEVEL_M).then(|| {
        let way = if own.min[2] > high { "above" } else { "below" };
        format!("{} is {gap_m:.3} m {way} {}", object.id, a.id)
    })
}

pub(crate) fn not_against(
    percept: &Percept,
    object: &PerceivedObject,
    target: &PerceivedObject,
) -> Option<String> {
    let (id, by) = (&object.id, &target.id);
    if let Some(why) = not_on_one_support(percept, object, target) {
        return Some(why);
    }
    let gap_m = level_gap_m(object, target);
    (gap_m > AGAINST_M).then(|| format!("{id} is {gap_m:.3} m from {by} (limit {AGAINST_M} m)"))
}

pub(crate) fn not_across(
    object: &PerceivedObject,
    targets: [&PerceivedObject; 2],
) -> Option<String> {
    let above = object.aabb_in_world();
    for below in targets {
        let b = below.aabb_in_world();
        let overlaps = (0..2).all(|i| above.min[i] < b.max[i] && b.min[i] < above.max[i]);
        let gap_m = above.min[2] - b.max[2];
        if !overlaps || gap_m.abs() >= SUPPORT_GAP_M {
            return Some(format!("{} does not rest on {}", object.id, below.id));
        }
    }
    let [a, b] = targets.map(|t| t.aabb_in_world().center().coords.xy());
    let along = (above.center().coords.xy() - a).dot(&(b - a)) / (b - a).norm_squared();
    (!(0.0..=1.0).contains(&along)).then(|| {
        let [a, b] = targets;
        format!("{} does not lie between {} and {}", object.id, a.id, b.id)
    })
}

/// Returns true if the plug is fully inserted in the hole.
pub fn is_inserted(mating: &Mating, hole: &ObjectPort, plug: &ObjectPort) -> bool {
    is_as_deep(mating, hole, plug, plug.depth_in(hole))
}

fn is_as_deep(mating: &Mating, hole: &ObjectPort, plug: &ObjectPort, depth_m: f64) -> bool {
    let loose_m = (LOOSE * depth_m.min(hole.depth_m)).max(LEAST_LOOSE_M);
    let [y, z] = hole.play_m(plug);
    let aside_m = y.max(z).max(0.0) + ASIDE_M;
    let beside = mating.aside_m.iter().all(|m| m.abs() <= aside_m);
    // Only a keyed plug needs a certain rotation about the axis.
    let turned = if plug.keyed {
        mating.angle_rad
    } else {
        mating.tilt_rad
    };
    mating.depth_m >= depth_m - loose_m && beside && turned <= TURNED_RAD
}

/// Returns the depth of the plug in the hole when an object is fully inserted into its target, or
/// put over it, m. For a ring on a peg that rests on the peg, on something fixed or on another ring
/// through which the peg passes, it is the depth of the ring's hole.
pub fn full_depth_m(percept: &Percept, object: &ObjectId, connection: &Connection<'_>) -> f64 {
    let whole_m = connection.depth_m();
    if !connection.over || !connection.hole.through {
        return whole_m;
    }
    let Some(ring) = percept.object(object) else {
        return whole_m;
    };
    let peg = &connection.plug.object;
    let rests_on = |other: &&PerceivedObject| is_supported_by(ring, other);
    let is_below = |other: &PerceivedObject| {
        &other.id == peg
            || !other.movable
            || Connection::find(&percept.ports, &other.id, peg).is_some_and(|below| {
                let peg = percept.object(peg);
                let mating =
                    peg.map(|peg| below.mating(&other.world_from_object, &peg.world_from_object));
                below.over && mating.is_some_and(|m| is_through(&m, below.hole, below.plug))
            })
    };
    let others = percept.objects.iter().filter(|other| &other.id != object);
    match others.filter(rests_on).any(is_below) {
        true => connection.hole.depth_m,
        false => whole_m,
    }
}

/// Returns true if the plug reaches the other end of the hole, or nearly.
pub fn is_through(mating: &Mating, hole: &ObjectPort, plug: &ObjectPort) -> bool {
    is_as_deep(mating, hole, plug, hole.depth_m)
}

pub(crate) fn not_upright(percept: &Percept, object: &PerceivedObject) -> Option<String> {
    let id = &object.id;
    let Some(upright) = percept.upright(id, &object.shape) else {
        return Some(format!("it is not known which end of {id} is up"));
    };
    let tilt_rad = upright.tilt_rad(&object.world_from_object.rotation);
    (tilt_rad > UPRIGHT_RAD)
        .then(|| format!("{id} is tilted by {tilt_rad:.2} rad from upright ({upright})"))
}

pub(crate) fn not_inserted(
    percept: &Percept,
    object: &PerceivedObject,
    target: &PerceivedObject,
) -> Option<String> {
    let (id, into) = (&object.id, &target.id);
    let Some(connection) = percept.connection(id, into) else {
        return Some(format!(
            "no plug and hole are known by which {id} fits into {into}"
        ));
    };
    let mating = connection.mating(&object.world_from_object, &target.world_from_object);
    let (hole, plug) = (connection.hole, connection.plug);
    let depth_m = full_depth_m(percept, id, &connection);
    (!is_as_deep(&mating, hole, plug, depth_m)).then(|| {
        let (inside, outside) = match connection.over {
            true => (into, id),
            false => (id, into),
        };
        format!(
            "{inside} is {:.4} m of {depth_m:.4} m deep in {outside}, tilted by {:.2} rad",
            mating.depth_m, mating.tilt_rad
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;
    use regrasp_api::Pose;

    fn cube(x: f64, y: f64, z: f64, yaw: f64) -> PerceivedObject {
        PerceivedObject {
            world_from_object: Pose::new(Vector3::new(x, y, z), Vector3::z() * yaw),
            ..regrasp_testkit::cube("cube", 0.02, [x, y, z])
        }
    }

    #[test]
    fn the_gap_between_two_cubes_is_that_of_their_faces() {
        let yaw = 0.3_f64;
        let (out_x, out_y) = (0.046 * yaw.cos(), 0.046 * yaw.sin());
        let gap_m = level_gap_m(
            &cube(0.1, 0.2, 0.02, yaw),
            &cube(0.1 + out_x, 0.2 + out_y, 0.02, yaw),
        );
        assert!((gap_m - 0.006).abs() < 1e-9, "a gap of {gap_m} m");
    }

    #[test]
    fn objects_are_level_up_to_a_gap_of_a_centimetre_between_their_heights() {
        // Cubes of 4 cm: the gap is the difference of their heights less 4 cm.
        let a = cube(0.1, 0.0, 0.02, 0.0);
        for (z, gap) in [
            (0.069, None),
            (0.071, Some("0.011 m above")),
            (-0.04, Some("0.020 m below")),
        ] {
            let why = not_level(&cube(0.2, 0.0, z, 0.0), &a, &a);
            assert_eq!(why.is_some(), gap.is_some(), "at z = {z} m: {why:?}");
            assert!(
                why.unwrap_or_default().contains(gap.unwrap_or_default()),
                "{z}"
            );
        }
    }

    #[test]
    fn across_means_on_both_and_between() {
        let (a, b) = (cube(0.0, 0.0, 0.02, 0.0), cube(0.044, 0.0, 0.02, 0.0));
        assert_eq!(not_across(&cube(0.022, 0.0, 0.06, 0.0), [&a, &b]), None);
        assert!(not_across(&cube(0.0, 0.0, 0.06, 0.0), [&a, &b]).is_some());
        assert!(not_across(&cube(0.022, 0.0, 0.08, 0.0), [&a, &b]).is_some());
    }
}
