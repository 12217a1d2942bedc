//! Waiting for a condition, in simulation.

use crate::common::*;
use regrasp::api::Reason;
use serde_json::json;

#[test]
fn it_waits_until_the_goal_holds_and_no_longer() {
    let mut cell = cell(&scene([
        cube("red_cube", 0.015, 0.4, -0.1),
        cube("green_cube", 0.02, 0.4, 0.1),
    ]));
    let on_green = move_to("red_cube", 0.4, 0.1, TABLE_Z + 0.0551);
    disturb(&cell, at(3.0), on_green);
    let until = json!({ "goal": "on", "object": "the red cube", "target": "the green cube" });
    let args = json!({ "until": until, "timeout_secs": 20.0 });
    let result = cell.does("wait_until", args);
    within("time of the end, s", cell.robot.time_secs(), 3.0..3.5);
    assert!(!result.world_changed, "the wait changed the world");
}

#[test]
fn a_goal_that_does_not_come_true_is_skill_timeout() {
    let mut cell = cell(&scene([cube("red_cube", 0.015, 0.4, -0.1)]));
    let args = json!({ "until": { "goal": "holding", "object": "red_cube" }, "timeout_secs": 2.0 });
    let words = ["is not in the hand"];
    cell.fails("wait_until", args, Reason::SkillTimeout, &words);
    within("time of the end, s", cell.robot.time_secs(), 2.0..2.3);
}

#[test]
fn what_cannot_be_waited_for_is_refused() {
    let mut cell = cell(&scene([
        cube("red_cube", 0.015, 0.4, -0.1),
        cube("blue_cube", 0.015, 0.4, 0.1),
    ]));
    let unknown = json!({ "until": { "goal": "happy" } });
    let never = json!({ "until": { "goal": "home" }, "timeout_secs": -1.0 });
    let ambiguous = json!({ "until": { "goal": "holding", "object": "cube" } });
    for (args, reason) in [
        (unknown, Reason::BadArguments),
        (never, Reason::BadArguments),
        (ambiguous, Reason::AmbiguousObject),
    ] {
        cell.fails("wait_until", args, reason, &[]);
    }
}
