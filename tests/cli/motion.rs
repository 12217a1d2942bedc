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

#[test]
fn planned_paths_are_written_so_that_other_tools_can_check_them() {
    let dir = TempDir::new().unwrap();
    let problems = regrasp_assets::workspace_root().join("tests/data/plan_problems.json");
    let problems = problems.to_str().unwrap();
    let plan = |more: &[&str]| {
        let args = [
            &["plan", problems, "--json", "--paths", "paths.json"][..],
            more,
        ]
        .concat();
        let said = check(dir.path(), &args, 0, &[]);
        // What is complained about comes before or after it.
        let json = said.lines().skip_while(|line| *line != "{");
        let json = json.collect::<String>();
        let mut values = serde_json::Deserializer::from_str(&json).into_iter::<Value>();
        let report = values.next().and_then(Result::ok).unwrap_or_default();
        let text = fs::read_to_string(dir.path().join("paths.json")).unwrap();
        (report, serde_json::from_str::<Value>(&text).unwrap())
    };
    let (_, file) = plan(&[]);
    assert_eq!(file["schema"], "regrasp_paths/1");
    assert_eq!(file["frame"], "panda_link0");
    assert_eq!(file["joint_names"].as_array().map(Vec::len), Some(7));
    let paths = file["paths"].as_array().unwrap();
    assert_eq!(paths.len() as u64, file["n_tried"].as_u64().unwrap());
    for path in paths {
        let [simplified, position] = [&path["simplified"], &path["trajectory"]["position"]];
        let [waypoints, instants] = [simplified, position].map(|p| p.as_array().unwrap());
        assert_eq!(waypoints[0], path["start"]);
        assert_eq!(waypoints[waypoints.len() - 1], path["goal"]);
        let times = path["trajectory"]["time_secs"].as_array().unwrap();
        assert_eq!(times.len(), instants.len());
        for (now, next) in times.iter().zip(&times[1..]) {
            let step = next.as_f64().unwrap() - now.as_f64().unwrap();
            assert!(
                step > 0.0 && step < 0.005_001,
                "{step} s between two instants"
            );
        }
        let last = instants[instants.len() - 1].as_array().unwrap();
        for (at, goal) in last.iter().zip(path["goal"].as_array().unwrap()) {
            let away = at.as_f64().unwrap() - goal.as_f64().unwrap();
            assert!(
                away.abs() < 1e-6,
                "the trajectory ends {away} rad from the goal"
            );
        }
    }
    let (report, file) = plan(&["--only", "wall", "--max-samples", "0"]);
    let failure = &file["failures"][0];
    assert_eq!(failure["reason"], "path_blocked", "{file}");
    assert_eq!(failure["ran_out"], "samples");
    assert_eq!(failure["max_samples"], 0);
    assert_eq!(report["wall"]["failures"][0], *failure, "{report}");
    let (_, file) = plan(&["--only", "wall", "--max-secs", "1e-9"]);
    assert_eq!(file["failures"][0]["ran_out"], "time");
    let refused = ["plan", problems, "--max-secs", "0"];
    check(dir.path(), &refused, 2, &["number of seconds"]);
}
