//! Opening and closing a drawer by its handle, in simulation.

use crate::common::*;
use regrasp::Cell;
use regrasp::api::Reason;
use regrasp::sim::When;
use serde_json::{Value, json};

fn drawer_cell(seed: u64) -> Cell {
    cell(&instance("open_drawer", seed).scene)
}

fn open_to(opening_m: f64) -> Value {
    json!({ "object": "the drawer", "opening_m": opening_m })
}

#[test]
fn a_drawer_is_opened_as_far_as_asked_and_closed_again() {
    let mut cell = drawer_cell(3);
    cell.does("open", open_to(0.07));
    near("opening, m", cell.joint("drawer").opening, 0.07, 0.008);
    assert!(!cell.joint("drawer").is_closed());
    cell.does("close", of("drawer"));
    let joint = cell.joint("drawer");
    assert!(joint.is_closed(), "{joint:?}");
    assert!(cell.robot.held.is_none());
}

#[test]
fn an_open_drawer_is_left_alone() {
    let mut cell = drawer_cell(1);
    let args = of("drawer");
    cell.does("open", args.clone());
    assert!(cell.joint("drawer").is_open(), "{:?}", cell.joint("drawer"));
    let before = cell.truth().joint_positions;
    cell.does("open", args);
    let after = cell.truth().joint_positions;
    let moved = before.iter().zip(&after).map(|(a, b)| (a - b).abs());
    let most = moved.fold(0.0, f64::max);
    within("motion of the arm at an open drawer, rad", most, ..1e-3);
}

#[test]
fn a_jammed_drawer_is_joint_not_moved_and_let_go_of() {
    let mut cell = drawer_cell(2);
    jam(&cell, When::Now, "drawer_slide");
    let words = ["did not move"];
    let result = cell.fails("open", of("drawer"), Reason::JointNotMoved, &words);
    assert_eq!(result.entities, [id("drawer")]);
    let joint = cell.joint("drawer");
    assert!(joint.opening < 0.001, "{joint:?}");
    assert!(cell.robot.held.is_none());
    cell.is_untouched("drawer");
}

#[test]
fn arguments_that_make_no_sense_are_told_with_what_would() {
    let mut cell = drawer_cell(0);
    let far = json!({ "object": "drawer", "opening_m": 0.4 });
    for (args, word) in [(far, "0.120"), (of("table"), "objects that do: drawer")] {
        cell.refuses("open", args, Reason::BadArguments, &[word]);
    }
}

#[test]
fn a_drawer_that_stops_within_tolerance_of_the_goal_is_open_however_little_it_moved() {
    // Regression: asked to open 9.5 mm further, the drawer moved 3 mm before it jammed. The skill
    // did not count this as motion.
    for delay_secs in [0.1, 0.15, 0.2, 0.25] {
        let mut cell = drawer_cell(3);
        cell.does("open", open_to(0.07));
        let goal_m = cell.joint("drawer").opening + 0.0095;
        jam(&cell, When::AfterGrasp { delay_secs }, "drawer_slide");
        let result = call(&mut cell.robot, "open", open_to(goal_m));
        let opening = cell.joint("drawer").opening;
        let detail = result.reason_detail;
        let how = format!("after {delay_secs} s, {opening:.4} m of {goal_m:.4} m open: {detail}");
        // A drawer counts as open if it has moved more than half of the requested way.
        let is_open = opening > goal_m - 0.5 * 0.0095;
        assert_eq!(result.success, is_open, "the drawer jammed {how}");
    }
}
