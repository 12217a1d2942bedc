//! Grasps and placements that are harder than a cube on an empty table.

use crate::common::*;
use regrasp::api::solids::boxed;
use regrasp::ground_truth::stray_contacts;
use regrasp::scene::SceneObject;
use serde_json::{Value, json};

/// A pot without a handle, 9 cm wide: twelve walls that are 5 mm thick, on a floor.
fn pot(x: f64, y: f64) -> SceneObject {
    let wall = |i: usize| {
        let angle = std::f64::consts::TAU * i as f64 / 12.0;
        let (sin, cos) = angle.sin_cos();
        let at = [0.0425 * cos, 0.0425 * sin, 0.0];
        boxed(at, [0.0025, 0.0115, 0.04], angle)
    };
    let floor = boxed([0.0, 0.0, -0.038], [0.03, 0.03, 0.002], 0.0);
    let parts = (0..12).map(wall).chain([floor]).collect();
    compound("white_pot", parts, [x, y, TABLE_Z + 0.04], Some(0.15))
}

/// A tray of 12 x 12 cm with walls of 4 cm.
fn tray(x: f64, y: f64) -> SceneObject {
    let parts = vec![
        boxed([0.0, 0.0, -0.018], [0.06, 0.06, 0.002], 0.0),
        boxed([0.058, 0.0, 0.0], [0.002, 0.06, 0.02], 0.0),
        boxed([-0.058, 0.0, 0.0], [0.002, 0.06, 0.02], 0.0),
        boxed([0.0, 0.058, 0.0], [0.056, 0.002, 0.02], 0.0),
        boxed([0.0, -0.058, 0.0], [0.056, 0.002, 0.02], 0.0),
    ];
    compound("brown_tray", parts, [x, y, TABLE_Z + 0.02], Some(0.3))
}

/// A compartment of the given width, with a high wall behind and a low one in front.
fn compartment(x: f64, y: f64, inside_m: f64) -> SceneObject {
    let wall = |side: f64, half_height_m: f64| {
        let at_x = side * (0.5 * inside_m + 0.004);
        let at = [at_x, 0.0, half_height_m];
        boxed(at, [0.004, 0.08, half_height_m], 0.0)
    };
    let floor = boxed([0.0, 0.0, 0.006], [0.5 * inside_m, 0.08, 0.006], 0.0);
    let parts = vec![floor, wall(1.0, 0.084), wall(-1.0, 0.05)];
    compound("brown_caddy", parts, [x, y, TABLE_Z], None)
}

/// The compartment leaves the fingers 0.5 mm to open, so that one of them stops at the wall.
#[test]
fn a_wall_that_stops_a_finger_when_both_have_let_go_is_no_failure() {
    let shape = cuboid([0.0143, 0.055, 0.067]);
    let at = [0.45, -0.15, TABLE_Z + 0.067];
    let slab = object("black_slab", shape, at, Some(0.04));
    let mut cell = cell(&scene([slab, compartment(0.38, 0.12, 0.0576)]));
    let at = json!({ "x": 0.38, "y": 0.12 });
    cell.picks_and("black slab", "place_at", at);
    let z = cell.position("black_slab").z;
    near("height, m", z, TABLE_Z + 0.012 + 0.067, 0.002);
}

#[test]
fn a_pot_wider_than_the_hand_is_lifted_by_its_wall() {
    let (first, last, _) = done(&scene([pot(0.45, 0.1)]), &[("pick", of("pot"))]);
    let rise_m = last.position("white_pot").z - first.position("white_pot").z;
    within("rise of the pot, m", rise_m, 0.03..);
    within("fingers at a 5 mm wall, m", last.gripper_width_m, ..0.01);
    let strays = stray_contacts(&first, &last, &[]);
    assert_eq!(strays.len(), 0, "{:?}", last.contacts);
}

#[test]
fn a_cube_goes_into_a_tray_and_the_tray_stays() {
    let scene = scene([cube("red_cube", 0.018, 0.42, -0.1), tray(0.45, 0.12)]);
    let calls = [("pick", of("red cube")), ("place_on", on("tray"))];
    let (first, last, _) = done(&scene, &calls);
    let z = last.position("red_cube").z;
    near("height, m", z, TABLE_Z + 0.004 + 0.018, 0.002);
    let moved = (last.position("brown_tray") - first.position("brown_tray")).norm();
    assert!(moved < 0.003, "the tray was moved by {moved:.4} m");
}

#[test]
fn beside_and_left_of_are_where_they_say() {
    let green = cube("green_cube", 0.02, 0.45, 0.08);
    let scene = scene([cube("red_cube", 0.018, 0.42, -0.1), green]);
    let put = |side: Value| {
        let place = json!({"target": "green cube", "side": side});
        let calls = [("pick", of("red cube")), ("place_beside", place)];
        let (first, last, _) = done(&scene, &calls);
        let moved = (last.position("green_cube") - first.position("green_cube")).norm();
        assert!(moved < 0.001, "the green cube was moved by {moved:.4} m");
        let strays = stray_contacts(&first, &last, &[]);
        assert_eq!(strays.len(), 0, "{:?}", last.contacts);
        last.position("red_cube") - last.position("green_cube")
    };
    let left = put(json!("left"));
    within("displacement along y (left), m", left.y, 0.05..);
    near("displacement along x (forward), m", left.x, 0.0, 0.02);
    let nearest = put(Value::Null);
    within("way to the nearest side (-y), m", nearest.y, ..-0.05);
}
