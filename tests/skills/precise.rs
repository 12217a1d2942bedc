//! Precise placements in simulation: side by side, across two supports, into a hole, and upright.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::common::*;
use nalgebra::{UnitQuaternion, UnitVector3, Vector3};
use regrasp::Cell;
use regrasp::api::{Goal, PortKind, Pose, Reason, Relation, Shape, Upright};
use regrasp::scene::{Scene, SceneObject};
use serde_json::json;

fn turned(mut object: SceneObject, yaw: f64) -> SceneObject {
    object.world_from_object.rotation = about(Vector3::z_axis(), yaw);
    object
}

fn about(axis: UnitVector3<f64>, angle: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&axis, angle)
}

#[test]
fn two_cubes_stand_side_by_side_and_a_third_lies_across_both() {
    let things = [
        turned(cube("red_cube", 0.02, 0.3, -0.12), 0.5),
        turned(cube("green_cube", 0.02, 0.4, 0.06), 0.9),
        turned(cube("blue_cube", 0.02, 0.28, 0.15), 0.1),
    ];
    let mut cell = cell(&scene(things));
    let close = json!({ "target": "green_cube", "close": true });
    cell.picks_and("red_cube", "place_beside", close);
    let against = Goal::Related {
        relation: Relation::Against,
        object: id("red_cube"),
        target: id("green_cube"),
    };
    assert_goal(&mut cell, &against, true);
    let apart = cell.position("red_cube") - cell.position("green_cube");
    within("cubes face to face, m", apart.xy().norm(), 0.04..0.05);
    let both = json!({ "target": "red_cube", "also": "green_cube" });
    cell.picks_and("blue_cube", "place_on", both);
    let across = Goal::Across {
        object: id("blue_cube"),
        targets: [id("red_cube"), id("green_cube")],
    };
    assert_goal(&mut cell, &across, true);
    let z = cell.position("blue_cube").z;
    near("height on both, m", z, TABLE_Z + 0.06, 0.002);
}

#[test]
fn nothing_lies_across_two_that_differ_in_height_or_stand_apart() {
    let things = [
        cube("red_cube", 0.02, 0.3, -0.12),
        cube("green_cube", 0.02, 0.4, 0.06),
        cube("small_cube", 0.012, 0.4, 0.1),
        cube("blue_cube", 0.02, 0.5, -0.05),
    ];
    let mut cell = cell(&scene(things));
    cell.does("pick", of("red_cube"));
    for (also, told) in [("small_cube", "level"), ("blue_cube", "apart")] {
        let args = json!({ "target": "green_cube", "also": also });
        cell.fails("place_on", args, Reason::PlacementUnstable, &[told]);
    }
    let args = json!({ "target": "green_cube", "also": "red_cube" });
    cell.fails("place_on", args, Reason::BadArguments, &[]);
    assert!(cell.robot.held.is_some(), "the cube is not in the hand");
}

fn peg_scene(seed: u64) -> Scene {
    instance("maniskill/peg_insertion_side", seed).scene
}

fn pick_peg(cell: &mut Cell) {
    cell.does("pick", pick_for("peg", "insert", &on("box")));
}

#[test]
fn a_peg_goes_into_the_hole_and_stays_there_when_let_go() {
    let mut cell = cell(&peg_scene(2));
    pick_peg(&mut cell);
    cell.does("insert", on("the box"));
    assert!(cell.robot.held.is_none());
    assert_inserted(&mut cell, "peg", "box");
}

#[test]
fn a_hole_that_is_blocked_is_told_and_the_peg_stays_in_the_hand() {
    let mut scene = peg_scene(2);
    let hole = scene.ports.iter().find(|p| p.object == id("box")).unwrap();
    let body = thing(&scene, "box");
    let stopper = Pose::translation(0.03, 0.0, 0.0);
    let at = body.world_from_object * hole.object_from_port * stopper;
    let shape = Shape::Sphere { radius: 0.01 };
    let mut ball = object("stopper", shape, [0.0; 3], None);
    ball.world_from_object = at;
    scene.objects.push(ball);
    let mut cell = cell(&scene);
    pick_peg(&mut cell);
    let result = call(&mut cell.robot, "insert", on("box"));
    let told = [Reason::GoalInCollision, Reason::PathBlocked];
    failed_with_any(&result, &told);
    assert!(cell.robot.held.is_some(), "the peg is not in the hand");
}

#[test]
fn what_has_no_hole_or_too_small_a_one_is_told_before_anything_moves() {
    let mut scene = peg_scene(1);
    let mut cell = cell(&scene);
    pick_peg(&mut cell);
    let words = ["objects with one: box"];
    cell.refuses("insert", on("table"), Reason::BadArguments, &words);
    let ports = scene.ports.iter_mut().filter(|p| p.kind == PortKind::Hole);
    ports.for_each(|p| p.half_size_m = [0.01; 2]);
    let mut cell = crate::common::cell(&scene);
    cell.does("pick", of("peg"));
    let words = ["20.0 x 20.0 mm"];
    cell.fails("insert", on("box"), Reason::BadArguments, &words);
}

/// Sets a carton upright and checks its final height. The initial rotation is `turn`, followed by
/// `yaw`, rad, about the vertical.
fn set_upright([x, y, z]: [f64; 3], turn: UnitQuaternion<f64>, yaw: f64) {
    let shape = cuboid([0.022, 0.024, 0.05]);
    let mut carton = object("red_carton", shape, [x, y, TABLE_Z + z], Some(0.1));
    carton.world_from_object.rotation = about(Vector3::z_axis(), yaw) * turn;
    let mut cell = cell(&scene([carton]));
    cell.picks_and("red_carton", "reorient", json!({}));
    let upright = Goal::Upright {
        object: id("red_carton"),
    };
    assert_goal(&mut cell, &upright, true);
    let z = cell.position("red_carton").z;
    near("height of what stands, m", z, TABLE_Z + 0.05, 0.003);
}

#[test]
fn a_carton_that_lies_is_set_upright() {
    let lies = about(Vector3::y_axis(), FRAC_PI_2);
    for (yaw, x, y) in [(0.3, 0.35, -0.1), (1.9, 0.3, 0.12), (-2.2, 0.4, 0.05)] {
        set_upright([x, y, 0.022], lies, yaw);
    }
}

/// Checks one position; the task `stand_up` covers others.
#[test]
fn a_carton_that_stands_on_its_head_is_laid_down_and_regrasped() {
    set_upright([0.35, -0.1, 0.05], about(Vector3::x_axis(), PI), 0.3);
}

/// A slab is too low to be turned over, because a hand beside the slab would collide with the
/// table.
#[test]
fn what_no_grip_turns_over_is_told_with_what_was_looked_at() {
    let shape = cuboid([0.02, 0.024, 0.008]);
    let mut slab = object("red_slab", shape, [0.35, 0.0, TABLE_Z + 0.008], Some(0.05));
    slab.world_from_object.rotation = about(Vector3::x_axis(), PI);
    slab.upright = Some(Upright::Z);
    let mut cell = cell(&scene([slab]));
    cell.does("pick", of("red_slab"));
    let before = cell.robot.observe().unwrap().joint_positions;
    let result = call(&mut cell.robot, "reorient", json!({}));
    let detail = result.reason_detail.to_string();
    assert!(!result.success, "{detail}");
    says(&detail, &["regrasping red_slab would not help"]);
    let now = cell.robot.observe().unwrap().joint_positions;
    assert_eq!(before, now, "the arm moved, although the call was refused");
}

#[test]
fn what_would_graze_the_table_at_a_point_is_held_just_above_it_and_what_would_sink_in_is_not() {
    let mut cell = cell(&scene([cube("red_cube", 0.02, 0.4, 0.1)]));
    cell.does("pick", of("red_cube"));
    let at = |z: f64| json!({ "x": 0.45, "y": -0.1, "z": z });
    cell.does("carry_to", at(TABLE_Z + 0.02));
    let stands = cell.position("red_cube");
    let off = stands - Vector3::new(0.45, -0.1, TABLE_Z + 0.02);
    assert!(off.norm() < 0.01, "the cube is {off} m from the point");
    cell.fails("carry_to", at(TABLE_Z), Reason::GoalInCollision, &[]);
}

#[test]
fn what_hangs_lower_than_believed_is_let_go_of_where_it_stands() {
    let mut cell = cell(&scene([cube("red_cube", 0.02, 0.4, 0.1)]));
    cell.does("pick", of("red_cube"));
    // The tool's z axis points down, so that the cube is believed to be 8 mm higher than it is.
    let held = cell.robot.held.as_mut().unwrap();
    held.tool_from_object.translation.z -= 0.008;
    cell.does("place_at", json!({ "x": 0.45, "y": -0.1 }));
    let off = cell.position("red_cube") - Vector3::new(0.45, -0.1, TABLE_Z + 0.02);
    assert!(off.norm() < 0.01, "the cube is {off} m from its target");
}
