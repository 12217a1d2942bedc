//! Robots other than the Panda: arms with six and seven axes and another gripper pick and place,
//! and an arm without a gripper pushes and presses.

use std::fs;
use std::path::PathBuf;

use crate::common::*;
use nalgebra::{UnitQuaternion, Vector3};
use regrasp::api::{ObjectId, Pose, Reason};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::kinematics::GripperError;
use regrasp::robot::Robot;
use regrasp::scene::{Scene, builtin_robot_named, builtin_task, load_robot};
use regrasp::sim::SimOptions;
use regrasp::{LoadedRobot, SetupError};
use regrasp_testkit::rows;
use serde_json::json;

fn folder(name: &str) -> PathBuf {
    regrasp_assets::workspace_root()
        .join("tests/data")
        .join(name)
}

fn loaded(name: &str) -> LoadedRobot {
    let file = load_robot(folder(name).join(format!("{name}.yaml"))).unwrap();
    LoadedRobot::new(file).unwrap()
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

/// Checks that a robot picks, stacks, carries and places, and reports an object that is too far
/// away.
fn picks_stacks_and_says_why_not(name: &str) {
    let loaded = loaded(name);
    let mut robot = cell_of(&loaded, &two_cubes()).robot;
    for (skill, args) in [
        ("pick", of("red cube")),
        ("place_on", on("green cube")),
        ("pick", of("red cube")),
        ("carry_to", json!({"x": 0.4, "y": -0.1, "z": 0.3})),
        ("place_at", json!({"x": 0.35, "y": -0.2})),
        ("home", json!({})),
    ] {
        robot.does(skill, args);
    }
    let mut far = two_cubes();
    far.objects[1].world_from_object = Pose::translation(1.3, 0.0, TABLE_Z + 0.015);
    // The object is beyond the workspace of the smaller arms, which is then the reason.
    let result = call(&mut cell_of(&loaded, &far).robot, "pick", of("red cube"));
    let told = [Reason::Unreachable, Reason::ObjectOutOfWorkspace];
    failed_with_any(&result, &told);
}

#[test]
fn arms_of_six_axes_and_with_an_offset_wrist_pick_stack_and_say_why_not() {
    for name in ["ur5e", "seven_axis"] {
        picks_stacks_and_says_why_not(name);
    }
}

/// The fingers move on a linkage, which the planner models as sliding fingers. Checks that cubes at
/// different positions are placed precisely nevertheless.
#[test]
fn a_hand_whose_fingers_turn_picks_stacks_and_says_why_not() {
    picks_stacks_and_says_why_not("linkage");
    let loaded = loaded("linkage");
    for seed in 0..3 {
        let mut scene = two_cubes();
        let turn = UnitQuaternion::from_euler_angles(0.0, 0.0, 0.4 * f64::from(seed));
        let cube = &mut scene.objects[1].world_from_object;
        cube.translation.vector += Vector3::new(0.01, 0.013, 0.0) * f64::from(seed);
        cube.rotation = turn;
        let mut robot = cell_of(&loaded, &scene).robot;
        robot.does("pick", of("red cube"));
        robot.does("place_at", json!({"x": 0.35, "y": -0.2}));
        let off = place_of(&mut robot, "red_cube").xy() - nalgebra::Vector2::new(0.35, -0.2);
        within(&format!("seed {seed}: off target, m"), off.norm(), ..0.01);
    }
}

#[test]
fn a_start_that_was_written_for_another_arm_is_refused() {
    let mut scene = two_cubes();
    scene.start_joints = Some(builtin_robot_named("panda").unwrap().home);
    let cell = loaded("seven_axis").cell(&scene, SimOptions::default(), NoiseOptions::default());
    let told = cell.err().expect("joints beyond limits").to_string();
    says(&told, &["`joint_4`", "outside its limits"]);
}

#[test]
fn an_arm_without_a_gripper_pushes_and_says_what_it_cannot_do() {
    let loaded = loaded("poker");
    let mut scene = two_cubes();
    scene.start_width_m = 0.0;
    let mut robot = cell_of(&loaded, &scene).robot;
    let before = place_of(&mut robot, "red_cube");
    let push = json!({"object": "red cube", "direction": "forward", "distance_m": 0.1});
    robot.does("push", push);
    let moved = place_of(&mut robot, "red_cube") - before;
    let is_there = (moved.x - 0.1).abs() < 0.013 && moved.y.abs() < 0.013;
    assert!(is_there, "the cube moved by {moved:?} m");
    for (skill, args) in [
        ("pick", of("red cube")),
        ("pull", of("red cube")),
        ("place_on", on("green cube")),
    ] {
        let words = ["the arm `poker` has none"];
        robot.fails(skill, args, Reason::NoGripper, &words);
    }
    robot.does("home", json!({}));
}

#[test]
fn an_arm_without_a_gripper_presses_buttons() {
    let loaded = loaded("poker");
    let task = builtin_task("press_button").unwrap();
    for seed in 0..4 {
        let mut scene = task.instantiate(seed).unwrap().scene;
        scene.start_width_m = 0.0;
        scene.world_from_base = Pose::translation(0.0, 0.0, TABLE_Z);
        let mut cell = cell_of(&loaded, &scene);
        cell.does("tap", json!({"button": "the red button"}));
        // The button was released in the simulator, too.
        let touched = cell.object("red_button").touches_links;
        assert!(touched.is_empty(), "seed {seed}: touched by {touched:?}");
    }
}

fn place_of(robot: &mut Robot, id: &str) -> nalgebra::Vector3<f64> {
    let percept = robot.perceive().unwrap();
    percept.object(&ObjectId::new(id)).unwrap().position()
}

/// Loads the six-axis arm with changes to its files. Returns the error that must result.
#[track_caller]
fn refused(changes: &[(&str, &str)]) -> SetupError {
    let dir = tempfile::TempDir::new().unwrap();
    let [mut urdf, mut yaml] = ["ur5e.urdf", "ur5e.yaml"]
        .map(|name| fs::read_to_string(folder("ur5e").join(name)).unwrap());
    for (from, to) in changes {
        assert!(urdf.contains(from) || yaml.contains(from), "`{from}`");
        [urdf, yaml] = [urdf, yaml].map(|text| text.replace(from, to));
    }
    fs::write(dir.path().join("ur5e.urdf"), urdf).unwrap();
    let file = dir.path().join("ur5e.yaml");
    fs::write(&file, yaml).unwrap();
    let result = LoadedRobot::new(load_robot(file).unwrap());
    result.map_or_else(|error| error, |_| panic!("{changes:?} was accepted"))
}

#[test]
fn arm_joints_that_are_not_those_of_the_chain_are_refused_with_the_right_ones() {
    let all = "joints: [shoulder_pan, shoulder_lift, elbow, wrist_1, wrist_2, wrist_3]";
    let cases = "
        shoulder_pan, shoulder_lift | shoulder_lift, shoulder_pan | entry 1; `shoulder_lift`; `shoulder_pan`
        wrist_2, wrist_3            | wrist_2, wrist_4            | entry 6; `wrist_4`; `wrist_3`
        wrist_2, wrist_3            | wrist_2, to_flange          | entry 6; `to_flange`; `wrist_3`
        elbow, wrist_1              | elbow_2, wrist_1            | entry 3; `elbow_2`; `elbow`";
    for [from, to, words] in rows(cases) {
        let error = refused(&[(all, &all.replace(&from, &to))]).to_string();
        says(&error, &words.split("; ").collect::<Vec<_>>());
        let place = "ur5e.yaml:6: ";
        let chain = "wrist_2, wrist_3, in this order";
        says(&error, &[place, "`base` to `tool`", chain]);
    }
    let base = refused(&[("base: base", "base: shoulder")]).to_string();
    let words = ["entry 1", "`shoulder_pan`, but must be `shoulder_lift`"];
    says(&base, &words);
}

#[test]
fn hands_whose_pads_are_elsewhere_than_the_robot_file_says_are_refused_with_figures() {
    let check = |changes: &[(&str, &str)], words: &str| {
        let error = refused(changes);
        let is_of_pads = matches!(error, SetupError::Gripper(GripperError::Pads { .. }));
        assert!(is_of_pads, "{error}");
        says(&error.to_string(), &words.split("; ").collect::<Vec<_>>());
    };
    // With the axes swapped, the fingers are open at position 0.
    let [one, other] = [r#"<axis xyz="0 1 0"/>"#, r#"<axis xyz="0 -1 0"/>"#];
    let words = "`finger_slide_1` moves `finger_1` towards the other pad; away";
    check(&[(one, "first"), (other, one), ("first", other)], words);
    let cases = r#"
        "0 0 0.108"      | "0 0.03 0.108"      | middle between the pads; -0.0300 m; along y of `tool`
        "0 0 0.108"      | "0 0 0.25"          | -0.1900 to -0.1340 m along z of `tool`
        "0 0 0.108"      | "0.1 0 0.108"       | along x of `tool`
        "0 0 0.108"      | "0 0 0.03"          | 0.0300 to 0.0860 m along z of `tool`
        "0 0 0.108"      | "0 0 0.108" rpy="3.14159265 0 0"  | 0.0600 m behind `hand` along z of `tool`
        [finger_1, finger_2]             | [finger_2, finger_1] | `finger_slide_1` does not carry link `finger_2`; in the order
        [finger_slide_1, finger_slide_2] | [finger_slide_2, finger_slide_1] | `finger_slide_2` does not carry link `finger_1`"#;
    for [from, to, words] in rows(cases) {
        check(&[(&from, &to)], &words);
    }
    let apart = refused(&[("0 0.006 0.028", "0 0.036 0.028")]).to_string();
    let widths = "`min_width_m` and `max_width_m` are 0.0000 and 0.0850 m";
    says(&apart, &["from 0.0300 to 0.1150 m apart", widths]);
}

#[test]
fn a_finger_that_cannot_slide_is_told() {
    let refused = refused(&[
        (r#"type="prismatic""#, r#"type="fixed""#),
        (r#"<mimic joint="finger_slide_1"/>"#, ""),
    ]);
    let words = ["finger joint `finger_slide_1` is fixed", "leave `gripper`"];
    says(&refused.to_string(), &words);
}

#[test]
fn a_tool_frame_that_skills_cannot_use_is_refused() {
    let origin = r#"<origin xyz="0 0 0.108"/>"#;
    let turned = r#"<origin xyz="0 0 0.108" rpy="0 0 1.5707963267948966"/>"#;
    let refused = refused(&[(origin, turned)]);
    let is_of_axes = matches!(refused, SetupError::Gripper(GripperError::ToolAxes { .. }));
    assert!(is_of_axes, "{refused}");
    says(&refused.to_string(), &["y axis of the tool link"]);
}

/// The Franka Research 3 shares the Panda's links, but has its own joint limits.
#[test]
fn the_fr3_picks_and_places_within_its_own_joints() {
    let [panda, fr3] =
        ["panda", "fr3"].map(|name| LoadedRobot::new(builtin_robot_named(name).unwrap()));
    let (panda, fr3) = (panda.unwrap(), fr3.unwrap());
    let chain = |loaded: &LoadedRobot| {
        let (model, file) = (loaded.model(), loaded.file());
        model.chain(&file.base_link, &file.tool_link).unwrap()
    };
    let (of_panda, of_fr3) = (chain(&panda), chain(&fr3));
    // Joint 1 at 2.8 rad is within the limits of the Panda, but not of the FR3.
    let mut turned = fr3.file().home.clone();
    assert!(of_fr3.within_limits(&turned, 0.0));
    turned[0] = 2.8;
    assert!(of_panda.within_limits(&turned, 0.0) && !of_fr3.within_limits(&turned, 0.0));
    assert!(of_panda.limits()[4].velocity < 3.0 && of_fr3.limits()[4].velocity > 5.0);

    let mut robot = cell_of(&fr3, &two_cubes()).robot;
    robot.does("pick", of("red cube"));
    robot.does("place_on", on("green cube"));
    let now = robot.observe().unwrap().joint_positions;
    assert!(of_fr3.within_limits(&now, 0.0), "{now:?}");
}
