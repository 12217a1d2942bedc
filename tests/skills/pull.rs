//! Dragging objects over a table, in simulation.

use crate::common::*;
use nalgebra::Vector3;
use regrasp::api::Reason;
use regrasp::sim::Disturbance;
use serde_json::json;

#[test]
fn things_are_dragged_without_being_lifted() {
    let shape = cylinder(0.02, 0.04);
    // The can is close enough for the hand to grasp it at half its height. Dragged by its rim, it
    // would tip over.
    let can = object("blue_can", shape, [0.42, -0.1, TABLE_Z + 0.04], Some(0.3));
    for (thing, direction, way) in [
        (cube("red_cube", 0.012, 0.5, 0.1), "back", [-0.15, 0.0]),
        (cube("red_cube", 0.025, 0.45, 0.0), "left", [0.0, 0.15]),
        (can, "back", [-0.15, 0.0]),
    ] {
        let id = thing.id.to_string();
        let mut cell = cell(&scene([thing]));
        let before = cell.position(&id);
        let args = json!({ "object": id, "direction": direction, "distance_m": 0.15 });
        cell.does("pull", args);
        let off = cell.position(&id) - before - Vector3::new(way[0], way[1], 0.0);
        assert!(off.norm() < 0.015, "{id} is {:.4} m off", off.norm());
        assert!(cell.robot.held.is_none());
        cell.is_untouched(&id);
        // The object was not lifted: its contact with the table never ended.
        let contacts = cell.truth().contacts;
        let mut on_table = contacts.iter().filter(|c| c.with.as_str() == "table");
        let rubbed = on_table.find(|c| c.by.name() == id);
        let is_long = rubbed.is_some_and(|c| c.duration_secs > 0.5);
        assert!(is_long, "{contacts:?}");
    }
}

#[test]
fn what_leaves_the_hand_is_not_claimed() {
    let args = json!({ "object": "red_cube", "direction": "back", "distance_m": 0.15 });
    let scene = scene([cube("red_cube", 0.02, 0.5, 0.0)]);
    let begins = begins(&scene, "pull", &args, "drag");
    let mut cell = cell(&scene);
    // The horizontal force pulls the cube out of the hand.
    let pulled = Disturbance::PushObject {
        object: id("red_cube"),
        force_in_world: [40.0, 40.0, 0.0],
        duration_secs: 0.15,
    };
    disturb(&cell, at(begins + 0.2), pulled);
    let result = call(&mut cell.robot, "pull", args);
    let told = [Reason::ObjectDropped, Reason::GraspSlipped];
    failed_with_any(&result, &told);
    assert!(cell.robot.held.is_none());
}

#[test]
fn what_cannot_be_held_is_no_grasp_found() {
    let shape = cuboid([0.06, 0.06, 0.06]);
    let crate_ = object("grey_crate", shape, [0.5, 0.0, TABLE_Z + 0.06], Some(0.5));
    let mut cell = cell(&scene([crate_]));
    let args = json!({ "object": "grey_crate", "direction": "back" });
    cell.fails("pull", args, Reason::NoGraspFound, &[]);
}
