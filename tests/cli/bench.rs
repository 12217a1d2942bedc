//! Benchmarks and lists.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::{check, task_file};

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
