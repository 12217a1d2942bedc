//! Inverse kinematics and reach maps.

use std::fs;

use serde_json::Value;
use tempfile::TempDir;

use crate::check;

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
fn a_reachability_map_is_a_table_or_a_picture() {
    let dir = TempDir::new().unwrap();
    let args = ["reach", "--z", "-0.05", "--out", "reach.csv"];
    check(dir.path(), &args, 0, &["points", "reach.csv"]);
    let table = fs::read_to_string(dir.path().join("reach.csv")).unwrap();
    assert!(table.starts_with("x_m,y_m,reachable,"));
    let row = |at: &str| table.lines().find(|line| line.starts_with(at)).unwrap();
    assert!(row("0.50,0.00,").starts_with("0.50,0.00,1,"));
    assert!(row("1.10,0.00,").starts_with("1.10,0.00,0,"));
    let picture = ["reach", "--out", "reach.png"];
    check(dir.path(), &picture, 0, &["points", "reach.png"]);
    let png = fs::read(dir.path().join("reach.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n") && png.len() > 20_000);
    let drawing = ["reach", "--out", "reach.svg"];
    check(dir.path(), &drawing, 2, &["ends in .png or .csv"]);
    let nowhere = ["reach", "--out", "no_such_folder/reach.csv"];
    check(dir.path(), &nowhere, 12, &["failed to write"]);
}
