//! Pressing buttons, in simulation.

use crate::common::*;
use regrasp::Cell;
use regrasp::api::Reason;
use regrasp::sim::{Disturbance, When};
use serde_json::json;

fn button_cell(seed: u64) -> Cell {
    cell(&instance("press_button", seed).scene)
}

fn count(cell: &Cell, id: &str) -> u32 {
    cell.joint(id).presses.unwrap().count
}

#[test]
fn a_button_registers_each_press_and_comes_back() {
    let mut cell = button_cell(1);
    assert_eq!(count(&cell, "red_button"), 0);
    for times in 1..=2 {
        let args = json!({ "button": "the red button" });
        cell.does("tap", args);
        assert_eq!(count(&cell, "red_button"), times);
        within("button down, m", cell.joint("red_button").opening, ..0.0005);
    }
    assert_eq!(count(&cell, "blue_button"), 0);
    let contacts = cell.truth().contacts;
    let pressed = contacts.iter().filter(|c| c.with == id("red_button"));
    let peak_n = pressed.map(|c| c.peak_force_n).fold(0.0, f64::max);
    assert!(peak_n < 20.0, "the button was pressed with {peak_n:.1} N");
}

#[test]
fn a_jammed_button_is_joint_not_moved_without_force() {
    let mut cell = button_cell(2);
    jam(&cell, When::Now, "red_button_plunger");
    let tap = json!({ "button": "red_button" });
    let result = cell.fails("tap", tap.clone(), Reason::JointNotMoved, &[]);
    let force = result.measured.iter().find(|m| m.name == "contact_force");
    assert!(force.is_some(), "{:?}", result.measured);
    assert_eq!(result.retry_with, Some(json!({ "max_force_n": 40.0 })));
    cell.is_untouched("red_button");
    assert_eq!(count(&cell, "red_button"), 0);
    // After the repair, the button's spring works again.
    disturb(&cell, When::Now, Disturbance::Repair);
    cell.does("tap", tap);
    assert!(cell.joint("red_button").opening < 0.0005);
}

#[test]
fn what_is_no_button_is_told_with_what_is() {
    let mut cell = button_cell(0);
    let args = json!({ "button": "green_cube" });
    let known = ["red_button", "blue_button"];
    cell.refuses("tap", args, Reason::BadArguments, &known);
    cell.refuses("open", of("red_button"), Reason::BadArguments, &[]);
}
