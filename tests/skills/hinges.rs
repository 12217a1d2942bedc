//! Doors, drawers, lids, knobs and levers of random sizes, opened, closed and turned in simulation.

#![expect(clippy::print_stderr, reason = "the rates are a result")]

use crate::common::*;
use regrasp::api::{ObjectJoint, Reason, SkillResult};
use regrasp::scene::{Scene, builtin_scene};
use regrasp::sim::When;
use serde_json::{Value, json};

/// Calls a skill in a scene. Returns its result and the final state of the joint.
fn done(scene: &Scene, child: &str, skill: &str, args: Value) -> (SkillResult, ObjectJoint) {
    let mut cell = cell(scene);
    let result = call(&mut cell.robot, skill, args);
    assert!(cell.robot.held.is_none(), "the hand still holds the object");
    let joint = cell.joint(child);
    (result, joint)
}

fn hinges(task: &str, seed: u64) -> Scene {
    instance(&format!("hinges/{task}"), seed).scene
}

/// Calls skills in several instances of tasks. A row has the task, the joint, the skill and its
/// arguments, the minimum number of successes, and the number of instances. Checks the number of
/// successes, that no success is claimed falsely, and that the hand releases the object.
#[track_caller]
fn check_rates(rows: &[(&str, &str, &str, Value, usize, u64)]) {
    for (task, child, skill, args, least, n_seeds) in rows {
        let mut n = 0;
        for seed in 0..*n_seeds {
            let (result, joint) = done(&hinges(task, seed), child, skill, args.clone());
            let (reason, detail) = (&result.reason, &result.reason_detail);
            let is_so = match *skill {
                "close" => joint.is_closed(),
                _ => joint.is_open(),
            };
            let is_false = result.success && !is_so;
            assert!(!is_false, "{task} seed {seed}: false success: {joint:?}");
            n += usize::from(result.success);
            eprintln!("{task} {seed}: {reason:?} {detail}");
        }
        assert!(n >= *least, "{task}: only {n} of {n_seeds} succeeded");
    }
}

#[test]
fn doors_of_drawn_sizes_are_opened_left_and_right_and_pushed_shut() {
    let (door, closed) = (of("the door"), of("cupboard"));
    check_rates(&[
        ("open_door", "cupboard_door", "open", door, 5, 6),
        ("close_door", "cupboard_door", "close", closed, 5, 6),
    ]);
}

#[test]
fn knobs_of_drawn_sizes_are_turned_on_and_one_of_three_drawers_is_opened() {
    let on = json!({ "object": "stove", "on": true });
    let drawer = "cabinet_middle_drawer";
    check_rates(&[
        ("turn_on", "stove_knob", "turn", on, 5, 6),
        ("middle_drawer", drawer, "open", of(drawer), 3, 4),
    ]);
}

/// A lid falls shut unless it is lifted all the way by its rim. A door that hangs open can only be
/// lifted by horizontal fingers below it.
#[test]
fn lids_and_doors_hinged_below_are_opened_and_shut() {
    check_rates(&[
        ("open_lid", "chest_lid", "open", of("chest"), 8, 8),
        ("close_lid", "chest_lid", "close", of("the lid"), 4, 4),
        ("open_flap", "oven_door", "open", of("oven"), 4, 4),
        ("close_flap", "oven_door", "close", of("oven"), 4, 4),
    ]);
}

#[test]
fn levers_that_stand_up_or_lie_flat_are_turned_on() {
    let on = json!({ "object": "machine", "on": true });
    check_rates(&[
        ("throw_lever", "machine_lever", "turn", on.clone(), 4, 4),
        ("swing_lever", "machine_lever", "turn", on, 4, 4),
    ]);
}

#[test]
fn a_cabinet_with_three_drawers_has_to_be_told_which() {
    let scene = hinges("middle_drawer", 0);
    let (result, _) = done(&scene, "cabinet_top_drawer", "open", of("cabinet"));
    failed(&result, Reason::AmbiguousObject, &[]);
    assert_eq!(result.entities.len(), 3, "{:?}", result.entities);
}

#[test]
fn a_door_that_something_stands_in_front_of_is_path_blocked_by_that() {
    let mut scene = hinges("open_door", 0);
    let cupboard = scene.objects[1].world_from_object.translation.vector;
    let (x, y) = (cupboard.x - 0.26, cupboard.y);
    let (low, high) = ([x - 0.01, y - 0.01, 0.04], [x + 0.01, y + 0.01, 0.2]);
    scene.objects.push(fixed("post", low, high));
    let args = of("cupboard_door");
    let (result, joint) = done(&scene, "cupboard_door", "open", args);
    failed(&result, Reason::PathBlocked, &["would hit post"]);
    assert_eq!(result.entities, [id("post")]);
    assert!(joint.is_closed(), "the refused call moved the door");
}

const NOT_MOVED: [Reason; 2] = [Reason::JointNotMoved, Reason::HandleSlipped];

#[test]
fn a_jammed_door_and_a_jammed_knob_are_told_with_the_angle_reached() {
    for (task, child, skill) in [
        ("open_door", "cupboard_door", "open"),
        ("turn_on", "stove_knob", "turn"),
    ] {
        let mut cell = cell(&hinges(task, 1));
        jam(&cell, When::Now, &format!("{child}_joint"));
        let result = call(&mut cell.robot, skill, of(child));
        failed_with_any(&result, &NOT_MOVED);
        let travel = result.measured.iter().find(|m| m.name == "travel").unwrap();
        assert!(travel.value < 0.1, "{travel:?}");
        assert_eq!(travel.unit, "rad");
        assert!(cell.robot.held.is_none());
    }
}

#[test]
fn a_knob_that_is_too_stiff_is_no_success() {
    let mut scene = hinges("turn_on", 0);
    scene.joints[0].friction = 6.0;
    let args = json!({ "object": "stove_knob", "on": true });
    let (result, joint) = done(&scene, "stove_knob", "turn", args);
    failed_with_any(&result, &NOT_MOVED);
    assert!(joint.opening < 0.1, "{joint:?}");
}

#[test]
fn a_knob_with_a_heavy_rotor_is_turned_by_an_angle_and_back_off() {
    let mut scene = hinges("turn_on", 0);
    scene.joints[0].armature = 1.0;
    scene.joints[0].damping = 1.0;
    scene.joints[0].friction = 0.0;
    let mut cell = cell(&scene);
    let turn = json!({ "object": "stove_knob", "by_deg": 50.0 });
    cell.does("turn", turn);
    let opening = cell.joint("stove_knob").opening;
    near("knob angle, rad", opening, 50.0_f64.to_radians(), 0.1);
    let back = json!({ "object": "stove", "on": false });
    cell.does("turn", back);
    assert!(cell.joint("stove_knob").is_closed());
}

#[test]
fn sentences_open_and_turn_things_in_the_kitchen() {
    let scene = builtin_scene("kitchen").unwrap();
    let drawer = "open the middle drawer of the cabinet";
    for (prompt, child) in [
        ("open the microwave", "microwave_door"),
        (drawer, "cabinet_middle_drawer"),
        ("turn on the stove", "stove_knob"),
    ] {
        let episode = episode(&scene, prompt);
        let why = &episode.result.final_detail;
        assert!(episode.result.success, "{prompt}: {why}");
        let joint = episode.last.joint(child);
        assert!(joint.is_open(), "{prompt}: {joint:?}");
    }
}

#[test]
fn levers_are_turned_by_an_angle_and_off_again() {
    for task in ["throw_lever", "swing_lever"] {
        let mut cell = cell(&hinges(task, 1));
        for (args, expected_rad) in [
            (json!({ "object": "machine", "by_deg": 40.0 }), 0.698),
            (json!({ "object": "machine", "by_deg": -20.0 }), 0.349),
            (json!({ "object": "machine", "on": true }), 0.92),
            (json!({ "object": "machine", "on": false }), 0.0),
        ] {
            cell.does("turn", args.clone());
            let at_rad = cell.truth().joints.remove(0).opening;
            let what = format!("{task} {args}: angle, rad");
            near(&what, at_rad, expected_rad, 0.12);
        }
        let last = cell.truth().joints.remove(0);
        assert!(last.is_closed(), "{task}: the lever is not off: {last:?}");
    }
}

/// Moves the chest of an instance of `open_lid` along x.
fn chest_moved(seed: u64, x_m: f64) -> Scene {
    let mut scene = hinges("open_lid", seed);
    for object in scene.objects.iter_mut().filter(|o| o.id != id("table")) {
        object.world_from_object.translation.vector.x += x_m;
    }
    scene
}

/// Near the base, horizontal fingers leave no room for the wrist. Far away, the hand cannot turn
/// with the lid.
#[test]
fn lids_near_the_base_and_far_away_are_opened_in_one_go() {
    for (seed, x_m) in [(4, 0.0), (17, 0.0), (17, -0.08), (4, 0.2), (17, 0.2)] {
        let scene = chest_moved(seed, x_m);
        let (result, joint) = done(&scene, "chest_lid", "open", of("chest"));
        let why = result.reason_detail;
        let which = format!("seed {seed}, chest moved by {x_m} m");
        assert!(result.success, "{which}: {why}");
        assert!(joint.is_open(), "{joint:?}");
    }
}

/// At this position, the arm can follow neither the bar nor the rim of the lid to its end. The
/// failure states how far it can.
#[test]
fn a_lid_that_falls_back_says_how_far_the_arm_follows_it() {
    let mut cell = cell(&chest_moved(17, 0.4));
    let result = cell.fails("open", of("chest"), Reason::Unreachable, &["falls back"]);
    let travel = result.measured.iter().find(|m| m.name == "travel").unwrap();
    let is_far = travel.value > 0.5 && travel.limit == Some(1.6);
    assert!(is_far, "{travel:?}");
    assert_eq!(result.entities, [id("chest_lid")]);
    assert!(!result.world_changed, "the refused call changed the world");
}
