//! Inverse kinematics and reach maps.

use serde_json::Value;

use crate::Shell;

#[test]
fn inverse_kinematics_lists_solutions_or_says_how_far_off_the_pose_is() {
    let shell = Shell::new();
    let ask = |xyz: &str, more: &str, code, words: &str| {
        let ask = format!("ik --xyz {xyz} --rpy 3.141592653589793 0 -0.3 {more}");
        shell.check(&ask, code, words)
    };
    ask("0.4 -0.2 0.1", "", 0, "solution(s), in closed form");
    ask("0.9 -0.2 0.1", "", 10, "unreachable; m and");
    let said = ask("0.4 -0.2 0.1", "--json", 0, "");
    let report: Value = serde_json::from_str(&said).unwrap();
    let solutions = report["solutions"].as_array().unwrap();
    assert!(solutions.len() > 8, "only {} solutions", solutions.len());
    let mut margins = solutions.iter().map(|s| s["limit_margin_rad"].as_f64());
    let is_sorted = margins.by_ref().is_sorted_by(|a, b| a >= b);
    assert!(is_sorted, "the solutions are not sorted by their margins");
    shell.check("ik --xyz 0.4 nan 0 --rpy 0 0 0", 2, "expected a number");
}

#[test]
fn a_reachability_map_is_a_table_or_a_picture() {
    let shell = Shell::new();
    shell.check("reach --z -0.05 --out reach.csv", 0, "points; reach.csv");
    let table = shell.read("reach.csv");
    assert!(table.starts_with("x_m,y_m,reachable,"));
    let row = |at: &str| table.lines().find(|line| line.starts_with(at)).unwrap();
    assert!(row("0.50,0.00,").starts_with("0.50,0.00,1,"));
    assert!(row("1.10,0.00,").starts_with("1.10,0.00,0,"));
    shell.check("reach --out reach.png", 0, "points; reach.png");
    let png = shell.bytes("reach.png");
    assert!(png.starts_with(b"\x89PNG\r\n") && png.len() > 20_000);
    shell.check("reach --out reach.svg", 2, "ends in .png or .csv");
    let nowhere = "reach --out no_such_folder/reach.csv";
    shell.check(nowhere, 12, "failed to write");
}

#[test]
fn planned_paths_are_written_so_that_other_tools_can_check_them() {
    let shell = Shell::new();
    let problems = regrasp_assets::workspace_root().join("tests/data/plan_problems.json");
    let problems = problems.display();
    let plan = |more: &str| {
        let plan = format!("plan '{problems}' --json --paths paths.json {more}");
        let said = shell.check(&plan, 0, "");
        // Warnings may surround the JSON.
        let json = said.lines().skip_while(|line| *line != "{");
        let json = json.collect::<String>();
        let mut values = serde_json::Deserializer::from_str(&json).into_iter::<Value>();
        let report = values.next().and_then(Result::ok).unwrap_or_default();
        (report, shell.json("paths.json"))
    };
    let (report, file) = plan("");
    let post = &report["post"]["solved"][0];
    assert_eq!([&post["index"], &post["n_obstacles"]], [1, 2], "{report}");
    let figures = ["plan_us", "simplify_us", "raw_cost", "cost"];
    let is_measured = |f: &&str| post[f].as_f64() > Some(0.0);
    assert!(figures.iter().all(is_measured), "{post}");
    assert!(post["n_raw_waypoints"].as_u64() > Some(1), "{post}");
    assert_eq!(file["schema"], "regrasp_paths/1");
    assert_eq!(file["frame"], "panda_link0");
    assert_eq!(file["joint_names"].as_array().map(Vec::len), Some(7));
    let paths = file["paths"].as_array().unwrap();
    assert_eq!(paths.len() as u64, file["n_tried"].as_u64().unwrap());
    paths.iter().for_each(check_path);
    let (report, file) = plan("--only wall --max-samples 0");
    let failure = &file["failures"][0];
    assert_eq!(failure["reason"], "path_blocked", "{file}");
    assert_eq!(failure["ran_out"], "samples");
    assert_eq!(failure["max_samples"], 0);
    assert_eq!(report["wall"]["failures"][0], *failure, "{report}");
    let (_, file) = plan("--only wall --max-secs 1e-9");
    assert_eq!(file["failures"][0]["ran_out"], "time");
    let refused = format!("plan '{problems}' --max-secs 0");
    shell.check(&refused, 2, "number of seconds");
}

/// Checks that a path leads from its start to its goal in small steps.
fn check_path(path: &Value) {
    let [simplified, position] = [&path["simplified"], &path["trajectory"]["position"]];
    let [waypoints, instants] = [simplified, position].map(|p| p.as_array().unwrap());
    assert_eq!(waypoints[0], path["start"]);
    assert_eq!(waypoints[waypoints.len() - 1], path["goal"]);
    let times = path["trajectory"]["time_secs"].as_array().unwrap();
    assert_eq!(times.len(), instants.len());
    for (now, next) in times.iter().zip(&times[1..]) {
        let step = next.as_f64().unwrap() - now.as_f64().unwrap();
        let is_short = step > 0.0 && step < 0.005_001;
        assert!(is_short, "{step} s between two samples of the trajectory");
    }
    let last = instants[instants.len() - 1].as_array().unwrap();
    for (at, goal) in last.iter().zip(path["goal"].as_array().unwrap()) {
        let away = at.as_f64().unwrap() - goal.as_f64().unwrap();
        assert!(away.abs() < 1e-6, "the path ends {away} rad from the goal");
    }
}
