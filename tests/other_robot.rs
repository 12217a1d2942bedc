//! Nothing is made for the Panda: a six-axis arm with another gripper does the same.

#![expect(
    clippy::unwrap_used,
    reason = "a robot that cannot be loaded fails the test"
)]

mod common;

use std::fs;
use std::path::PathBuf;

use common::{TABLE_Z, call, cube, of, on, scene};
use regrasp::api::{Pose, Reason};
use regrasp::perception::NoiseOptions;
use regrasp::scene::{Scene, load_robot};
use regrasp::sim::SimOptions;
use regrasp::{Kit, SetupError};
use serde_json::json;

fn folder() -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/ur5e"
    ))
}

fn two_cubes() -> Scene {
    let mut scene = scene([
        cube("red_cube", 0.015, 0.42, -0.12),
        cube("green_cube", 0.02, 0.4, 0.15),
    ]);
    scene.world_from_base = Pose::translation(-0.05, 0.0, TABLE_Z);
    scene.start_width_m = 0.085;
    scene
}

#[test]
fn a_six_axis_arm_picks_stacks_and_says_why_not() {
    let kit = Kit::new(load_robot(folder().join("ur5e.yaml")).unwrap()).unwrap();
    let mut robot = kit
        .cell(&two_cubes(), SimOptions::default(), NoiseOptions::default())
        .unwrap()
        .robot;
    for (skill, args) in [
        ("pick", of("red cube")),
        ("place_on", on("green cube")),
        ("pick", of("red cube")),
        ("carry_to", json!({"x": 0.4, "y": -0.1, "z": 0.3})),
        ("place_at", json!({"x": 0.35, "y": -0.2})),
        ("home", json!({})),
    ] {
        let result = call(&mut robot, skill, args);
        assert!(
            result.success,
            "{skill}: {:?} {}",
            result.reason, result.reason_detail
        );
    }
    let mut far = two_cubes();
    far.objects[1].world_from_object = Pose::translation(1.3, 0.0, TABLE_Z + 0.015);
    let mut robot = kit
        .cell(&far, SimOptions::default(), NoiseOptions::default())
        .unwrap()
        .robot;
    let result = call(&mut robot, "pick", of("red cube"));
    assert_eq!(
        result.reason,
        Some(Reason::Unreachable),
        "{}",
        result.reason_detail
    );
}

#[test]
fn a_tool_frame_that_skills_cannot_use_is_refused() {
    let dir = tempfile::TempDir::new().unwrap();
    let text = fs::read_to_string(folder().join("ur5e.urdf")).unwrap();
    let turned = text.replace(
        r#"<origin xyz="0 0 0.108"/>"#,
        r#"<origin xyz="0 0 0.108" rpy="0 0 1.5707963267948966"/>"#,
    );
    assert_ne!(turned, text, "the tool link was found");
    fs::write(dir.path().join("ur5e.urdf"), turned).unwrap();
    fs::copy(folder().join("ur5e.yaml"), dir.path().join("ur5e.yaml")).unwrap();
    let refused = Kit::new(load_robot(dir.path().join("ur5e.yaml")).unwrap()).unwrap_err();
    assert!(matches!(refused, SetupError::ToolAxes { .. }), "{refused}");
    assert!(
        refused.to_string().contains("y axis of the tool link"),
        "{refused}"
    );
}
