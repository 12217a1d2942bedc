//! What a text is taken for, before anything moves.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::{check, regrasp, text};

#[test]
fn a_dry_run_says_the_goal_and_why_and_leaves_nothing() {
    let dir = TempDir::new().unwrap();
    let said = check(
        dir.path(),
        &["run", "put the red cube on the plate", "--dry-run"],
        0,
        &["GOAL: on(red_cube, plate)", "`the red cube` = red_cube"],
    );
    assert!(!said.contains("EXECUTE"), "{said}");
    assert_eq!(
        fs::read_dir(dir.path()).unwrap().count(),
        0,
        "no run folder"
    );
}

#[test]
fn a_goal_is_taken_instead_of_a_sentence() {
    let dir = TempDir::new().unwrap();
    let goal = ["run", "--goal", "on(all cubes, plate)", "--dry-run"];
    check(
        dir.path(),
        &goal,
        0,
        &["on(red_cube, plate) and on(green_cube, plate)"],
    );
    let both = ["run", "home", "--goal", "home"];
    check(dir.path(), &both, 2, &["--goal"]);
    let wrong = ["run", "--goal", "on(red_cube)"];
    check(dir.path(), &wrong, 10, &["is said of 2"]);
    let itself = ["run", "--goal", "on(red_cube, red_cube)"];
    check(dir.path(), &itself, 10, &["in a relation to itself"]);
}

#[test]
fn a_file_of_steps_is_a_prompt() {
    let dir = TempDir::new().unwrap();
    let steps = dir.path().join("steps.txt");
    fs::write(
        &steps,
        "1. put the red cube on the plate\n2. put the green cube on it\n",
    )
    .unwrap();
    let file = steps.to_str().unwrap();
    check(
        dir.path(),
        &["run", "--prompt-file", file, "--dry-run"],
        0,
        &["GOAL: on(red_cube, plate) then on(green_cube, red_cube)"],
    );
}

#[test]
fn what_is_unclear_ends_before_anything_moves() {
    let dir = TempDir::new().unwrap();
    let output = regrasp(dir.path(), &["run", "pick up the cube", "--json"]);
    let result: Value = serde_json::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(result["steps"], 0, "{result}");
    assert_eq!(result["success"], false);
    let detail = result["final_detail"].as_str().unwrap();
    assert!(detail.contains("ambiguous_object"), "{detail}");
    assert_eq!(output.status.code(), Some(10));
}
