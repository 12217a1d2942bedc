//! The command line as a person or a script meets it: exit codes, messages, files.

#![expect(
    clippy::unwrap_used,
    reason = "a program that cannot be started fails the test"
)]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

fn regrasp(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_regrasp"))
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command and checks its exit code and words on standard output and error.
fn check(dir: &Path, args: &[&str], code: i32, words: &[&str]) -> String {
    let output = regrasp(dir, args);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?} said: {said}");
    for word in words {
        assert!(said.contains(word), "{args:?}: `{word}` in: {said}");
    }
    said
}

/// A task file with one line replaced.
fn task_file(dir: &Path, from: &str, to: &str) -> String {
    const TASK: &str = "\
name: my_task
prompt: pick up the red cube
scene:
  arm: {position: [-0.3, 0.0, 0.0]}
  objects:
    - {id: table, kind: table, size: [1.3, 1.2], top_z: 0.04, xy: [0.75, 0.0]}
    - {id: red_cube, kind: cube, half_extents: 0.015, mass_kg: 0.05, color: red, on: table, xy: [0.4, 0.0]}
success:
  - lifted: {object: red_cube, min_height_m: 0.05}
";
    assert!(TASK.contains(from), "the test's own task has `{from}`");
    fs::write(dir.join("task.yaml"), TASK.replace(from, to)).unwrap();
    "task.yaml".into()
}

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
    for code in ["0 ", "1 ", "2 ", "10 ", "11 ", "12 ", "13 "] {
        assert!(help.contains(code), "the help lists exit code {code}");
    }
}

#[test]
fn wrong_files_end_with_12_and_say_where_and_what_would_be_right() {
    let dir = TempDir::new().unwrap();
    let wrong: [(&str, &str, &[&str]); 9] = [
        ("mass_kg", "mas_kg", &["task.yaml:7", "mas_kg", "mass_kg"]),
        (
            "object: red_cube, min",
            "object: red_cub, min",
            &["task.yaml:9", "red_cub", "red_cube", "table"],
        ),
        (
            "half_extents: 0.015",
            "half_extents: -0.015",
            &["task.yaml:7", "half_extents", "-0.015"],
        ),
        ("mass_kg: 0.05", "mass_kg: 0", &["task.yaml:7", "mass_kg"]),
        (
            "min_height_m: 0.05",
            "min_height_m: -0.05",
            &["task.yaml:9", "min_height_m"],
        ),
        (
            "on: table, xy: [0.4",
            "on: tabel, xy: [0.4",
            &["task.yaml:7", "tabel", "table"],
        ),
        ("kind: cube", "kind: qube", &["task.yaml:7", "qube", "cube"]),
        (
            "kind: cube, half_extents: 0.015",
            "kind: convex, mesh: nowhere.stl",
            &["task.yaml:7", "nowhere.stl"],
        ),
        (
            "lifted: {object: red_cube, min_height_m: 0.05}",
            "on: {object: red_cube, target: table}",
            &["already"],
        ),
    ];
    for (from, to, words) in wrong {
        let file = task_file(dir.path(), from, to);
        for command in [
            vec!["check", &file],
            vec!["run", "--task", &file],
            vec!["bench", "--tasks", &file],
        ] {
            check(dir.path(), &command, 12, words);
        }
    }
    check(
        dir.path(),
        &["check", "missing.yaml"],
        12,
        &["missing.yaml"],
    );
    check(
        dir.path(),
        &["run", "--task", "pick_cub"],
        12,
        &["pick_cub", "pick_cube"],
    );
}

#[test]
fn check_tells_what_is_out_of_reach_and_in_which_phase() {
    let dir = TempDir::new().unwrap();
    check(
        dir.path(),
        &["check", "pick_cube"],
        0,
        &["red_cube: reachable"],
    );
    let words = [
        "red_cube: NOT reachable",
        "approach: IK did not converge",
        "pos_err=",
    ];
    check(dir.path(), &["check", "pick_unreachable_cube"], 0, &words);
    let far = task_file(dir.path(), "xy: [0.4", "xy: [1.2");
    check(dir.path(), &["check", &far], 12, &words);
}

#[test]
fn another_robot_can_be_named() {
    let dir = TempDir::new().unwrap();
    let robot = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/data/ur5e/ur5e.yaml"
    );
    check(dir.path(), &["check", robot], 0, &["robot `ur5e` is fine"]);
    let task = task_file(
        dir.path(),
        "position: [-0.3, 0.0, 0.0]",
        "position: [-0.05, 0.0, 0.0]",
    );
    check(
        dir.path(),
        &["run", "--task", &task, "--robot", robot],
        0,
        &["plan_complete"],
    );
    check(
        dir.path(),
        &["check", &task, "--robot", "nowhere.yaml"],
        12,
        &["nowhere.yaml"],
    );
}

#[test]
fn bench_writes_its_report_and_holds_the_threshold() {
    let dir = TempDir::new().unwrap();
    let args = [
        "bench",
        "--tasks",
        "pick_cube",
        "--seeds",
        "2",
        "--out",
        "report.json",
        "--fail-under",
        "1.0",
    ];
    check(dir.path(), &args, 0, &["pick_cube"]);
    let report: Value =
        serde_json::from_slice(&fs::read(dir.path().join("report.json")).unwrap()).unwrap();
    let task = &report["tasks"][0];
    for field in [
        "task",
        "episodes",
        "successes",
        "false_successes",
        "infrastructure",
        "median_wall_s",
        "p95_wall_s",
        "wilson95",
        "failures",
    ] {
        assert!(!task[field].is_null(), "the report has `{field}`: {task}");
    }
    // A task that cannot be done stays below any threshold.
    let far = task_file(dir.path(), "xy: [0.4", "xy: [1.2");
    let args = [
        "bench",
        "--tasks",
        &far,
        "--seeds",
        "1",
        "--fail-under",
        "0.5",
    ];
    check(
        dir.path(),
        &args,
        13,
        &["my_task seed 0: unreachable", "below 0.5"],
    );
}

#[test]
fn every_list_can_be_printed() {
    let dir = TempDir::new().unwrap();
    check(
        dir.path(),
        &["tasks"],
        0,
        &["pick_from_three", "maniskill/stack_cube"],
    );
    check(
        dir.path(),
        &["skills"],
        0,
        &["pick(object", "place_at(", "home("],
    );
}

#[test]
fn inverse_kinematics_lists_solutions_or_says_how_far_off_the_pose_is() {
    let dir = TempDir::new().unwrap();
    let pose = ["--rpy", "3.141592653589793", "0", "-0.3"];
    let ask = |xyz: [&str; 3], more: &[&str], code, words: &[&str]| {
        let args = [&["ik", "--xyz"][..], &xyz, &pose, more].concat();
        check(dir.path(), &args, code, words)
    };
    ask(
        ["0.4", "-0.2", "0.1"],
        &[],
        0,
        &["solution(s), in closed form"],
    );
    ask(["0.9", "-0.2", "0.1"], &[], 10, &["unreachable", "m and"]);
    let said = ask(["0.4", "-0.2", "0.1"], &["--json"], 0, &[]);
    let report: Value = serde_json::from_str(&said).unwrap();
    let solutions = report["solutions"].as_array().unwrap();
    assert!(solutions.len() > 8, "{} solutions", solutions.len());
    let margins = solutions.iter().map(|s| s["limit_margin_rad"].as_f64());
    assert!(
        margins.is_sorted_by(|a, b| a >= b),
        "the roomiest comes first"
    );
    let refused = ["ik", "--xyz", "0.4", "nan", "0", "--rpy", "0", "0", "0"];
    check(dir.path(), &refused, 2, &["expected a number"]);
}

#[test]
fn a_reachability_map_is_a_table() {
    let dir = TempDir::new().unwrap();
    let args = ["reach", "--z", "-0.05", "--out", "reach.csv"];
    check(dir.path(), &args, 0, &["points", "reach.csv"]);
    let table = fs::read_to_string(dir.path().join("reach.csv")).unwrap();
    assert!(table.starts_with("x_m,y_m,reachable,"));
    let row = |at: &str| table.lines().find(|line| line.starts_with(at)).unwrap();
    assert!(row("0.50,0.00,").starts_with("0.50,0.00,1,"));
    assert!(row("1.10,0.00,").starts_with("1.10,0.00,0,"));
    let picture = ["reach", "--out", "reach.png"];
    check(dir.path(), &picture, 2, &["ends in .csv"]);
    let nowhere = ["reach", "--out", "no_such_folder/reach.csv"];
    check(dir.path(), &nowhere, 12, &["failed to write"]);
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
fn a_picture_is_made_and_an_unknown_camera_gets_the_known_ones() {
    let dir = TempDir::new().unwrap();
    let args = [
        "render", "tabletop", "--camera", "top", "--size", "64", "48", "--depth",
    ];
    check(dir.path(), &args, 0, &["scene.png", "scene.depth.png"]);
    let png = fs::read(dir.path().join("scene.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    let args = ["render", "tabletop", "--camera", "roof"];
    check(dir.path(), &args, 2, &["`roof`", "scene, top, wrist"]);
    check(dir.path(), &["render", "tabeltop"], 12, &["tabletop"]);
}
