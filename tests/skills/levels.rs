//! Commands about things on several levels: boards of a shelf, loads, lids and closed drawers.

use regrasp::Episode;
use regrasp::ground_truth::GroundTruthObject;

use crate::common::*;

/// A rack with two boards and a roof, open towards the robot; a jar below, a tin above, and a ball.
const RACK: &str = "
  - id: rack
    kind: compound
    category: shelf
    fixed: true
    position: [0.5, 0.15, 0.04]
    parts:
      - {half_extents: [0.11, 0.18, 0.005], position: [0, 0, 0.005]}
      - {half_extents: [0.11, 0.18, 0.005], position: [0, 0, 0.225]}
      - {half_extents: [0.11, 0.18, 0.005], position: [0, 0, 0.445]}
      - {half_extents: [0.11, 0.005, 0.225], position: [0, 0.18, 0.225]}
      - {half_extents: [0.11, 0.005, 0.225], position: [0, -0.18, 0.225]}
      - {half_extents: [0.005, 0.18, 0.225], position: [0.11, 0, 0.225]}
  - {id: jar, kind: cylinder, radius: 0.02, height: 0.08, mass_kg: 0.1, position: [0.44, 0.2, 0.09]}
  - {id: tin, kind: box, size: [0.05, 0.05, 0.09], mass_kg: 0.1, position: [0.44, 0.1, 0.315]}
  - {id: ball, kind: ball, radius: 0.025, mass_kg: 0.05, on: table, xy: [0.25, -0.2]}
";
/// A plank across two blocks.
const BRIDGE: &str = "
  - {id: red_block, kind: box, size: [0.04, 0.04, 0.09], mass_kg: 0.1, color: red, on: table, xy: [0.4, 0.12]}
  - {id: blue_block, kind: box, size: [0.04, 0.04, 0.09], mass_kg: 0.1, color: blue, on: table, xy: [0.4, -0.02]}
  - {id: plank, kind: box, size: [0.02, 0.18, 0.012], mass_kg: 0.08, position: [0.4, 0.04, 0.136]}
";
/// A closed cabinet with a coin in its drawer and a can on top, and a die beside it.
const CABINET: &str = "
  - id: cabinet
    kind: articulated
    fixed: true
    on: table
    xy: [0.5, -0.2]
    parts:
      - {half_extents: [0.1, 0.11, 0.005], position: [0, 0, 0.005]}
      - {half_extents: [0.1, 0.11, 0.005], position: [0, 0, 0.095]}
      - {half_extents: [0.1, 0.005, 0.045], position: [0, 0.105, 0.05]}
      - {half_extents: [0.1, 0.005, 0.045], position: [0, -0.105, 0.05]}
      - {half_extents: [0.005, 0.1, 0.045], position: [0.095, 0, 0.05]}
    bodies:
      drawer:
        position: [0, 0, 0.05]
        mass_kg: 0.5
        parts:
          - {half_extents: [0.09, 0.095, 0.004], position: [-0.005, 0, -0.03]}
          - {half_extents: [0.09, 0.004, 0.024], position: [-0.005, 0.091, -0.008]}
          - {half_extents: [0.09, 0.004, 0.024], position: [-0.005, -0.091, -0.008]}
          - {half_extents: [0.004, 0.095, 0.024], position: [0.081, 0, -0.008]}
          - {half_extents: [0.006, 0.098, 0.036], position: [-0.101, 0, 0]}
          - {half_extents: [0.014, 0.005, 0.005], position: [-0.121, 0.03, 0]}
          - {half_extents: [0.014, 0.005, 0.005], position: [-0.121, -0.03, 0]}
          - {half_extents: [0.005, 0.035, 0.005], position: [-0.14, 0, 0]}
        joint: {kind: slide, axis: [1, 0, 0], range: [-0.15, 0], closed_at: 0, damping: 20}
  - {id: coin, kind: cylinder, radius: 0.018, height: 0.02, mass_kg: 0.03, position: [0.45, -0.2, 0.075]}
  - {id: can, kind: cylinder, radius: 0.025, height: 0.09, mass_kg: 0.15, on: cabinet}
  - {id: die, kind: cube, half_extents: 0.01, mass_kg: 0.02, on: table, xy: [0.3, 0.15]}
";
/// A chest with a coaster on its closed lid.
const CHEST: &str = "
  - id: chest
    kind: articulated
    fixed: true
    on: table
    xy: [0.42, 0.1]
    parts:
      - {half_extents: [0.09, 0.11, 0.005], position: [0, 0, 0.005]}
      - {half_extents: [0.005, 0.11, 0.04], position: [0.085, 0, 0.05]}
      - {half_extents: [0.005, 0.11, 0.04], position: [-0.085, 0, 0.05]}
      - {half_extents: [0.09, 0.005, 0.04], position: [0, 0.105, 0.05]}
      - {half_extents: [0.09, 0.005, 0.04], position: [0, -0.105, 0.05]}
    bodies:
      lid:
        mass_kg: 0.2
        parts:
          - {half_extents: [0.09, 0.11, 0.004], position: [-0.09, 0, 0.004]}
          - {half_extents: [0.01, 0.03, 0.006], position: [-0.19, 0, 0.004]}
        position: [0.09, 0, 0.092]
        joint: {kind: hinge, axis: [0, 1, 0], range: [0, 2.0], damping: 0.15, friction: 0.05}
  - {id: coaster, kind: cylinder, radius: 0.035, height: 0.012, mass_kg: 0.06, position: [0.4, 0.1, 0.147]}
";
/// A tray with a lime in it, and a brick beside it.
const TRAY: &str = "
  - {id: tray, kind: tray, size: [0.16, 0.2], height: 0.03, wall: 0.005, mass_kg: 0.3, on: table, xy: [0.45, 0.1]}
  - {id: lime, kind: ball, radius: 0.022, mass_kg: 0.06, on: tray, xy: [0.44, 0.13]}
  - {id: brick, kind: box, size: [0.05, 0.05, 0.04], mass_kg: 0.1, on: table, xy: [0.3, -0.1]}
";

/// A lying can, and a carton.
const LYING: &str = "
  - {id: can, kind: cylinder, radius: 0.025, height: 0.1, mass_kg: 0.15, position: [0.4, -0.1, 0.065], quat_xyzw: [0.5, 0.5, 0.5, 0.5]}
  - {id: carton, kind: box, size: [0.06, 0.06, 0.06], mass_kg: 0.1, on: table, xy: [0.45, 0.15]}
";
/// A carton on a bench that stands on the table.
const BENCH: &str = "
  - {id: bench, kind: box, size: [0.25, 0.3, 0.16], fixed: true, on: table, xy: [0.4, -0.4]}
  - {id: carton, kind: box, size: [0.05, 0.05, 0.06], mass_kg: 0.1, on: bench}
";

type Check = fn(&dyn Fn(&str) -> GroundTruthObject) -> bool;

fn bottom_z(object: &GroundTruthObject) -> f64 {
    object.shape.aabb(&object.world_from_object).min[2]
}

fn is_level(object: &GroundTruthObject) -> bool {
    (object.world_from_object.rotation * nalgebra::Vector3::z()).z > 0.99
}

fn on_one_board(a: &GroundTruthObject, b: &GroundTruthObject) -> bool {
    (bottom_z(a) - bottom_z(b)).abs() < 0.01
}

fn is_lime_in_tray(object: &dyn Fn(&str) -> GroundTruthObject) -> bool {
    let [lime, tray] = ["lime", "tray"].map(|id| object(id).world_from_object.translation.vector);
    (lime - tray).xy().norm() < 0.1
}

fn play(objects: &str, command: &str) -> Episode {
    let table = "{id: table, kind: table, size: [1.3, 1.4], top_z: 0.04, xy: [0.75, 0]}";
    let text = format!("arm: {{position: [-0.3, 0, 0]}}\nobjects:\n  - {table}{objects}");
    let scene = scene_in(tempfile::tempdir().unwrap().path(), &text);
    episode(&scene, command)
}

#[test]
fn an_object_without_a_free_place_stays_where_it_is() {
    let played = play(TRAY, "put the brick to the left of the lime");
    let why = &played.result.final_detail;
    assert!(why.contains("placement_unstable"), "{why}");
    let brick = played
        .last
        .objects
        .iter()
        .find(|o| o.id.as_str() == "brick");
    let at = brick.unwrap().world_from_object.translation.vector;
    let moved_m = (at.xy() - nalgebra::Vector2::new(0.3, -0.1)).norm();
    assert!(moved_m < 0.001, "the brick moved by {moved_m:.4} m");
}

#[test]
fn what_a_command_leaves_unsaid_is_kept_on_each_level() {
    let rows: &[(&str, &str, Check)] = &[
        (RACK, "put the ball next to the jar", |o| {
            on_one_board(&o("ball"), &o("jar"))
        }),
        (RACK, "put the ball to the left of the tin", |o| {
            on_one_board(&o("ball"), &o("tin"))
        }),
        (BRIDGE, "pick up the red block", |o| is_level(&o("plank"))),
        (CABINET, "put the coin on the table", |o| {
            bottom_z(&o("coin")) < TABLE_Z + 0.005
        }),
        (CHEST, "open the chest", |o| is_level(&o("coaster"))),
        (CABINET, "put the die next to the coin", |o| {
            on_one_board(&o("die"), &o("coin"))
        }),
        (LYING, "stand the can next to the carton", |o| {
            // It may stand on either end.
            let up = o("can").world_from_object.rotation * nalgebra::Vector3::z();
            up.z.abs() > 0.99
        }),
        (BENCH, "take the carton off the bench", |o| {
            bottom_z(&o("carton")) < TABLE_Z + 0.005
        }),
        (TRAY, "push the tray 5 cm to the left", is_lime_in_tray),
        (TRAY, "move the tray 5 cm to the left", is_lime_in_tray),
    ];
    for (objects, command, check) in rows {
        let played = play(objects, command);
        assert!(played.result.success, "{command}: {:?}", played.result);
        let object = |id: &str| Truth::object(&played.last, id);
        assert!(check(&object), "{command}: {:?}", played.last.objects);
    }
}
