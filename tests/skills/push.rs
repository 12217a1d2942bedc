//! Pushing objects over a table, in simulation.

use crate::common::*;
use crate::pushes::WAYS;
use nalgebra::Vector3;
use regrasp::Cell;
use regrasp::api::{Reason, Shape, SkillResult, solids};
use regrasp::scene::{Scene, SceneObject, builtin_scene};
use serde_json::{Value, json};

fn can(id: &str, radius: f64, half_height: f64, mass_kg: f64) -> SceneObject {
    let shape = cylinder(radius, half_height);
    object(id, shape, [0.4, 0.0, TABLE_Z + half_height], Some(mass_kg))
}

/// Pushes an object by 12 cm and checks its displacement in the ground truth.
fn pushes(thing: SceneObject, direction: &str, way: [f64; 2]) {
    let id = thing.id.to_string();
    pushes_in(&scene([thing]), &id, direction, way, 0.12);
}

fn pushes_in(scene: &Scene, id: &str, direction: &str, way: [f64; 2], distance_m: f64) {
    let mut cell = cell(scene);
    let before = cell.position(id);
    let args = json!({ "object": id, "direction": direction, "distance_m": distance_m });
    cell.does("push", args);
    let off = cell.position(id) - before - Vector3::new(way[0], way[1], 0.0) * distance_m;
    assert!(off.norm() < 0.013, "{id} is {:.4} m off", off.norm());
    cell.is_untouched(id);
}

#[test]
fn cubes_are_pushed_every_way() {
    for (half_m, (direction, way)) in [0.012, 0.02, 0.025, 0.016].into_iter().zip(WAYS) {
        pushes(cube("red_cube", half_m, 0.42, 0.03), direction, way);
    }
}

#[test]
fn cylinders_and_turned_cubes_are_pushed() {
    pushes(can("blue_cylinder", 0.02, 0.03, 0.1), "forward", [1.0, 0.0]);
    pushes(can("green_can", 0.033, 0.05, 0.3), "left", [0.0, 1.0]);
    let mut turned = cube("red_cube", 0.02, 0.42, 0.0);
    turned.world_from_object.rotation = nalgebra::UnitQuaternion::new(Vector3::z() * 0.6);
    pushes(turned, "forward", [1.0, 0.0]);
}

#[test]
fn what_is_higher_than_the_fingers_is_pushed_with_the_palm_over_it() {
    // The bowl beside the cylinder leaves no room for a tilted hand.
    let scene = builtin_scene("tabletop").unwrap();
    pushes_in(&scene, "blue_cylinder", "right", [0.0, -1.0], 0.08);
}

#[test]
fn what_would_tip_over_is_refused_before_anything_moves() {
    // The hand has to push from the far side, where it reaches only contacts high on the can.
    let mut tall = can("green_can", 0.018, 0.1, 0.2);
    tall.world_from_object.translation.vector += Vector3::new(-0.026, 0.15, 0.0);
    let mut scene = scene([tall]);
    scene.world_from_base = regrasp::api::Pose::translation(-0.3, 0.0, 0.0);
    let args = json!({ "object": "green_can", "direction": "back", "distance_m": 0.1 });
    let (result, mut cell) = fails(&scene, args, Reason::Unreachable, &["it would tip over"]);
    assert!(!result.world_changed);
    let moved = cell.position("green_can") - Vector3::new(0.374, 0.15, TABLE_Z + 0.1);
    assert!(moved.norm() < 1e-3, "the can moved by {moved} m");
    assert!(cell.robot.observe().unwrap().contacts.is_empty());
}

#[test]
fn a_cube_is_pushed_until_just_before_another() {
    let things = [
        cube("red_cube", 0.02, 0.4, -0.1),
        cube("blue_cube", 0.02, 0.45, 0.1),
    ];
    let mut cell = cell(&scene(things));
    let blue = cell.position("blue_cube");
    let args = json!({ "object": "the red cube", "towards": "the blue cube" });
    cell.does("push", args);
    let apart = (cell.position("blue_cube") - cell.position("red_cube")).norm();
    within("cubes apart, m", apart, 0.045..0.085);
    let moved = (cell.position("blue_cube") - blue).norm();
    assert!(moved < 1e-3, "the blue cube moved by {moved:.4} m");
}

#[test]
fn a_plate_is_pushed_beside_a_cube_on_the_side_that_is_asked_for() {
    let sides = [
        ("left", [0.0, 1.0]),
        ("right", [0.0, -1.0]),
        ("in_front", [-1.0, 0.0]),
    ];
    for (side, out) in sides {
        let plate = cuboid([0.06, 0.06, 0.01]);
        let from = [0.45 + 0.12 * out[0], 0.2 * out[1], TABLE_Z + 0.01];
        let plate = object("plate", plate, from, Some(0.2));
        let mut cell = cell(&scene([plate, cube("red_cube", 0.02, 0.5, 0.0)]));
        let args = json!({ "object": "plate", "beside": "red_cube", "side": side });
        cell.does("push", args);
        let way = cell.position("plate") - cell.position("red_cube");
        let out = Vector3::new(out[0], out[1], 0.0);
        let (gap_m, aside_m) = (way.dot(&out) - 0.08, way.xy().norm().powi(2));
        let aside_m = (aside_m - way.dot(&out).powi(2)).max(0.0).sqrt();
        within(&format!("{side}: gap, m"), gap_m, 0.005..0.1);
        within(&format!("{side}: off the axis, m"), aside_m, ..0.06);
    }
}

#[test]
fn beside_something_the_way_is_free_if_any_is_and_else_what_bars_it_is_named() {
    let shape = cuboid([0.06, 0.06, 0.01]);
    let at = [0.4, 0.25, TABLE_Z + 0.01];
    let plate = || object("plate", shape.clone(), at, Some(0.2));
    let red = || cube("red_cube", 0.02, 0.5, -0.05);
    let args = json!({ "object": "plate", "beside": "red_cube" });
    // The post is on the straight path to the nearest placement.
    let post = fixed("post", [0.50, 0.14, TABLE_Z], [0.52, 0.16, TABLE_Z + 0.1]);
    let mut cell = cell(&scene([plate(), red(), post]));
    cell.does("push", args.clone());
    let apart_m = (cell.position("plate") - cell.position("red_cube")).norm();
    assert!(apart_m < 0.17, "plate and cube are {apart_m:.3} m apart");
    let wall = fixed("wall", [0.1, 0.08, TABLE_Z], [0.9, 0.1, TABLE_Z + 0.1]);
    let walled = scene([plate(), red(), wall]);
    fails(&walled, args, Reason::GoalInCollision, &["wall"]);
}

#[test]
fn without_a_length_it_is_pushed_as_far_as_there_is_room() {
    let args = json!({ "object": "red_cube", "direction": "left" });
    let moved_m = |others: Vec<SceneObject>| {
        let red = cube("red_cube", 0.02, 0.42, 0.0);
        let mut cell = cell(&scene([vec![red], others].concat()));
        cell.does("push", args.clone());
        cell.position("red_cube").y
    };
    let wall = |y: f64| {
        let high = [0.6, y + 0.02, TABLE_Z + 0.1];
        vec![fixed("wall", [0.3, y, TABLE_Z], high)]
    };
    near("default distance, m", moved_m(vec![]), 0.1, 0.01);
    // The push ends 1 cm before the wall.
    near("distance to a wall, m", moved_m(wall(0.09)), 0.06, 0.01);
    // With too little room, the push is refused. An explicit distance is never shortened.
    let refused = |wall_y: f64, args: Value, length: &str| {
        let red = cube("red_cube", 0.02, 0.42, 0.0);
        let walled = scene([vec![red], wall(wall_y)].concat());
        fails(&walled, args, Reason::GoalInCollision, &["wall", length]);
    };
    refused(0.04, args.clone(), "of 0.030 m");
    let mut named = args.clone();
    named["distance_m"] = json!(0.1);
    refused(0.09, named, "of 0.100 m");
}

#[track_caller]
fn fails(scene: &Scene, args: Value, reason: Reason, words: &[&str]) -> (SkillResult, Cell) {
    let mut cell = cell(scene);
    (cell.fails("push", args, reason, words), cell)
}

#[test]
fn what_is_too_heavy_is_push_no_motion_and_more_force_may_help() {
    // The block resists with 21 N (3.5 kg, friction 0.6). By default, the hand stops at 16 N, 80 %
    // of the maximum force of 20 N.
    let shape = cuboid([0.03; 3]);
    let at = [0.42, 0.0, TABLE_Z + 0.03];
    let scene = scene([object("grey_block", shape, at, Some(3.5))]);
    let args = json!({ "object": "grey_block", "direction": "forward" });
    let words = ["did not move", " N "];
    let (result, cell) = fails(&scene, args, Reason::PushNoMotion, &words);
    let force = result.measured.iter().find(|m| m.name == "contact_force");
    let is_told = force.is_some_and(|m| m.value > 10.0);
    assert!(is_told, "{:?}", result.measured);
    let truth = cell.truth();
    let contacts = truth.contacts.iter();
    let peak = contacts.filter(|c| c.with.as_str() == "grey_block");
    let peak_n = peak.map(|c| c.peak_force_n).fold(0.0, f64::max);
    assert!(peak_n < 40.0, "the block was pushed with {peak_n:.1} N");
    let more = result.retry_with.unwrap();
    assert_eq!(more["max_force_n"], json!(60.0), "suggested force, N");

    let mut args = json!({ "object": "grey_block", "max_force_n": 60.0 });
    args["x"] = more["x"].clone();
    args["y"] = more["y"].clone();
    self::cell(&scene).does("push", args);
}

#[test]
fn what_stands_in_the_way_is_named_before_anything_moves() {
    let wall = fixed("wall", [0.5, -0.2, TABLE_Z], [0.52, 0.2, TABLE_Z + 0.1]);
    let scene = scene([cube("red_cube", 0.02, 0.42, 0.0), wall]);
    let args = json!({ "object": "red_cube", "direction": "forward", "distance_m": 0.15 });
    let (result, mut cell) = fails(&scene, args, Reason::GoalInCollision, &["wall"]);
    let named = &result.entities;
    assert!(named.contains(&id("wall")), "{named:?}");
    assert!(cell.robot.held.is_none());
    let moved = cell.position("red_cube") - Vector3::new(0.42, 0.0, TABLE_Z + 0.02);
    assert!(moved.norm() < 1e-3, "the cube moved by {moved} m");
    assert!(cell.robot.observe().unwrap().contacts.is_empty());
}

#[test]
fn what_appears_in_the_way_stops_the_push_and_is_named() {
    let args = json!({ "object": "red_cube", "direction": "forward", "distance_m": 0.15 });
    let shape = cuboid([0.05, 0.05, 0.03]);
    let block = object("grey_block", shape, [0.9, 0.4, TABLE_Z + 0.03], Some(20.0));
    let scene = scene([cube("red_cube", 0.02, 0.42, 0.0), block]);
    let begins = begins(&scene, "push", &args, "push");
    let mut cell = cell(&scene);
    let appears = move_to("grey_block", 0.55, 0.0, TABLE_Z + 0.03);
    disturb(&cell, at(begins + 0.01), appears);
    let words = ["grey_block was in its way"];
    cell.fails("push", args, Reason::PathBlocked, &words);
    within("x of the cube, m", cell.position("red_cube").x, 0.45..0.49);
}

#[test]
fn what_was_knocked_off_its_line_is_pushed_on_from_there() {
    let args = json!({ "object": "red_cube", "direction": "forward", "distance_m": 0.2 });
    let scene = scene([cube("red_cube", 0.02, 0.36, 0.0)]);
    let begins = begins(&scene, "push", &args, "push");
    let mut cell = cell(&scene);
    let knocked = move_to("red_cube", 0.42, 0.06, TABLE_Z + 0.02);
    disturb(&cell, at(begins + 0.05), knocked);
    cell.does("push", args);
    let off = (cell.position("red_cube") - Vector3::new(0.56, 0.0, TABLE_Z + 0.02)).norm();
    assert!(off < 0.02, "the cube is {off:.4} m off");
}

#[test]
fn what_is_taken_away_is_not_claimed() {
    let args = json!({ "object": "red_cube", "direction": "left" });
    let scene = scene([cube("red_cube", 0.02, 0.42, 0.0)]);
    let begins = begins(&scene, "push", &args, "push");
    let mut cell = cell(&scene);
    disturb(&cell, at(begins + 0.05), remove("red_cube"));
    cell.fails("push", args, Reason::ObjectNotFound, &[]);
}

#[test]
fn a_call_that_makes_no_sense_moves_nothing() {
    let red = cube("red_cube", 0.02, 0.42, 0.0);
    let blue = cube_on("blue_cube", 0.015, &red);
    let scene = scene([red, blue, cube("green_cube", 0.02, 0.4, 0.2)]);
    let bad = Reason::BadArguments;
    let to = |object: &str, way: &str| json!({ "object": object, "direction": way });
    let mut both = to("green_cube", "left");
    both["towards"] = json!("red_cube");
    let mut far = to("green_cube", "left");
    far["distance_m"] = json!(3.0);
    let covered = Reason::ObjectCovered;
    let mut side = to("green_cube", "left");
    side["side"] = json!("left");
    let far_beside = json!({ "object": "green_cube", "beside": "red_cube", "distance_m": 0.1 });
    let table: [(Value, &Reason, &str); 8] = [
        (side, &bad, "`side`: expected only with `beside`"),
        (far_beside, &bad, "`distance_m`: not expected with `beside`"),
        (of("green_cube"), &bad, "exactly one of"),
        (both, &bad, "exactly one of"),
        (far, &bad, "would leave table"),
        (to("table", "left"), &bad, "is fixed"),
        (to("red_cube", "left"), &covered, "blue_cube"),
        (to("green_cube", "up"), &bad, "direction"),
    ];
    let mut cell = cell(&scene);
    for (args, reason, word) in table {
        cell.refuses("push", args, reason.clone(), &[word]);
    }
    cell.does("pick", of("green_cube"));
    let args = to("red_cube", "left");
    cell.fails("push", args, Reason::GripperOccupied, &[]);
}

/// Pushes a flat object away from a wall that leaves no room for the hand behind it.
fn from_a_wall(shape: Shape, half_height_m: f64) {
    let [x, y] = [0.45, -0.05];
    let wall_y = y - shape.support(&-Vector3::y()) - 0.005;
    let low = [x - 0.15, wall_y - 0.04, TABLE_Z];
    let wall = fixed("wall", low, [x + 0.15, wall_y, TABLE_Z + 0.3]);
    let thing = object("thing", shape, [x, y, TABLE_Z + half_height_m], Some(0.2));
    let mut cell = cell(&scene([thing, wall]));
    let before = cell.position("thing");
    // An object that is pressed on sometimes sticks. With the default maximum of 20 N, the push
    // would then stop.
    let args = json!({
        "object": "thing", "direction": "left", "distance_m": 0.12, "max_force_n": 60.0
    });
    cell.does("push", args);
    let off = cell.position("thing") - before - Vector3::y() * 0.12;
    assert!(off.norm() < 0.013, "the object is {:.4} m off", off.norm());
}

#[test]
fn what_is_flat_is_taken_along_from_above_where_there_is_no_room_behind_it() {
    let book = cuboid([0.07, 0.05, 0.01]);
    from_a_wall(book, 0.01);
    from_a_wall(solids::plate(0.07, 0.005, 0.01), 0.0075);
}
