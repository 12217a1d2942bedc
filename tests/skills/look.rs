//! Motion of the wrist camera, in simulation.

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
        let truth = cell.truth();
        let tool_from_camera = cell.robot.info.tool_from_wrist_camera.unwrap();
        let world_from_camera = truth.world_from_tool * tool_from_camera;
        let cube = truth.object(&id("red_cube")).unwrap();
        let at = cube.world_from_object.translation.vector - world_from_camera.translation.vector;
        let sight = world_from_camera.rotation * Vector3::z();
        assert!(at.angle(&sight) < 0.02, "{:.3} rad off", at.angle(&sight));
        assert!(
            (at.norm() - distance_m).abs() < 0.005,
            "{:.3} m away",
            at.norm()
        );
    }
}

#[test]
fn what_is_not_seen_or_too_near_is_not_looked_at() {
    let mut cell = cell(&scene([cube("red_cube", 0.02, 0.4, 0.0)]));
    for (args, reason) in [
        (of("mug"), Reason::ObjectNotFound),
        (
            json!({ "object": "red_cube", "distance_m": 0.01 }),
            Reason::BadArguments,
        ),
    ] {
        cell.fails("look", args, reason, &[]);
    }
    cell.robot.info.tool_from_wrist_camera = None;
    cell.fails(
        "look",
        of("red_cube"),
        Reason::BadArguments,
        &["no wrist camera"],
    );
}
