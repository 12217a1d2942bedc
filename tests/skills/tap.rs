//! Pressing buttons, in the physics.

use crate::common::{call, cell, disturb, failed};
use regrasp::Cell;
use regrasp::api::{ObjectId, ObjectJoint, Reason};
use regrasp::scene::builtin_task;
use regrasp::sim::{Disturbance, When};
use serde_json::json;

fn button_cell(seed: u64) -> Cell {
    let task = builtin_task("press_button").expect("the task is built in");
    cell(&task.instantiate(seed).expect("it can be drawn").scene)
}

fn joint(cell: &Cell, id: &str) -> ObjectJoint {
    let truth = cell.sim().unwrap().truth.truth();
    let mut joints = truth.joints.iter();
    joints.find(|j| j.child.as_str() == id).unwrap().clone()
}

fn count(cell: &Cell, id: &str) -> u32 {
    joint(cell, id).presses.unwrap().count
}

#[test]
fn a_button_registers_each_press_and_comes_back() {
    let mut cell = button_cell(1);
    assert_eq!(count(&cell, "red_button"), 0);
    for times in 1..=2 {
        let args = json!({ "button": "the red button" });
        let result = call(&mut cell.robot, "tap", args);
        assert!(result.success, "{}", result.reason_detail);
        assert_eq!(count(&cell, "red_button"), times);
        let joint = joint(&cell, "red_button");
        assert!(joint.opening < 0.0005, "it is {:.4} m down", joint.opening);
    }
    assert_eq!(count(&cell, "blue_button"), 0);
    let truth = cell.sim().unwrap().truth.truth();
    let pressed = truth
        .contacts
        .iter()
        .filter(|c| c.with.as_str() == "red_button");
    let peak_n = pressed.map(|c| c.peak_force_n).fold(0.0, f64::max);
    assert!(peak_n < 20.0, "it was pressed with {peak_n:.1} N");
}

#[test]
fn a_jammed_button_is_joint_not_moved_without_force() {
    let mut cell = button_cell(2);
    let joint = ObjectId::new("red_button_plunger");
    let jam = Disturbance::JamJoint { joint };
    disturb(&cell, When::Now, jam);
    let result = call(&mut cell.robot, "tap", json!({ "button": "red_button" }));
    failed(&result, Reason::JointNotMoved, &[]);
    let force = result.measured.iter().find(|m| m.name == "contact_force");
    assert!(force.is_some(), "{:?}", result.measured);
    assert_eq!(result.retry_with, Some(json!({ "max_force_n": 40.0 })));
    let truth = cell.sim().unwrap().truth.truth();
    let cap = truth.object(&ObjectId::new("red_button")).unwrap();
    assert!(cap.touches_links.is_empty(), "the hand went back");
    assert_eq!(count(&cell, "red_button"), 0);
    // Repaired, its spring works again.
    disturb(&cell, When::Now, Disturbance::Repair);
    let result = call(&mut cell.robot, "tap", json!({ "button": "red_button" }));
    assert!(result.success, "{}", result.reason_detail);
    assert!(self::joint(&cell, "red_button").opening < 0.0005);
}

#[test]
fn what_is_no_button_is_told_with_what_is() {
    let mut cell = button_cell(0);
    let before = cell.robot.state_digest();
    let result = call(&mut cell.robot, "tap", json!({ "button": "green_cube" }));
    failed(&result, Reason::BadArguments, &[]);
    for id in ["red_button", "blue_button"] {
        assert!(
            result.reason_detail.contains(id),
            "{}",
            result.reason_detail
        );
    }
    let result = call(&mut cell.robot, "open", json!({ "object": "red_button" }));
    failed(&result, Reason::BadArguments, &[]);
    assert_eq!(cell.robot.state_digest(), before, "nothing moved");
}
