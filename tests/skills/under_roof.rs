//! Placing objects below an overhang: in a shelf that is open only at the front, and under a bench.

use crate::common::*;
use regrasp::Cell;
use regrasp::api::Reason;
use regrasp::api::solids::boxed;
use regrasp::scene::SceneObject;
use serde_json::{Value, json};

const HALF_M: f64 = 0.06;
const FLOOR_M: f64 = 0.02;

/// A shelf of the given inner width and height, m. It is 20 cm deep and open towards the robot.
fn shelf(width_m: f64, room_m: f64) -> SceneObject {
    let half_m = 0.5 * width_m;
    let wall_m = 0.5 * (room_m + FLOOR_M);
    let roof_m = FLOOR_M + room_m + 0.01;
    let parts = vec![
        boxed([0.0, 0.0, 0.5 * FLOOR_M], [0.1, half_m, 0.5 * FLOOR_M], 0.0),
        boxed([0.0, 0.0, roof_m], [0.1, half_m, 0.01], 0.0),
        boxed([0.0, half_m + 0.005, wall_m], [0.1, 0.005, wall_m], 0.0),
        boxed([0.0, -half_m - 0.005, wall_m], [0.1, 0.005, wall_m], 0.0),
        boxed([0.095, 0.0, wall_m], [0.005, half_m, wall_m], 0.0),
    ];
    compound("shelf", parts, [0.6, 0.1, TABLE_Z], None)
}

fn carton() -> SceneObject {
    let shape = cuboid([0.025, 0.025, HALF_M]);
    let at = [0.4, -0.2, TABLE_Z + HALF_M];
    object("red_carton", shape, at, Some(0.2))
}

#[test]
fn a_carton_is_put_into_a_shelf_from_its_front() {
    let mut cell = cell(&scene([shelf(0.3, 0.2), carton()]));
    let pick = pick_for("red_carton", "place_at", &on_the_floor());
    stands_on_the_floor(&mut cell, pick);
}

#[test]
fn an_object_held_from_above_is_regrasped_for_a_place_under_a_roof() {
    let mut cell = cell(&scene([shelf(0.24, 0.2), carton()]));
    stands_on_the_floor(&mut cell, of("red_carton"));
}

/// Target of the carton, on the floor of the shelf.
fn on_the_floor() -> Value {
    json!({ "x": 0.58, "y": 0.1, "z": TABLE_Z + FLOOR_M + HALF_M })
}

fn stands_on_the_floor(cell: &mut Cell, pick: Value) {
    cell.does("pick", pick);
    cell.does("place_at", on_the_floor());
    let p = cell.position("red_carton");
    assert!((p.x - 0.58).hypot(p.y - 0.1) < 0.02, "the carton is at {p}");
    let over_m = p.z - HALF_M - (TABLE_Z + FLOOR_M);
    near("height above the floor, m", over_m, 0.0, 0.003);
}

fn bench() -> SceneObject {
    let leg = |y: f64| boxed([0.0, y, 0.1], [0.1, 0.01, 0.1], 0.0);
    let board = boxed([0.0, 0.0, 0.21], [0.1, 0.17, 0.01], 0.0);
    let parts = vec![board, leg(0.16), leg(-0.16)];
    compound("bench", parts, [0.6, 0.1, TABLE_Z], None)
}

#[test]
fn what_is_open_at_both_ends_is_entered_from_the_near_one() {
    let mut cell = cell(&scene([bench(), carton()]));
    let under = json!({ "target": "bench", "relation": "under" });
    cell.picks_and("red_carton", "place_on", under);
    let p = cell.position("red_carton");
    near("height above the table, m", p.z - HALF_M, TABLE_Z, 0.003);
    // At least half of the carton is below the board.
    let is_below = (p.x - 0.6).abs() < 0.1 && (p.y - 0.1).abs() < 0.15;
    assert!(is_below, "the carton is not below the board: {p}");
}

#[test]
fn what_is_too_tall_for_a_shelf_is_not_put_through_its_roof() {
    let mut cell = cell(&scene([shelf(0.3, 0.1), carton()]));
    cell.does("pick", of("red_carton"));
    cell.fails("place_at", on_the_floor(), Reason::PlacementUnstable, &[]);
    assert!(cell.robot.held.is_some(), "the carton is not in the hand");
}
