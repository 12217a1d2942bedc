//! Tests of places in zones, between two objects and under one, in an oven, in a drawer under the
//! handle of the next one, and of books that lean in a caddy.

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::solids::boxed;
use regrasp_api::{Goal, Held, Known, KnownZone, ObjectId, ObjectJoint, Percept, Pose, Shape};

use regrasp_relations::misplaced;
use regrasp_testkit::{cuboid, fixed, percept};

use crate::fixtures;

use super::tests::{asked, held, scene, thing};
use super::*;

fn goal(text: &str) -> Goal {
    text.parse::<regrasp_api::Fact>().expect(text).into()
}

fn compound(id: &str, parts: Vec<regrasp_api::Part>, at: [f64; 3]) -> PerceivedObject {
    fixed(id, "box", Shape::Compound { parts }, at)
}

/// Places for a goal of an object that is held over the table.
fn places(percept: &Percept, held: &Held, goal: &Goal) -> Places {
    let from = Pose::translation(0.3, -0.2, 0.5);
    asked(percept, held, from).at_goal(&[goal], |_| true)
}

/// A shell of 34 x 24 x 20 cm, open towards -y, whose wall at +x is 10 cm thick, with a declared
/// interior.
fn oven() -> Percept {
    let parts = vec![
        boxed([-0.16, 0.0, 0.1], [0.01, 0.12, 0.1], 0.0),
        boxed([0.12, 0.0, 0.1], [0.05, 0.12, 0.1], 0.0),
        boxed([0.0, 0.11, 0.1], [0.17, 0.01, 0.1], 0.0),
        boxed([0.0, 0.0, 0.01], [0.17, 0.12, 0.01], 0.0),
        boxed([0.0, 0.0, 0.19], [0.17, 0.12, 0.01], 0.0),
    ];
    let inside = KnownZone::new("inside", [0.0, 0.015, 0.0875], [0.12, 0.095, 0.0825]);
    let mut percept = scene(vec![compound("oven", parts, [0.5, 0.2, 0.2])]);
    percept.known = vec![Known {
        object: ObjectId::new("oven"),
        upright: None,
        mass_kg: None,
        mass_center: None,
        zones: vec![inside],
        part_of: None,
    }];
    percept
}

#[test]
fn it_is_put_between_the_walls_before_the_back_and_on_the_floor() {
    // The carton is 16 cm deep. Its origin is at its foot, 2 cm in front of its middle.
    let parts = vec![boxed([0.0, 0.02, 0.05], [0.03, 0.08, 0.05], 0.0)];
    let carton = Held {
        shape: Shape::Compound { parts },
        ..held()
    };
    let placements = |held: &Held| places(&oven(), held, &goal("in(held, oven.inside)"));
    let all = placements(&carton).expect("there is room");
    let first = all[0].world_from_object.translation;
    assert!((first.x - 0.46).abs() < 1e-9, "between the walls: {first}");
    assert!((first.z - 0.22).abs() < 1e-9, "on the floor: {first}");
    let turn = |p: &Placement| p.world_from_object.rotation.angle();
    assert!(all.iter().any(|p| turn(p) > 1.0), "in other rotations, too");
    for placement in all {
        let back = carton.shape.aabb(&placement.world_from_object).max[1];
        assert!(back < 0.3, "before the back: {placement:?}");
    }
    // The cube could be raised by 8 cm under the roof, but the arm has no room there.
    let placements = placements(&held()).expect("a cube goes in by the front");
    assert!(placements.iter().all(Placement::is_from_side));
}

#[test]
fn what_is_put_into_an_oven_lets_its_door_close() {
    let joint = serde_json::json!({
        "id": "hinge", "parent": "oven", "child": "door", "kind": "revolute",
        "axis_in_world": [0.0, 0.0, -1.0], "point_in_world": [0.33, 0.075, 0.3],
        "opening": 0.0, "travel": 2.0,
    });
    let mut joint: ObjectJoint = serde_json::from_value(joint).expect("a hinge");
    // The closed door is in the front of the oven, up to y = 0.08.
    let closed = thing("door", [0.17, 0.005, 0.1], [0.5, 0.075, 0.3], false);
    let opened = joint.carried(&closed.world_from_object, 1.5);
    joint.opening = 1.5;
    let mut with_door = oven();
    with_door.objects.push(PerceivedObject {
        world_from_object: opened,
        ..closed
    });
    with_door.joints.push(joint);
    let carton = fixtures::held(cuboid([0.03, 0.1, 0.05]));
    let front_y = |percept: &Percept| {
        let places = places(percept, &carton, &goal("in(held, oven.inside)"));
        let places = places.expect("there is room").into_iter();
        let fronts = places.map(|place| carton.shape.aabb(&place.world_from_object).min[1]);
        fronts.fold(f64::INFINITY, f64::min)
    };
    let [open, closes] = [&oven(), &with_door].map(front_y);
    assert!(
        open < 0.08,
        "without a door, the carton may protrude: {open:.3}"
    );
    assert!(closes > 0.0879, "the door has room: {closes:.3}");
}

#[test]
fn what_is_too_high_for_a_drawer_lies_in_it_and_what_fits_nowhere_is_refused() {
    // The drawer is 20 cm out of a frame whose roof is 6 cm above the drawer's floor.
    let drawer = PerceivedObject {
        shape: fixtures::open_box([0.09, 0.09], 0.004, [0.004, 0.02], 0.02),
        ..thing("drawer", [0.0; 3], [0.36, 0.0, 0.2], false)
    };
    let roof = boxed([0.0, 0.0, 0.073], [0.1, 0.1, 0.005], 0.0);
    let frame = compound("frame", vec![roof], [0.56, 0.0, 0.2]);
    let mut percept = scene(vec![drawer, frame]);
    let joint = serde_json::json!({
        "id": "slide", "parent": "frame", "child": "drawer", "kind": "prismatic",
        "axis_in_world": [-1.0, 0.0, 0.0], "point_in_world": [0.0, 0.0, 0.0],
        "opening": 0.2, "travel": 0.2,
    });
    let joint = serde_json::from_value(joint).expect("a slide");
    let put = |percept: &Percept, half: [f64; 3]| {
        let held = fixtures::held(cuboid(half));
        let from = Pose::translation(0.2, 0.0, 0.5);
        let places = asked(percept, &held, from).on_object(&percept.objects[1], [0.36, 0.0], &[]);
        places.map(|places| held.shape.aabb(&places[0].world_from_object).size())
    };
    let tall = [0.02, 0.025, 0.05];
    let stands = put(&percept, tall).expect("nothing is above it");
    assert!((stands.z - 0.1).abs() < 1e-6, "{stands}");
    percept.joints.push(joint);
    let lies = put(&percept, tall).expect("it fits on its side");
    assert!(lies.z < 0.0501, "{lies}");
    let low = put(&percept, [0.02, 0.02, 0.025]).expect("it fits as it is");
    assert!((low.z - 0.05).abs() < 1e-6, "{low}");
    let failure = put(&percept, [0.035; 3]).expect_err("7 cm do not fit into 6");
    assert_eq!(failure.reason, Reason::PlacementUnstable);
    regrasp_testkit::says(&failure.detail, &["would keep a drawer or door open"]);
}

#[test]
fn at_a_side_it_stands_near_the_middle_of_that_side() {
    let at = places(&scene(vec![]), &held(), &goal("on(held, table.left_edge)"));
    let at = at.expect("the table is empty")[0].position();
    // The left edge is the last quarter of 80 cm.
    let off_m = (at.y - 0.3).abs().max((at.x - 0.5).abs());
    assert!(off_m < 0.011, "{at}");
    let failure = places(&scene(vec![]), &held(), &goal("on(held, table.cellar)"));
    let failure = failure.expect_err("a table has no cellar");
    assert_eq!(failure.reason, Reason::BadArguments);
}

#[test]
fn between_two_it_stands_in_the_middle() {
    let [a, b] =
        [("a", 0.35), ("b", 0.65)].map(|(id, x)| thing(id, [0.02; 3], [x, 0.1, 0.22], true));
    let at = places(&scene(vec![a, b]), &held(), &goal("between(held, a, b)"));
    let at = at.expect("there is room")[0].position();
    assert!((at.x - 0.5).hypot(at.y - 0.1) < 1e-9, "{at}");
    // The place is in the middle of the gap, not midway between the centres.
    let [a, b] = [("a", 0.35, 0.09), ("b", 0.65, 0.02)];
    let [a, b] =
        [a, b].map(|(id, x, half_m)| thing(id, [half_m, half_m, 0.02], [x, 0.1, 0.22], true));
    let between = goal("between(held, a, b)");
    let at = places(&scene(vec![a, b]), &held(), &between);
    let at = at.expect("there is room")[0].position();
    assert!((at.x - 0.535).hypot(at.y - 0.1) < 1e-9, "{at}");
}

/// A board of 40 x 20 cm at a height over the table, on two legs at its ends.
fn bench(height_m: f64) -> PerceivedObject {
    let half_m = 0.5 * height_m;
    let leg = |x: f64| boxed([x, 0.0, half_m], [0.01, 0.1, half_m], 0.0);
    let board = boxed([0.0, 0.0, height_m + 0.01], [0.2, 0.1, 0.01], 0.0);
    compound("bench", vec![board, leg(0.19), leg(-0.19)], [0.5, 0.0, 0.2])
}

#[test]
fn under_a_board_it_stands_on_the_table_and_comes_in_from_the_side() {
    let percept = scene(vec![bench(0.2)]);
    let under = goal("under(held, bench)");
    let from = Pose::translation(0.5, -0.3, 0.5);
    let placements = asked(&percept, &held(), from).at_goal(&[&under], |_| true);
    let placements = placements.expect("there is room");
    for placement in &placements {
        let at = placement.position();
        assert_eq!(placement.support.as_str(), "table");
        assert!((at.z - 0.22).abs() < 1e-9, "on the table: {at}");
        let is_covered = (at.x - 0.5).abs() < 0.18 && at.y.abs() < 0.09;
        assert!(is_covered, "under the board: {at}");
        let retreat = placement.retreat.expect("it is not open above");
        assert!(placement.is_from_side(), "{retreat}");
        let begins_beside = (at + retreat).y.abs() > 0.12;
        assert!(
            begins_beside,
            "the approach starts beside the board: {retreat}"
        );
    }
    let low = asked(&scene(vec![bench(0.035)]), &held(), from).at_goal(&[&under], |_| true);
    let failure = low.expect_err("4 cm do not go under 3.5 cm");
    assert_eq!(failure.reason, Reason::PlacementUnstable);
    let failure = places(&scene(vec![]), &held(), &goal("under(held, table)"));
    failure.expect_err("nothing is below the table");
}

#[test]
fn of_a_zone_whose_middle_is_out_of_reach_the_nearest_points_within_it_are_offered() {
    // The left half of the table is x = 0.1 to 0.9, y = 0 to 0.4.
    let (percept, held) = (scene(vec![]), held());
    let reaches = |[x, _, _]: [f64; 3]| x < 0.3;
    let places = |reaches: &dyn Fn([f64; 3]) -> bool| {
        let request = asked(&percept, &held, Pose::translation(0.3, -0.2, 0.5));
        let places = request.at_goal(&[&goal("on(cube, table.left)")], reaches);
        let places = places.expect("the table is free").into_iter();
        places.map(|s| s.position())
    };
    let near: Vec<_> = places(&reaches).collect();
    let expected = |at: &Vector3<f64>| (0.2..0.3).contains(&at.x) && (at.y - 0.2).abs() < 0.2;
    assert!(near.iter().all(expected), "{near:?}");
    let off_m = (near[0].y - 0.2).abs();
    assert!(off_m < 0.02, "level with the middle: {near:?}");
    // If the arm reaches none, all are offered, and the call reports the distance.
    let none: Vec<_> = places(&|_| false).collect();
    assert_eq!(none, places(&|_| true).collect::<Vec<_>>());
}

/// An oven of 30 x 20 x 16 cm inside, open towards -y, optionally with a closed door.
fn small_oven(is_shut: bool) -> Percept {
    let mut parts = vec![
        boxed([0.0, 0.0, 0.01], [0.16, 0.1, 0.01], 0.0),
        boxed([0.0, 0.0, 0.19], [0.16, 0.1, 0.01], 0.0),
        boxed([0.155, 0.0, 0.1], [0.005, 0.1, 0.1], 0.0),
        boxed([-0.155, 0.0, 0.1], [0.005, 0.1, 0.1], 0.0),
        boxed([0.0, 0.105, 0.1], [0.16, 0.005, 0.1], 0.0),
    ];
    if is_shut {
        parts.push(boxed([0.0, -0.105, 0.1], [0.16, 0.005, 0.1], 0.0));
    }
    percept(vec![compound("oven", parts, [0.5, 0.3, 0.4])])
}

fn carton() -> Held {
    fixtures::held(cuboid([0.03, 0.04, 0.05]))
}

#[test]
fn what_goes_into_an_oven_goes_in_by_its_front_as_far_as_it_has_to() {
    let from = Pose::translation(0.3, 0.0, 0.6);
    let placements = asked(&small_oven(false), &carton(), from).at_height([0.5, 0.3], 0.47);
    let placements = placements.expect("there is room");
    assert!(
        placements.len() > 1,
        "several rotations and places are offered"
    );
    for placement in &placements {
        let at = placement.position();
        assert!((at.z - 0.47).abs() < 1e-9, "on the floor, not on the roof");
        assert!((at.x - 0.5).hypot(at.y - 0.3) < 0.0151, "near the point");
        let retreat = placement.retreat.expect("it is not open above");
        assert!(placement.is_from_side(), "{retreat}");
        let is_front = retreat.y < 0.0 && retreat.y.abs() > retreat.x.abs() - 1e-9;
        assert!(is_front, "to the front: {retreat}");
        let nearest_y = at.y + retreat.y + 0.03;
        assert!(
            nearest_y < 0.2,
            "the approach starts before the oven: {nearest_y:.3}"
        );
    }
}

#[test]
fn nothing_goes_into_an_oven_that_is_shut_nor_through_its_roof() {
    let from = Pose::translation(0.3, 0.0, 0.6);
    let finds =
        |oven: &Percept, held: &Held, z: f64| asked(oven, held, from).at_height([0.5, 0.3], z);
    assert!(finds(&small_oven(true), &carton(), 0.47).is_err());
    let tall = fixtures::held(cuboid([0.03, 0.04, 0.09]));
    assert!(finds(&small_oven(false), &tall, 0.51).is_err());
    let on_top = finds(&small_oven(false), &carton(), 0.65).expect("the roof carries it");
    assert_eq!(on_top[0].retreat, None, "the roof is reached from above");
}

/// A drawer 16 cm wide whose front wall is at x = 0, and above it the handle of the next one, which
/// begins `room_m` behind that wall.
fn drawer(room_m: f64) -> Percept {
    let parts = vec![
        boxed([0.09, 0.0, -0.002], [0.1, 0.08, 0.002], 0.0),
        boxed([-0.005, 0.0, 0.03], [0.005, 0.08, 0.03], 0.0),
        boxed([0.185, 0.0, 0.03], [0.005, 0.08, 0.03], 0.0),
        boxed([0.09, 0.082, 0.03], [0.1, 0.002, 0.03], 0.0),
        boxed([0.09, -0.082, 0.03], [0.1, 0.002, 0.03], 0.0),
    ];
    let bar = cuboid([0.008, 0.07, 0.008]);
    let [x, y, z] = [0.4, 0.1, 0.5];
    let handle = fixed("handle", "box", bar, [x + room_m + 0.008, y, z + 0.09]);
    percept(vec![compound("drawer", parts, [x, y, z]), handle])
}

/// A bowl: 10 cm wide at its rim, 6 cm at its foot, 5 cm high.
fn bowl() -> Held {
    let rings = [
        (0.03, 0.005),
        (0.035, 0.015),
        (0.04, 0.025),
        (0.045, 0.035),
        (0.05, 0.045),
    ];
    let parts = rings.map(|(half_m, z)| boxed([0.0, 0.0, z], [half_m, half_m, 0.005], 0.0));
    let parts = parts.into();
    fixtures::held(Shape::Compound { parts })
}

fn into_drawer(room_m: f64) -> Placement {
    let percept = drawer(room_m);
    let from = Pose::translation(0.3, 0.0, 0.7);
    let placements =
        asked(&percept, &bowl(), from).on_object(&percept.objects[0], [0.49, 0.1], &[]);
    placements.expect("it stands there").remove(0)
}

#[test]
fn a_bowl_that_just_fits_before_a_handle_is_put_straight_down_there() {
    // A grid of 2 cm would miss the 5 mm that are left.
    let placement = into_drawer(0.108);
    assert_eq!(placement.retreat, None);
    let x = placement.world_from_object.translation.x - 0.4;
    assert!((0.0515..0.0565).contains(&x), "{x:.4} m behind the front");
}

#[test]
fn a_bowl_with_a_rim_wider_than_the_gap_comes_down_aslant() {
    let placement = into_drawer(0.099);
    let retreat = placement
        .retreat
        .expect("straight down its rim meets the handle");
    let is_slanted = !placement.is_from_side() && retreat.x < 0.0;
    assert!(is_slanted, "towards the front: {retreat}");
    let x = placement.world_from_object.translation.x - 0.4;
    assert!(x > 0.0515, "with its rim behind the wall: {x:.4} m");
}

/// Lean of a book in an open box that is `inside_m` wide along x and whose wall at -x is `front_m`
/// high: angle in rad, and side.
fn leans(inside_m: f64, front_m: f64) -> Option<(f64, f64)> {
    leans_from(&UnitQuaternion::identity(), inside_m, front_m)
}

/// Lean of the book for a given rotation in the hand.
fn leans_from(
    held_rotation: &UnitQuaternion<f64>,
    inside_m: f64,
    front_m: f64,
) -> Option<(f64, f64)> {
    let (half_m, floor_m) = (0.5 * inside_m, 0.012);
    let wall =
        |x: f64, high_m: f64| boxed([x, 0.0, 0.5 * high_m], [0.004, 0.07, 0.5 * high_m], 0.0);
    let floor = [half_m, 0.07, 0.5 * floor_m];
    let parts = vec![
        boxed([0.0, 0.0, 0.5 * floor_m], floor, 0.0),
        wall(half_m + 0.004, 0.11),
        wall(-half_m - 0.004, front_m),
    ];
    let caddy = PerceivedObject {
        shape: Shape::Compound { parts },
        world_from_object: Pose::new([0.4, 0.1, 0.2].into(), Vector3::z() * 0.7),
        ..thing("caddy", [0.0; 3], [0.0; 3], false)
    };
    let world_from_caddy = caddy.world_from_object;
    // The book's origin is at its foot.
    let book = vec![boxed([0.0, 0.0, 0.065], [0.014, 0.05, 0.065], 0.0)];
    let held = fixtures::held(Shape::Compound { parts: book });
    let percept = percept(vec![caddy]);
    let request = asked(&percept, &held, Pose::identity());
    let scene = Scene::new(&request).expect("a book has a volume");
    let leaning = support::leaning(&scene, &percept.objects[0], held_rotation, [0.4, 0.1]);
    let placements = Offer::ONE.best(&scene, "in the caddy", leaning).ok()?;
    let up = placements.first()?.world_from_object.rotation * Vector3::z();
    let side = world_from_caddy.rotation.inverse() * up;
    Some((up.angle(&Vector3::z()), side.x.signum()))
}

#[test]
fn it_leans_on_the_wall_that_lets_it_lean_most() {
    let (leans_rad, side) = leans(0.06, 0.1).expect("there is room to lean");
    assert!((0.25..0.5).contains(&leans_rad), "{leans_rad}");
    assert_eq!(side, -1.0, "on the lower wall");
}

#[test]
fn what_is_turned_by_a_hair_in_the_hand_leans_as_well() {
    for i in 0..60 {
        let hair = 1.3e-5 * f64::from(i);
        let rotation = UnitQuaternion::from_euler_angles(hair, -hair, 0.01 * hair);
        let (_, side) = leans_from(&rotation, 0.06, 0.1).expect("there is room to lean");
        assert_eq!(side, -1.0, "turned by {hair} rad");
    }
}

#[test]
fn what_would_fall_back_or_over_does_not_lean() {
    assert!(leans(0.06, 0.11).is_some());
    assert_eq!(leans(0.036, 0.11), None, "too narrow: it falls back");
    // At the top of the low wall, 28 mm above the floor, a book that leans by 0.6 rad reaches only
    // 53 mm from the rear wall.
    let (_, side) = leans(0.06, 0.04).expect("the other wall is as high as before");
    assert_eq!(
        side, 1.0,
        "the book would lie rather than lean on the low wall"
    );
}

#[test]
fn a_place_meets_several_goals_or_the_failure_names_them() {
    let a = thing("a", [0.02; 3], [0.5, 0.0, 0.22], true);
    let b = |x, y| thing("b", [0.02; 3], [x, y, 0.22], true);
    let goals = [goal("behind(held, a)"), goal("left_of(held, b)")];
    let places = |percept: &Percept| {
        let held = held();
        let request = asked(percept, &held, Pose::translation(0.3, -0.2, 0.5));
        request.at_goal(&[&goals[0], &goals[1]], |_| true)
    };
    let near = scene(vec![a.clone(), b(0.58, -0.1)]);
    for place in places(&near).expect("there is room") {
        let object = seen_at(&held(), place.world_from_object);
        for (goal, other) in goals.iter().zip(["a", "b"]) {
            let other = near.object(&ObjectId::new(other)).expect("it is seen");
            assert_eq!(misplaced(goal, &near, &[&object, other]), None, "{goal}");
        }
    }
    let failure = places(&scene(vec![a, b(0.3, -0.3)])).expect_err("they are far apart");
    assert!(
        failure
            .detail
            .contains("satisfies behind(held, a) and left_of(held, b)"),
        "{failure:?}"
    );
}
