//! Files that are wrong, what `check` says about them, and lists.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::{check, task_file};

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
        "approach: the target is",
        "IK did not converge",
        "pos_err=",
    ];
    check(dir.path(), &["check", "pick_unreachable_cube"], 0, &words);
    let far = task_file(dir.path(), "xy: [0.4", "xy: [1.2");
    check(dir.path(), &["check", &far], 12, &words);
}

#[test]
fn another_robot_can_be_named() {
    let dir = TempDir::new().unwrap();
    let robot = regrasp_assets::workspace_root().join("tests/data/ur5e/ur5e.yaml");
    let robot = robot.to_str().unwrap();
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
fn schemas_of_files_are_printed_as_json() {
    let dir = TempDir::new().unwrap();
    for (of, word) in [
        ("task", "held_for"),
        ("scene", "two_sided"),
        ("robot", "kp_nm_per_rad"),
        ("result", "state_digest"),
    ] {
        let said = check(dir.path(), &["schema", of], 0, &[word]);
        let schema: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert!(schema["$schema"].is_string(), "{of}");
    }
    let wrong = ["schema", "sceen"];
    check(dir.path(), &wrong, 2, &["task, scene, robot, result"]);
}

/// The Panda's files in a folder, with its URDF changed.
fn changed_panda(dir: &Path, from: &str, to: &str) -> String {
    let folder = regrasp_assets::folder().join("robots/panda");
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), dir.join(file.file_name())).unwrap();
    }
    let urdf = fs::read_to_string(dir.join("panda.urdf")).unwrap();
    assert!(urdf.contains(from), "the URDF has `{from}`");
    fs::write(dir.join("panda.urdf"), urdf.replace(from, to)).unwrap();
    dir.join("panda.yaml").display().to_string()
}

#[test]
fn collision_shapes_that_leave_a_link_uncovered_are_warned_of_with_a_figure() {
    let dir = TempDir::new().unwrap();
    let [whole, small, bare] = ["whole", "small", "bare"].map(|name| {
        let folder = dir.path().join(name);
        fs::create_dir(&folder).unwrap();
        folder
    });
    let mesh = r#"<mesh filename="link5.obj"/>"#;
    let robot = changed_panda(&whole, mesh, mesh);
    check(
        dir.path(),
        &["check", &robot],
        0,
        &["robot `panda` is fine"],
    );
    let smaller = r#"<mesh filename="link5.obj" scale="0.9 0.9 0.9"/>"#;
    let robot = changed_panda(&small, mesh, smaller);
    let words = [
        "warning: link `panda_link5`: what is drawn stands out of its collision shapes by up to",
        "mm, at (",
        "% of the surface",
        "with 1 warning(s)",
    ];
    check(dir.path(), &["check", &robot], 0, &words);
    let without = "";
    let collision = concat!(
        "    <collision>\n      <geometry>",
        r#"<mesh filename="link5.obj"/>"#,
        "</geometry>\n    </collision>\n"
    );
    let robot = changed_panda(&bare, collision, without);
    let words = ["warning: link `panda_link5`: nothing to collide with"];
    check(dir.path(), &["check", &robot], 0, &words);
}
