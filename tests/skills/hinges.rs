//! Doors, drawers and knobs of drawn sizes, opened, closed and turned in the physics.

#![expect(clippy::print_stderr, reason = "the rates are what it is for")]

use crate::common::*;
use regrasp::api::{ObjectId, ObjectJoint, Reason, SkillResult};
use regrasp::scene::{Scene, builtin_scene};
use regrasp::sim::{Disturbance, When};
use regrasp::{EpisodeOptions, Kit};
use serde_json::{Value, json};

fn drawn(task: &str, seed: u64) -> Scene {
    instance(&format!("hinges/{task}"), seed).scene
}

/// Calls a skill in a scene; the result, and how far the joint is open then.
fn done(scene: &Scene, child: &str, skill: &str, args: Value) -> (SkillResult, ObjectJoint) {
    let mut cell = cell(scene);
    let result = call(&mut cell.robot, skill, args);
    assert!(cell.robot.held.is_none(), "the hand let go");
    let joint = cell.joint(child);
    (result, joint)
}

/// What the skill says is what is: of how many seeds it succeeds.
fn successes(
    task: &str,
    (child, skill, args): (&str, &str, &Value),
    is_so: impl Fn(&ObjectJoint) -> bool,
    seeds: std::ops::Range<u64>,
) -> usize {
    let n = seeds.clone().count();
    let mut wrong = vec![];
    for seed in seeds {
        let (result, joint) = done(&drawn(task, seed), child, skill, args.clone());
        assert!(
            !result.success || is_so(&joint),
            "{task} {seed} claims what is not so: {joint:?}"
        );
        if !result.success {
            let told = format!("seed {seed}: {:?} {}", result.reason, result.reason_detail);
            eprintln!("{task} {told}");
            wrong.push(told);
        }
    }
    eprintln!("{task}: {} of {n}", n - wrong.len());
    n - wrong.len()
}

#[test]
fn doors_of_drawn_sizes_are_opened_left_and_right() {
    let args = of("the door");
    let n = successes(
        "open_door",
        ("cupboard_door", "open", &args),
        ObjectJoint::is_open,
        0..6,
    );
    assert!(n >= 5, "{n} of 6 doors were opened");
}

#[test]
fn doors_are_pushed_shut() {
    let args = of("cupboard");
    let call = ("cupboard_door", "close", &args);
    let n = successes("close_door", call, ObjectJoint::is_closed, 0..6);
    assert!(n >= 5, "{n} of 6 doors were closed");
}

#[test]
fn knobs_of_drawn_sizes_are_turned_on() {
    let args = json!({ "object": "stove", "on": true });
    let n = successes(
        "turn_on",
        ("stove_knob", "turn", &args),
        ObjectJoint::is_open,
        0..6,
    );
    assert!(n >= 5, "{n} of 6 knobs were turned on");
}

#[test]
fn one_of_three_drawers_is_opened() {
    let args = of("cabinet_middle_drawer");
    let call = ("cabinet_middle_drawer", "open", &args);
    let n = successes("middle_drawer", call, ObjectJoint::is_open, 0..4);
    assert!(n >= 3, "{n} of 4 drawers were opened");
}

#[test]
fn a_cabinet_with_three_drawers_has_to_be_told_which() {
    let args = of("cabinet");
    let (result, _) = done(
        &drawn("middle_drawer", 0),
        "cabinet_top_drawer",
        "open",
        args,
    );
    failed(&result, Reason::AmbiguousObject, &[]);
    assert_eq!(result.entities.len(), 3, "{:?}", result.entities);
}

#[test]
fn a_door_that_something_stands_in_front_of_is_path_blocked_by_that() {
    let mut scene = drawn("open_door", 0);
    let cupboard = scene.objects[1].world_from_object.translation.vector;
    let x = cupboard.x - 0.26;
    let y = cupboard.y;
    let post = fixed(
        "post",
        [x - 0.01, y - 0.01, 0.04],
        [x + 0.01, y + 0.01, 0.2],
    );
    scene.objects.push(post);
    let args = of("cupboard_door");
    let (result, joint) = done(&scene, "cupboard_door", "open", args);
    failed(&result, Reason::PathBlocked, &[]);
    assert_eq!(result.entities, [id("post")]);
    says(&result.reason_detail, &["would meet post"]);
    assert!(joint.is_closed(), "nothing moved");
}

#[test]
fn a_jammed_door_and_a_jammed_knob_are_told_with_the_angle_reached() {
    for (task, child, skill) in [
        ("open_door", "cupboard_door", "open"),
        ("turn_on", "stove_knob", "turn"),
    ] {
        let mut cell = cell(&drawn(task, 1));
        let joint = ObjectId::new(format!("{child}_joint"));
        let jam = Disturbance::JamJoint { joint };
        disturb(&cell, When::Now, jam);
        let result = call(&mut cell.robot, skill, of(child));
        let told = [Some(Reason::JointNotMoved), Some(Reason::HandleSlipped)];
        assert!(
            told.contains(&result.reason),
            "{:?} {}",
            result.reason,
            result.reason_detail
        );
        let travel = result.measured.iter().find(|m| m.name == "travel").unwrap();
        assert!(travel.value < 0.1, "{travel:?}");
        assert_eq!(travel.unit, "rad");
        assert!(cell.robot.held.is_none());
    }
}

#[test]
fn a_knob_that_is_too_stiff_is_no_success() {
    let mut scene = drawn("turn_on", 0);
    scene.joints[0].friction = 6.0;
    let args = json!({ "object": "stove_knob", "on": true });
    let (result, joint) = done(&scene, "stove_knob", "turn", args);
    let told = [Some(Reason::JointNotMoved), Some(Reason::HandleSlipped)];
    assert!(
        told.contains(&result.reason),
        "{:?} {}",
        result.reason,
        result.reason_detail
    );
    assert!(joint.opening < 0.1, "{joint:?}");
}

#[test]
fn a_knob_with_a_heavy_rotor_is_turned_by_an_angle_and_back_off() {
    let mut scene = drawn("turn_on", 0);
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
    let kit = Kit::panda().unwrap();
    let scene = builtin_scene("kitchen").unwrap();
    for (prompt, child, open) in [
        ("open the microwave", "microwave_door", true),
        (
            "open the middle drawer of the cabinet",
            "cabinet_middle_drawer",
            true,
        ),
        ("turn on the stove", "stove_knob", true),
    ] {
        let options = EpisodeOptions::default();
        let episode = kit.episode(&scene, prompt, options).unwrap();
        let result = &episode.result;
        assert!(
            result.success,
            "{prompt}: {} {}",
            result.final_reason, result.final_detail
        );
        let id = ObjectId::new(child);
        let joint = episode.last.joints.iter().find(|j| j.child == id).unwrap();
        assert_eq!(joint.is_open(), open, "{prompt}: {joint:?}");
    }
}
