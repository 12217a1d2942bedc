//! Doors, drawers and knobs of drawn sizes, opened, closed and turned in simulation.

use crate::common::*;
use regrasp::api::{ObjectId, ObjectJoint, Reason, SkillResult};
use regrasp::scene::{Scene, builtin_scene};
use regrasp::sim::{Disturbance, When};
use serde_json::{Value, json};

/// Calls a skill in a scene. Returns its result and the final state of the joint.
fn done(scene: &Scene, child: &str, skill: &str, args: Value) -> (SkillResult, ObjectJoint) {
    let mut cell = cell(scene);
    let result = call(&mut cell.robot, skill, args);
    assert!(cell.robot.held.is_none(), "the hand let go");
    let joint = cell.joint(child);
    (result, joint)
}

#[test]
fn doors_of_drawn_sizes_are_opened_left_and_right() {
    let call = ["cupboard_door", "open"];
    check_rate(
        "open_door",
        call,
        &of("the door"),
        ObjectJoint::is_open,
        (5, 6),
    );
}

#[test]
fn doors_are_pushed_shut() {
    let call = ["cupboard_door", "close"];
    check_rate(
        "close_door",
        call,
        &of("cupboard"),
        ObjectJoint::is_closed,
        (5, 6),
    );
}

#[test]
fn knobs_of_drawn_sizes_are_turned_on() {
    let args = json!({ "object": "stove", "on": true });
    check_rate(
        "turn_on",
        ["stove_knob", "turn"],
        &args,
        ObjectJoint::is_open,
        (5, 6),
    );
}

#[test]
fn one_of_three_drawers_is_opened() {
    let args = of("cabinet_middle_drawer");
    let call = ["cabinet_middle_drawer", "open"];
    check_rate("middle_drawer", call, &args, ObjectJoint::is_open, (3, 4));
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
    assert!(joint.is_closed(), "nothing moved");
}

#[track_caller]
fn check_not_moved(result: &SkillResult) {
    let told = [Some(Reason::JointNotMoved), Some(Reason::HandleSlipped)];
    let (reason, why) = (&result.reason, &result.reason_detail);
    assert!(told.contains(reason), "{reason:?} {why}");
}

#[test]
fn a_jammed_door_and_a_jammed_knob_are_told_with_the_angle_reached() {
    for (task, child, skill) in [
        ("open_door", "cupboard_door", "open"),
        ("turn_on", "stove_knob", "turn"),
    ] {
        let mut cell = cell(&hinges(task, 1));
        let joint = ObjectId::new(format!("{child}_joint"));
        let jam = Disturbance::JamJoint { joint };
        disturb(&cell, When::Now, jam);
        let result = call(&mut cell.robot, skill, of(child));
        check_not_moved(&result);
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
    check_not_moved(&result);
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
    let off = (cell.joint("stove_knob").opening - 50.0_f64.to_radians()).abs();
    assert!(off < 0.1, "{off:.3} rad off");
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
