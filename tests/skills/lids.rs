//! What turns about a level hinge, so that its weight moves it, and levers: drawn sizes.

#![expect(clippy::print_stderr, reason = "the rates are what it is for")]

use crate::common::*;
use regrasp::api::{ObjectJoint, Reason};
use regrasp::scene::Scene;
use serde_json::{Value, json};

fn drawn(task: &str, seed: u64) -> Scene {
    instance(&format!("hinges/{task}"), seed).scene
}

/// Calls a skill in four draws of a task: what it says is what is, and it does it in as many.
#[track_caller]
fn check(task: &str, (skill, args): (&str, &Value), least: usize, is_so: fn(&ObjectJoint) -> bool) {
    let mut n = 0;
    for seed in 0..4 {
        let mut cell = cell(&drawn(task, seed));
        let result = call(&mut cell.robot, skill, args.clone());
        assert!(cell.robot.held.is_none(), "{task} {seed}: the hand let go");
        let joint = cell.truth().joints.remove(0);
        assert!(
            !result.success || is_so(&joint),
            "{task} {seed} claims what is not so: {joint:?}"
        );
        n += usize::from(result.success);
        eprintln!(
            "{task} {seed}: {:?} {}",
            result.reason, result.reason_detail
        );
    }
    assert!(n >= least, "{task}: {n} of 4");
}

/// It falls shut when it is let go of before it stands: its lip is lifted all the way.
#[test]
fn a_lid_that_weighs_on_the_hand_is_opened() {
    let args = of("chest");
    check("open_lid", ("open", &args), 3, ObjectJoint::is_open);
}

#[test]
fn a_lid_that_leans_back_is_shut() {
    let args = of("the lid");
    check("close_lid", ("close", &args), 4, ObjectJoint::is_closed);
}

#[test]
fn a_door_hinged_below_is_let_down() {
    let args = of("oven");
    check("open_flap", ("open", &args), 4, ObjectJoint::is_open);
}

/// Nothing but level fingers below it can lift it.
#[test]
fn a_door_that_hangs_open_is_lifted_shut() {
    let args = of("oven");
    check("close_flap", ("close", &args), 4, ObjectJoint::is_closed);
}

#[test]
fn levers_that_stand_up_or_lie_flat_are_turned_on() {
    let args = json!({ "object": "machine", "on": true });
    check("throw_lever", ("turn", &args), 4, ObjectJoint::is_open);
    check("swing_lever", ("turn", &args), 4, ObjectJoint::is_open);
}

#[test]
fn levers_are_turned_by_an_angle_and_off_again() {
    for task in ["throw_lever", "swing_lever"] {
        let mut cell = cell(&drawn(task, 1));
        let mut at_rad = 0.0;
        for (args, expected_rad) in [
            (json!({ "object": "machine", "by_deg": 40.0 }), 0.698),
            (json!({ "object": "machine", "by_deg": -20.0 }), 0.349),
            (json!({ "object": "machine", "on": true }), 0.92),
            (json!({ "object": "machine", "on": false }), 0.0),
        ] {
            cell.does("turn", args.clone());
            at_rad = cell.truth().joints.remove(0).opening;
            let off = (at_rad - expected_rad).abs();
            assert!(off < 0.12, "{task} {args}: {at_rad} of {expected_rad}");
        }
        assert!(
            cell.truth().joints.remove(0).is_closed(),
            "{task}: {at_rad}"
        );
    }
}

/// Neither its bar nor its lip takes it all the way up here: the reason says how far.
#[test]
fn a_lid_that_falls_back_says_how_far_the_arm_follows_it() {
    let mut cell = cell(&drawn("open_lid", 17));
    let result = cell.fails("open", of("chest"), Reason::Unreachable, &["falls back"]);
    let travel = result.measured.iter().find(|m| m.name == "travel").unwrap();
    assert!(
        travel.value > 0.5 && travel.limit == Some(1.6),
        "{travel:?}"
    );
    let lid = id("chest_lid");
    assert_eq!(result.entities, [lid]);
}
