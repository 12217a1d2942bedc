//! Picking and placing by arms on a pedestal or in a recess of a table.

use crate::common::*;
use regrasp::api::Reason;
use regrasp::scene::Scene;
use serde_json::json;

fn scene(arm: &str, table: &str) -> Scene {
    let text = format!(
        "arm: {arm}\nobjects:\n  - {{id: table, kind: table, {table}, top_z: 0.4}}\n  \
         - {{id: red_cube, kind: cube, half_extents: 0.02, mass_kg: 0.05, on: table, xy: [0.5, 0.1]}}\n  \
         - {{id: plate, kind: plate, radius: 0.09, thickness: 0.006, rim: 0.012, mass_kg: 0.2, on: table, xy: [0.45, -0.2]}}\n"
    );
    scene_in(tempfile::tempdir().unwrap().path(), &text)
}

fn on_pedestal() -> Scene {
    let arm = "{position: [0.0, 0.05, 0.45], yaw_rad: 0.2, pedestal: {size: [0.32, 0.36]}}";
    scene(arm, "size: [0.7, 1.2], xy: [0.6, 0.0]")
}

fn let_in() -> Scene {
    let arm = "{on: table, xy: [0.0, 0.05], let_in_m: 0.06, yaw_rad: 0.2}";
    scene(arm, "size: [1.4, 1.2], xy: [0.3, 0.0], thickness: 0.08")
}

#[track_caller]
fn check_picks_and_places(scene: &Scene) {
    let mut cell = cell(scene);
    cell.picks_and("red_cube", "place_on", on("plate"));
    // The second target is near the base, where the arm is close to its mount.
    cell.does("pick", of("red_cube"));
    cell.does("place_at", json!({ "x": 0.32, "y": 0.2 }));
    near("height, m", cell.position("red_cube").z, 0.42, 0.002);
}

#[test]
fn an_arm_on_a_pedestal_picks_and_places() {
    check_picks_and_places(&on_pedestal());
}

#[test]
fn an_arm_that_is_let_into_a_table_picks_and_places() {
    check_picks_and_places(&let_in());
}

/// Checks that the pedestal is an obstacle for the held object.
#[test]
fn a_pedestal_is_in_the_way() {
    let mut cell = cell(&on_pedestal());
    cell.does("pick", of("red_cube"));
    // The target is beside the base, below the top of the pedestal.
    let inside = json!({ "x": 0.13, "y": 0.18, "z": 0.44 });
    cell.fails("carry_to", inside, Reason::GoalInCollision, &["pedestal"]);
}
