//! What a run says, keeps and ends with.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::{check, regrasp, text};

#[test]
fn a_run_says_what_it_does_and_keeps_a_folder() {
    let dir = TempDir::new().unwrap();
    let said = check(
        dir.path(),
        &["run", "--task", "pick_cube", "--seed", "3"],
        0,
        &[
            "PLAN: task='pick up the red cube' replan=0",
            "EXECUTE: pick(",
            "FINAL VERDICT",
            "plan_complete",
        ],
    );
    for line in [
        "success:",
        "replans:",
        "steps:",
        "final reason:",
        "detail:",
        "wall:",
    ] {
        assert!(said.contains(line), "the verdict has `{line}`");
    }
    let run = fs::read_dir(dir.path().join("runs"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let result: Value =
        serde_json::from_slice(&fs::read(run.join("result.json")).unwrap()).unwrap();
    for field in [
        "success",
        "goal_met",
        "replans",
        "steps",
        "planner_calls",
        "final_reason",
        "final_detail",
        "wall_s",
        "sim_s",
        "seed",
        "state_digest",
        "version",
    ] {
        assert!(
            !result[field].is_null(),
            "result.json has `{field}`: {result}"
        );
    }
    assert_eq!(result["seed"], 3);
    let events = fs::read_to_string(run.join("events.jsonl")).unwrap();
    let last: Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
    assert_eq!(last["event"], "episode_finished");
    assert!(run.join("episode.json").is_file());
}

#[test]
fn json_output_is_json_and_nothing_else() {
    let dir = TempDir::new().unwrap();
    let output = regrasp(
        dir.path(),
        &["run", "put the red cube on the plate", "--json"],
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(result["success"], true);
    let skills = regrasp(dir.path(), &["skills", "--json"]);
    let skills: Value = serde_json::from_slice(&skills.stdout).unwrap();
    let pick = skills
        .as_array()
        .unwrap()
        .iter()
        .find(|s| s["name"] == "pick")
        .unwrap();
    assert_eq!(pick["args_schema"]["required"][0], "object");
}

#[test]
fn a_failed_task_ends_with_10_and_says_why() {
    let dir = TempDir::new().unwrap();
    let args = [
        "run",
        "pick up the red cube",
        "--task",
        "pick_unreachable_cube",
        "--planner",
        "stub",
        "--max-replans",
        "1",
    ];
    check(
        dir.path(),
        &args,
        10,
        &["infeasible", "unreachable", "IK did not converge"],
    );
    let repeating = [&args[..], &["--repeat-calls"]].concat();
    check(
        dir.path(),
        &repeating,
        10,
        &["replan_exhausted", "unreachable", "IK did not converge"],
    );
    let args = ["run", "juggle the cubes"];
    check(
        dir.path(),
        &args,
        10,
        &["unrecognized_prompt", "juggle the cubes"],
    );
}

#[test]
fn wrong_usage_ends_with_2() {
    let dir = TempDir::new().unwrap();
    check(dir.path(), &["fly"], 2, &["fly"]);
    check(dir.path(), &["run"], 2, &["--task"]);
    check(dir.path(), &["bench", "--seeds", "0"], 2, &["--seeds"]);
    check(
        dir.path(),
        &["bench", "--fail-under", "1.5"],
        2,
        &["0 to 1"],
    );
    let help = check(dir.path(), &["--help"], 0, &["Exit codes:"]);
    for code in ["0 ", "1 ", "2 ", "10 ", "11 ", "12 ", "13 ", "14 "] {
        assert!(help.contains(code), "the help lists exit code {code}");
    }
}

#[test]
fn a_kept_run_that_has_ended_is_answered_and_not_judged_again() {
    let dir = TempDir::new().unwrap();
    let task = [
        "run",
        "--task",
        "pick_cube",
        "--store",
        "kept.sqlite",
        "--run-key",
        "a run",
    ];
    check(dir.path(), &task, 0, &["plan_complete"]);
    check(dir.path(), &task, 12, &["has ended already", "--resume"]);
    let again = [&task[..], &["--resume"]].concat();
    let said = check(dir.path(), &again, 0, &["plan_complete"]);
    assert!(!said.contains("EXECUTE"), "nothing is done again: {said}");
    let other = [&["run", "go home"], &task[1..], &["--resume"]].concat();
    check(dir.path(), &other, 12, &["its task is", "go home"]);
    let plans = ["plans", "runs/scene-seed0-000", "--diff"];
    check(dir.path(), &plans, 0, &["version 1", "pick({"]);
}

#[test]
fn the_story_of_a_run_tells_why_a_step_failed_and_what_was_done_about_it() {
    let dir = TempDir::new().unwrap();
    let run = ["run", "put the red cube on the plate", "--scene", "covered"];
    check(dir.path(), &run, 0, &["object_covered"]);
    let folder = fs::read_dir(dir.path().join("runs"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let told = [
        "PLAN 1",
        "STEP 1: pick(",
        "FAILED after 0.00 s: object_covered (Precondition)",
        "-> FullReplan",
        "PLAN 2",
        "transport",
        "GOAL on(red_cube, plate): holds",
        "SUCCESS: plan_complete",
    ];
    let show = ["show", folder.to_str().unwrap()];
    let said = check(dir.path(), &show, 0, &told);
    let places: Vec<_> = told.iter().map(|part| said.find(part)).collect();
    assert!(places.is_sorted(), "in the order of time: {said}");
    check(dir.path(), &["show", "no_such_run"], 12, &["no_such_run"]);
}
