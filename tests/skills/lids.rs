//! Lids and flaps on horizontal hinges, which move under their weight, and levers: drawn sizes.

use crate::common::*;
use regrasp::api::{ObjectJoint, Reason};
use serde_json::json;

/// The lid falls shut unless it is lifted all the way by its lip.
#[test]
fn a_lid_that_weighs_on_the_hand_is_opened() {
    let call = ["chest_lid", "open"];
    check_rate("open_lid", call, &of("chest"), ObjectJoint::is_open, (3, 4));
}

#[test]
fn a_lid_that_leans_back_is_shut() {
    let call = ["chest_lid", "close"];
    check_rate(
        "close_lid",
        call,
        &of("the lid"),
        ObjectJoint::is_closed,
        (4, 4),
    );
}

#[test]
fn a_door_hinged_below_is_let_down() {
    let call = ["oven_door", "open"];
    check_rate("open_flap", call, &of("oven"), ObjectJoint::is_open, (4, 4));
}

/// Only level fingers below the door can lift it.
#[test]
fn a_door_that_hangs_open_is_lifted_shut() {
    let call = ["oven_door", "close"];
    check_rate(
        "close_flap",
        call,
        &of("oven"),
        ObjectJoint::is_closed,
        (4, 4),
    );
}

#[test]
fn levers_that_stand_up_or_lie_flat_are_turned_on() {
    let args = json!({ "object": "machine", "on": true });
    for task in ["throw_lever", "swing_lever"] {
        let call = ["machine_lever", "turn"];
        check_rate(task, call, &args, ObjectJoint::is_open, (4, 4));
    }
}

#[test]
fn levers_are_turned_by_an_angle_and_off_again() {
    for task in ["throw_lever", "swing_lever"] {
        let mut cell = cell(&hinges(task, 1));
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

/// Neither bar nor lip can be moved all the way here: the failure states how far.
#[test]
fn a_lid_that_falls_back_says_how_far_the_arm_follows_it() {
    let mut cell = cell(&hinges("open_lid", 17));
    let result = cell.fails("open", of("chest"), Reason::Unreachable, &["falls back"]);
    let travel = result.measured.iter().find(|m| m.name == "travel").unwrap();
    assert!(
        travel.value > 0.5 && travel.limit == Some(1.6),
        "{travel:?}"
    );
    let lid = id("chest_lid");
    assert_eq!(result.entities, [lid]);
}
