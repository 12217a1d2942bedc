//! The skill `look`, which points the wrist camera at an object, in simulation.

use crate::common::*;
use nalgebra::Vector3;
use regrasp::api::Reason;
use serde_json::json;

#[test]
fn the_wrist_camera_looks_at_what_is_named() {
    for (x, y, distance_m) in [(0.4, 0.0, 0.3), (0.3, 0.25, 0.25), (0.5, -0.2, 0.4)] {
        let mut cell = cell(&scene([cube("red_cube", 0.02, x, y)]));
        let args = json!({ "object": "the red cube", "distance_m": distance_m });
        cell.does("look", args);
        let tool_from_camera = cell.robot.info.tool_from_wrist_camera.unwrap();
        let world_from_camera = cell.truth().world_from_tool * tool_from_camera;
        let at = cell.position("red_cube") - world_from_camera.translation.vector;
        let sight = world_from_camera.rotation * Vector3::z();
        within("line of sight off the cube, rad", at.angle(&sight), ..0.02);
        near("distance of the camera, m", at.norm(), distance_m, 0.005);
    }
}

#[test]
fn what_is_not_seen_or_too_near_is_not_looked_at() {
    let mut cell = cell(&scene([cube("red_cube", 0.02, 0.4, 0.0)]));
    let near = json!({ "object": "red_cube", "distance_m": 0.01 });
    cell.fails("look", of("mug"), Reason::ObjectNotFound, &[]);
    cell.fails("look", near, Reason::BadArguments, &[]);
    cell.robot.info.tool_from_wrist_camera = None;
    let words = ["no wrist camera"];
    cell.fails("look", of("red_cube"), Reason::BadArguments, &words);
}
