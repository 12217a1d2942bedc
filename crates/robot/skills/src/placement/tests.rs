//! Tests of places on a table with other objects.

use std::f64::consts::FRAC_PI_2;

use nalgebra::UnitQuaternion;

use super::*;
use crate::fixtures::{self, open_box};
use regrasp_api::solids::{boxed, disc};
use regrasp_api::{Aabb, Fact, Held, ObjectId, Part, Percept, Pose, Shape, Side};
use regrasp_robot::Result;
use regrasp_testkit::{cuboid, cylinder, near, percept};

/// A request for an object at a pose in a hand that opens to 8 cm.
pub(super) fn asked<'a>(percept: &'a Percept, held: &'a Held, at: Pose) -> PlacementRequest<'a> {
    PlacementRequest {
        percept,
        held,
        world_from_held: at,
        widest_m: 0.08,
    }
}

/// Places of a cube on the second object of a scene, which is at (0.4, 0.1).
fn on_second(percept: &Percept) -> Places {
    let cube = held();
    asked(percept, &cube, Pose::identity()).on_object(&percept.objects[1], [0.4, 0.1], &[])
}

fn cube_at(percept: &Percept, point: [f64; 2]) -> Result<Placement> {
    asked(percept, &held(), Pose::identity()).at_point(point, None)
}

pub(super) fn thing(id: &str, half: [f64; 3], at: [f64; 3], movable: bool) -> PerceivedObject {
    PerceivedObject {
        movable,
        ..regrasp_testkit::thing(id, "box", cuboid(half), at)
    }
}

pub(super) fn held() -> Held {
    fixtures::held(cuboid([0.02; 3]))
}

/// A table of 80 x 80 cm with its top at z = 0.2, and further objects.
pub(super) fn scene(extra: Vec<PerceivedObject>) -> Percept {
    let table = thing("table", [0.4, 0.4, 0.05], [0.5, 0.0, 0.15], false);
    percept(std::iter::once(table).chain(extra).collect())
}

#[test]
fn it_stands_on_the_surface_with_its_own_depth() {
    let placement = cube_at(&scene(vec![]), [0.4, 0.1]).expect("an empty table is free");
    assert_eq!(placement.support.as_str(), "table");
    assert!((placement.world_from_object.translation.z - 0.22).abs() < 1e-9);
}

#[test]
fn a_taken_place_names_who_took_it_and_a_free_one_is_found_beside_it() {
    let mug = thing("mug", [0.03, 0.03, 0.05], [0.4, 0.1, 0.25], true);
    let (percept, cube) = (scene(vec![mug]), held());
    let table = &percept.objects[0];
    let request = asked(&percept, &cube, Pose::identity());
    let taken = request.at_point([0.42, 0.1], Some(table));
    let taken = taken.expect_err("the mug is there");
    assert_eq!(taken.reason, Reason::TargetOccupied);
    assert_eq!(taken.entities, [ObjectId::new("mug")]);
    let placements = request
        .on_object(table, [0.4, 0.1], &[])
        .expect("the table is large");
    assert!(placements.len() > 1, "a large table offers several places");
    for placement in placements {
        let p = placement.position();
        let away_m = (p.x - 0.4).abs().max((p.y - 0.1).abs());
        assert!(away_m >= 0.0579, "clear of the mug: {p}");
    }
}

#[test]
fn the_middle_of_a_plate_is_left_to_those_that_follow() {
    // A plate of 10 cm carries two cubes of 4 cm, but not if the first is in its middle.
    let plate = PerceivedObject {
        shape: cylinder(0.05, 0.005),
        ..thing("plate", [0.0; 3], [0.4, 0.1, 0.205], true)
    };
    let second = thing("second", [0.02; 3], [0.2, -0.2, 0.22], true);
    let (percept, held) = (scene(vec![plate, second]), held());
    let off_middle_m = |later: &[&Goal]| {
        let request = asked(&percept, &held, Pose::identity());
        let places = request.on_object(&percept.objects[1], [0.4, 0.1], later);
        let places = places.expect("the plate is wide enough");
        assert_eq!(places.len(), 1);
        (places[0].position().xy() - Vector3::new(0.4, 0.1, 0.0).xy()).norm()
    };
    assert!(off_middle_m(&[]) < 1e-9);
    let [on, beside] = ["on(second, plate)", "beside(second, cube)"]
        .map(|text| Goal::from(text.parse::<Fact>().expect("a fact")));
    for later in [&[&on][..], &[&on, &beside]] {
        let off_m = off_middle_m(later);
        assert!((0.015..0.04).contains(&off_m), "{later:?}: {off_m} m");
    }
}

#[test]
fn the_edge_and_the_void_do_not_carry() {
    let percept = scene(vec![]);
    for [x, y] in [[0.898, 0.0], [1.2, 0.0]] {
        let failure = cube_at(&percept, [x, y]).expect_err("nothing carries it there");
        assert_eq!(failure.reason, Reason::PlacementUnstable);
    }
}

fn burner() -> PerceivedObject {
    thing("burner", [0.09, 0.09, 0.01], [0.4, 0.1, 0.21], false)
}

/// Bounds of a cubic pot at its first place on the burner, requested beyond an edge.
fn pot_on_burner(half_m: f64, objects: Vec<PerceivedObject>) -> Aabb {
    let (percept, pot) = (scene(objects), fixtures::held(cuboid([half_m; 3])));
    let from = Pose::translation(0.4, 0.5, 0.5);
    let places = asked(&percept, &pot, from).on_object(&percept.objects[1], [0.4, 0.5], &[]);
    pot.shape
        .aabb(&places.expect("there is room")[0].world_from_object)
}

#[test]
fn its_whole_foot_is_carried_where_there_is_room_for_that() {
    // A pot 10 cm wide is requested beyond the edge of a burner 18 cm wide. Half of the foot and
    // 15 mm would be enough to carry it.
    let beyond_m = pot_on_burner(0.05, vec![burner()]).max[1] - 0.19;
    assert!(beyond_m < 1e-9, "{beyond_m:.4} m beyond the edge");
}

#[test]
fn a_second_thing_stands_near_the_first_rather_than_over_an_edge() {
    // Beside the first pot, 9.5 cm of the burner are left: enough for 7 cm, but not for fingers on
    // both sides.
    let first = thing("first", [0.035; 3], [0.4, 0.06, 0.255], true);
    let bounds = pot_on_burner(0.035, vec![burner(), first]);
    assert!(bounds.max[1] < 0.19 + 1e-9, "over the edge: {bounds:?}");
    assert!(bounds.min[1] > 0.095, "beside the first: {bounds:?}");
}

#[test]
fn beside_means_on_that_side_on_the_same_table_and_clear_of_both() {
    let mug = thing("mug", [0.03, 0.02, 0.05], [0.4, 0.1, 0.25], true);
    let (percept, cube) = (scene(vec![mug]), held());
    let request = asked(&percept, &cube, Pose::identity());
    let place = |side| {
        let places = request.beside(&percept.objects[1], Some(side), 1);
        places.expect("the table is large")[0].position()
    };
    // The gap is 3 cm; in front means nearer to the robot.
    for (side, at) in [
        (Side::Left, [0.4, 0.1 + 0.02 + 0.03 + 0.02]),
        (Side::Right, [0.4, 0.03]),
        (Side::InFront, [0.32, 0.1]),
        (Side::Behind, [0.48, 0.1]),
    ] {
        let found = place(side);
        let off_m = (found - Vector3::new(at[0], at[1], 0.22)).norm();
        assert!(off_m < 1e-9, "{side}: {found}");
    }
}

#[test]
fn what_lies_across_two_has_to_reach_from_one_to_the_other() {
    // A cube of 4 cm overlaps each of the two by half the difference of 4 cm and the gap.
    for (gap_m, reaches) in [(0.002, true), (0.03, true), (0.042, false)] {
        let y = 0.02 + 0.5 * gap_m;
        let cube = |id: &str, y: f64| thing(id, [0.02; 3], [0.4, y, 0.22], true);
        let percept = scene(vec![cube("a", y), cube("b", -y)]);
        let targets = [&percept.objects[1], &percept.objects[2]];
        let placement = asked(&percept, &held(), Pose::identity()).across(targets);
        assert_eq!(placement.is_ok(), reaches, "{gap_m}: {placement:?}");
        let Ok(placement) = placement else { continue };
        let at = placement.position();
        let is_over = at.y.abs() < 1e-9 && (at.z - 0.26).abs() < 1e-9;
        assert!(is_over, "over the middle: {at}");
    }
}

#[test]
fn a_side_that_is_taken_names_who_took_it_and_any_other_side_is_free() {
    let mug = thing("mug", [0.03, 0.03, 0.05], [0.4, 0.1, 0.25], true);
    let wall = thing("wall", [0.2, 0.06, 0.1], [0.4, 0.23, 0.3], false);
    let (percept, cube) = (scene(vec![mug, wall]), held());
    let mug = &percept.objects[1];
    let request = asked(&percept, &cube, Pose::identity());
    let taken = request.beside(mug, Some(Side::Left), 1);
    let taken = taken.expect_err("the wall is there");
    assert_eq!(taken.reason, Reason::TargetOccupied);
    assert_eq!(taken.entities, [ObjectId::new("wall")]);
    let from_the_left = Pose::translation(0.4, 0.4, 0.4);
    let places = asked(&percept, &cube, from_the_left).beside(mug, None, 3);
    let places = places.expect("three sides are free");
    assert_eq!(places.len(), 3);
    for place in places {
        let y = place.world_from_object.translation.y;
        assert!(y < 0.15, "not through the wall");
    }
}

/// A tray with the given half distances between the middles of its walls, m.
fn tray(half: [f64; 2]) -> PerceivedObject {
    PerceivedObject {
        shape: open_box(half, 0.002, [-0.02, 0.0], 0.022),
        ..thing("tray", [0.0; 3], [0.4, 0.1, 0.222], true)
    }
}

#[test]
fn in_a_tray_it_stands_on_the_floor_and_not_against_the_wall() {
    let placements = on_second(&scene(vec![tray([0.05; 2])])).expect("4 cm fit into 10");
    assert_eq!(
        placements.len(),
        1,
        "a movable object has one place, its middle"
    );
    let stands = placements[0].position();
    assert!((stands.z - 0.224).abs() < 1e-9, "on its floor: {stands}");
    let failure = on_second(&scene(vec![tray([0.022; 2])])).expect_err("4 cm do not fit into 4");
    assert_eq!(failure.reason, Reason::PlacementUnstable);
    // A lid lies on the rim.
    let lid = fixtures::held(cuboid([0.03, 0.03, 0.005]));
    let percept = scene(vec![tray([0.022; 2])]);
    let places = asked(&percept, &lid, Pose::identity());
    let places = places.on_object(&percept.objects[1], [0.4, 0.1], &[]);
    let lies = places.expect("the lid is wider")[0].position();
    assert!((lies.z - 0.249).abs() < 1e-9, "on its rim: {lies}");
}

#[test]
fn what_may_hold_up_a_leaning_tray_is_in_the_way() {
    let mut leaning = tray([0.05; 2]);
    leaning.world_from_object.rotation = UnitQuaternion::from_euler_angles(0.1, 0.0, 0.0);
    let block = thing("block", [0.02; 3], [0.4, 0.1, 0.25], true);
    let failure = on_second(&scene(vec![leaning, block])).expect_err("nothing is level");
    assert_eq!(failure.reason, Reason::TargetOccupied);
    assert_eq!(failure.entities, [ObjectId::new("block")]);
}

#[test]
fn the_first_of_two_in_a_tray_leaves_room_for_the_second() {
    // In the middle of 10.4 cm, an object of 4 cm leaves 3.2 cm on either side.
    let mut percept = scene(vec![tray([0.054; 2])]);
    let put = |percept: &Percept| on_second(percept).expect("there is room").remove(0);
    percept.objects.push(PerceivedObject {
        world_from_object: put(&percept).world_from_object,
        ..thing("first", [0.02; 3], [0.0; 3], true)
    });
    assert_eq!(
        put(&percept).rest,
        Rest::Stands,
        "the second is not dropped on the first"
    );
}

#[test]
fn what_has_no_place_in_a_tray_may_be_let_fall_at_several_places() {
    let lying = thing("lying", [0.05, 0.05, 0.004], [0.4, 0.1, 0.208], true);
    let deep = PerceivedObject {
        shape: open_box([0.06; 2], 0.002, [-0.02, 0.02], 0.042),
        ..tray([0.06; 2])
    };
    let (percept, cube) = (scene(vec![deep, lying]), held());
    let request = asked(&percept, &cube, Pose::identity());
    let places = request.drops_into(&percept.objects[1]);
    let places = places.expect("the cube has a volume");
    assert!(places.len() > 3, "{places:?}");
    let heights = places.iter().map(|place| {
        assert_eq!(place.rest, Rest::Inside);
        cube.shape.aabb(&place.world_from_object).min[2]
    });
    let heights: Vec<f64> = heights.collect();
    assert!(heights.is_sorted(), "the lowest first: {heights:?}");
    assert!(
        heights[0] > 0.212,
        "above the object in the tray: {heights:?}"
    );
    let table = request.drops_into(&percept.objects[0]);
    let table = table.expect("the cube has a volume");
    assert!(table.is_empty(), "a table is not a container");
}

#[test]
fn what_leans_in_the_hand_is_put_down_upright() {
    let leaning = Pose::new(Vector3::zeros(), Vector3::x() * 0.2);
    let placement = asked(&scene(vec![]), &held(), leaning).at_point([0.4, 0.1], None);
    let placement = placement.expect("it is free");
    let up = placement.world_from_object.rotation * Vector3::z();
    assert!(up.angle(&Vector3::z()) < 1e-3, "it stands on its face");
    assert!((placement.world_from_object.translation.z - 0.22).abs() < 1e-5);
}

#[test]
fn what_fits_along_the_edges_of_a_tray_only_is_turned_along_them() {
    let percept = scene(vec![tray([0.06, 0.15])]);
    let rod = fixtures::held(cylinder(0.01, 0.13));
    let turn = UnitQuaternion::from_euler_angles(FRAC_PI_2, 0.0, 0.4);
    let askew = Pose::from_parts(nalgebra::Translation3::new(0.3, -0.2, 0.4), turn);
    let placements = asked(&percept, &rod, askew).on_object(&percept.objects[1], [0.4, 0.1], &[]);
    let placements = placements.expect("it fits along the tray");
    let along = placements[0].world_from_object.rotation * Vector3::z();
    assert!(along.x.abs() < 1e-3, "it lies along y, not {along}");
}

/// A compartment, open above, 56 mm wide between its walls along x and 124 mm along y.
fn rack() -> PerceivedObject {
    PerceivedObject {
        shape: open_box([0.032, 0.066], 0.004, [0.004, 0.05], 0.05),
        ..thing("rack", [0.0; 3], [0.4, 0.1, 0.2], false)
    }
}

#[test]
fn a_book_that_lies_across_a_narrow_compartment_is_turned_to_stand_in_it() {
    // The book's origin is 12 mm beside its middle.
    let book = |yaw: f64| {
        let parts = vec![boxed([0.0, -0.012, 0.0], [0.0145, 0.055, 0.068], 0.0)];
        let world_from_held = Pose::new([0.2, 0.0, 0.5].into(), Vector3::z() * yaw);
        (fixtures::held(Shape::Compound { parts }), world_from_held)
    };
    let percept = scene(vec![rack()]);
    for yaw in [0.0, 0.4, FRAC_PI_2, 2.0, -1.9] {
        let (held, world_from_held) = book(yaw);
        let request = asked(&percept, &held, world_from_held);
        let placement = request.at_point([0.4, 0.1], None);
        let placement =
            placement.unwrap_or_else(|f| panic!("a book at {yaw} rad fits when turned: {f:?}"));
        assert_eq!(placement.support.as_str(), "rack");
        let aabb = held.shape.aabb(&placement.world_from_object);
        let size = aabb.size();
        assert!(size.x < 0.03 && size.y < 0.111, "along the walls: {size}");
        assert!((aabb.min[2] - 0.208).abs() < 1e-3, "on its floor");
        let from_m = placement.world_from_object.translation.x;
        let shifted = request.between_walls(vec![placement]);
        let off_m = shifted.iter().map(|s| (s.position().x - from_m).abs());
        let furthest_m = off_m.fold(0.0, f64::max);
        assert!(
            furthest_m > 0.007,
            "a shift of {furthest_m} m leaves no room for a finger"
        );
    }
}

/// A board, 16 cm long and 20 cm wide, that slopes down along -x, with a strip at its lower end
/// that is 1.4 cm high; 25 cm above the table.
fn sloping_rack(slope_rad: f64, with_stop: bool) -> PerceivedObject {
    let turn = UnitQuaternion::from_axis_angle(&-Vector3::y_axis(), slope_rad);
    let part = |half: [f64; 3], at: [f64; 3]| Part {
        object_from_part: Pose::from_parts((turn * Vector3::from(at)).into(), turn),
        shape: cuboid(half),
    };
    let mut parts = vec![part([0.08, 0.1, 0.004], [0.0, 0.0, 0.0])];
    if with_stop {
        parts.push(part([0.001, 0.1, 0.009], [-0.079, 0.0, 0.009]));
    }
    PerceivedObject {
        shape: Shape::Compound { parts },
        ..thing("rack", [0.0; 3], [0.45, 0.1, 0.45], false)
    }
}

fn bottle() -> Held {
    let parts = vec![disc(0.037, 0.02, 0.037), disc(0.114, 0.008, 0.04)];
    fixtures::held(Shape::Compound { parts })
}

#[test]
fn a_bottle_is_laid_along_a_slope_with_its_foot_at_the_stop() {
    let slope_rad = 0.54;
    let percept = scene(vec![sloping_rack(slope_rad, true)]);
    let (bottle, from) = (bottle(), Pose::translation(0.2, 0.0, 0.5));
    let rack = &percept.objects[1];
    let placements = asked(&percept, &bottle, from).on_object(rack, [0.2, 0.0], &[]);
    let placements = placements.expect("it lies there");
    for placement in &placements {
        assert_eq!(placement.rest, Rest::Laid);
        let up = placement.world_from_object.rotation * Vector3::z();
        let rise_rad = up.z.asin();
        assert!(up.x > 0.0, "its neck is up the slope: {up}");
        assert!((rise_rad - slope_rad).abs() < 1e-6, "{rise_rad} rad");
        let foot = placement.position() - Vector3::new(0.45, 0.1, 0.45);
        let normal = Vector3::new(-slope_rad.sin(), 0.0, slope_rad.cos());
        near("at the stop, m", foot.dot(&up), -0.076, 1e-3);
        near("on the board, m", foot.dot(&normal), 0.024, 1e-3);
    }
}

#[test]
fn nothing_is_laid_where_it_would_slide_off() {
    let (bottle, from) = (bottle(), Pose::translation(0.2, 0.0, 0.5));
    for rack in [sloping_rack(0.54, false), sloping_rack(1.0, true)] {
        let percept = scene(vec![rack]);
        let placements =
            asked(&percept, &bottle, from).on_object(&percept.objects[1], [0.2, 0.0], &[]);
        let failure = placements.expect_err("nothing holds it there");
        assert_eq!(failure.reason, Reason::PlacementUnstable);
    }
}

#[test]
fn what_goes_into_a_drawer_stays_clear_of_the_one_above() {
    // In the middle of the open drawer, part of the object would be under the next one.
    let drawer = PerceivedObject {
        shape: open_box([0.096, 0.096], 0.004, [0.004, 0.02], 0.02),
        ..thing("drawer", [0.0; 3], [0.4, 0.0, 0.2], true)
    };
    let above = thing("above", [0.05, 0.1, 0.02], [0.48, 0.0, 0.29], true);
    let percept = scene(vec![drawer, above]);
    let held = fixtures::held(cuboid([0.045, 0.045, 0.02]));
    let from = Pose::translation(0.2, 0.0, 0.5);
    let placements = asked(&percept, &held, from).on_object(&percept.objects[1], [0.2, 0.0], &[]);
    let placements = placements.expect("it fits before the other drawer");
    let front_m = placements[0].world_from_object.translation.x + 0.045;
    assert!(
        front_m < 0.43 - 0.0014,
        "the object would be under the next drawer: {front_m:.3}"
    );
}

#[test]
fn a_tray_rests_on_a_cube_that_is_smaller_than_its_foot_but_not_over_the_edge_of_a_table() {
    let tray = fixtures::held(cuboid([0.08, 0.08, 0.005]));
    // Half the width of the cube below, and whether a tray of 16 x 16 cm rests on it.
    for (half_m, rests) in [(0.02, true), (0.012, true), (0.006, false)] {
        let percept = scene(vec![thing(
            "cube",
            [half_m, half_m, 0.02],
            [0.4, 0.1, 0.22],
            true,
        )]);
        let request = asked(&percept, &tray, Pose::identity());
        let places = request.on_object(&percept.objects[1], [0.4; 2], &[]);
        let found = places.map(|places| places[0].position());
        match found {
            Ok(at) => assert!(
                rests && (at - Vector3::new(0.4, 0.1, 0.245)).norm() < 1e-6,
                "{at}"
            ),
            Err(failure) => assert!(!rests && failure.reason == Reason::PlacementUnstable),
        }
    }
    // A can that is wider than the cube below it, at any rotation of the cube.
    let can = fixtures::held(cylinder(0.021, 0.035));
    for yaw in [0.0, 0.4, 0.785] {
        let mut cube = thing("cube", [0.014; 3], [0.4, 0.1, 0.214], true);
        cube.world_from_object.rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw);
        let percept = scene(vec![cube]);
        let request = asked(&percept, &can, Pose::identity());
        let places = request.on_object(&percept.objects[1], [0.4; 2], &[]);
        assert!(places.is_ok(), "no place at {yaw} rad: {places:?}");
    }
    // The table ends at x = 0.9.
    let percept = scene(vec![]);
    let at_point = |x: f64| asked(&percept, &tray, Pose::identity()).at_point([x, 0.0], None);
    assert!(at_point(0.85).is_ok());
    let failure = at_point(0.89).expect_err("less than half of the foot is carried");
    assert_eq!(failure.reason, Reason::PlacementUnstable);
}
