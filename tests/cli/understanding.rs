//! Interpretation of a text, shown before anything moves.

use std::fs;

use regrasp_testkit::says;
use serde_json::Value;

use crate::Shell;

#[test]
fn a_dry_run_says_the_goal_and_why_and_leaves_nothing() {
    let shell = Shell::new();
    let words = "GOAL: on(red_cube, plate); `the red cube` = red_cube";
    let run = "run 'put the red cube on the plate' --dry-run";
    let said = shell.check(run, 0, words);
    assert!(!said.contains("EXECUTE"), "{said}");
    let n_left = fs::read_dir(shell.path()).unwrap().count();
    assert_eq!(n_left, 0, "files that a dry run left");
}

#[test]
fn a_goal_is_taken_instead_of_a_sentence() {
    let shell = Shell::new();
    let cases = "
        --goal 'on(all cubes, plate)' --dry-run | 0  | on(red_cube, plate) and on(green_cube, plate)
        home --goal home                        | 2  | --goal
        --goal 'on(red_cube)'                   | 10 | takes 2 objects
        --goal 'on(red_cube, red_cube)'         | 10 | in a relation to itself
        --goal 'in(red_cube, plate)' --dry-run  | 0  | in(red_cube, plate)
        --goal 'in(red_cube, green_cube)'       | 10 | green_cube is not a container
        --goal 'under(red_cube, table)'         | 10 | no space under table
        --scene kitchen --goal 'in(red_cube, microwave)' --dry-run | 0 | on(red_cube, microwave.inside)
        --goal 'swapped(red_cube, green_cube) and on(bowl, table)' --dry-run | 0 | swapped(red_cube, green_cube) and on(bowl, table)";
    shell.check_all("run", cases);
}

#[test]
fn only_the_drawer_that_is_needed_is_opened() {
    let shell = Shell::new();
    for place in ["the top drawer", "a drawer", "the cabinet"] {
        let run = format!("run 'put the red cube in {place}' --scene kitchen");
        let said = shell.check(&run, 0, "GOAL: holds");
        assert_eq!(said.matches("EXECUTE: open(").count(), 1, "{said}");
    }
}

#[test]
fn a_file_of_steps_is_a_prompt() {
    let shell = Shell::new();
    let steps = "1. put the red cube on the plate\n2. put the green cube on it\n";
    shell.write("steps.txt", steps);
    let words = "GOAL: on(red_cube, plate) then on(green_cube, red_cube)";
    shell.check("run --prompt-file steps.txt --dry-run", 0, words);
}

#[test]
fn what_is_unclear_ends_before_anything_moves() {
    let output = Shell::new().run("run 'pick up the cube' --json");
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["steps"], 0, "{result}");
    assert_eq!(result["success"], false);
    let detail = result["final_detail"].as_str().unwrap();
    says(detail, &["ambiguous_object"]);
    assert_eq!(output.status.code(), Some(10));
}
