//! Invalid files, the output of `check`, and lists.

use std::fs;
use std::path::Path;

use regrasp_testkit::{rows, says};

use crate::Shell;

#[test]
fn wrong_files_end_with_12_and_say_where_and_what_would_be_right() {
    let shell = Shell::new();
    let cases = "
        mass_kg                         | mas_kg                         | task.yaml:7; mas_kg; mass_kg
        object: red_cube, min           | object: red_cub, min           | task.yaml:9; red_cub; red_cube; table
        half_extents: 0.015             | half_extents: -0.015           | task.yaml:7; half_extents; -0.015
        mass_kg: 0.05                   | mass_kg: 0                     | task.yaml:7; mass_kg
        min_height_m: 0.05              | min_height_m: -0.05            | task.yaml:9; min_height_m
        on: table, xy: [0.4             | on: tabel, xy: [0.4            | task.yaml:7; tabel; table
        kind: cube                      | kind: qube                     | task.yaml:7; qube; cube
        kind: cube, half_extents: 0.015 | kind: convex, mesh: nowhere.stl | task.yaml:7; nowhere.stl
        lifted: {object: red_cube, min_height_m: 0.05} | on: {object: red_cube, target: table} | already";
    for [from, to, words] in rows(cases) {
        let file = shell.task_file(&from, &to);
        for command in ["check", "run --task", "bench --tasks"] {
            shell.check(&format!("{command} {file}"), 12, &words);
        }
    }
    shell.check("check missing.yaml", 12, "missing.yaml");
    for named in ["--scene", "--robot"] {
        shell.check(&format!("run 'go home' {named} ."), 12, "it is a folder");
    }
    shell.check("plan .", 12, "it is a folder");
    shell.check("run --task pick_cub", 12, "pick_cub; pick_cube");
}

#[test]
fn check_reports_objects_out_of_reach_with_the_phase() {
    let shell = Shell::new();
    shell.check("check pick_cube", 0, "red_cube: reachable");
    let words = "red_cube: NOT reachable; approach: the target is; IK did not converge; pos_err=";
    shell.check("check pick_unreachable_cube", 0, words);
    let far = shell.task_file("xy: [0.4", "xy: [1.2");
    shell.check(&format!("check {far}"), 12, words);
}

#[test]
fn another_robot_can_be_named() {
    let shell = Shell::new();
    let robot = regrasp_assets::workspace_root().join("tests/data/ur5e/ur5e.yaml");
    let robot = robot.to_str().unwrap();
    shell.check(&format!("check '{robot}'"), 0, "robot `ur5e` is fine");
    // The drive's 5 N m on two levers of 55 mm give 45.5 N.
    let turning = robot.replace("ur5e", "linkage");
    let words = "from 0.0 to 80.0 mm apart; with 45.5 N or more; robot `linkage` is fine";
    shell.check(&format!("check '{turning}'"), 0, words);
    let arm = "position: [-0.3, 0.0, 0.0]";
    let task = shell.task_file(arm, "position: [-0.05, 0.0, 0.0]");
    let run = format!("run --task {task} --robot '{robot}'");
    shell.check(&run, 0, "plan_complete");
    let nowhere = format!("check {task} --robot nowhere.yaml");
    shell.check(&nowhere, 12, "nowhere.yaml");
}

#[test]
fn every_list_can_be_printed() {
    let shell = Shell::new();
    shell.check("tasks", 0, "pick_from_three; maniskill/stack_cube");
    shell.check("skills", 0, "pick(object; place_at(; home(");
}

#[test]
fn schemas_of_files_are_printed_as_json() {
    let shell = Shell::new();
    for (of, word) in [
        ("task", "held_for"),
        ("scene", "two_sided"),
        ("models", "fixtures"),
        ("robot", "kp_nm_per_rad"),
        ("result", "state_digest"),
    ] {
        let schema = shell.asked(&format!("schema {of}"));
        assert!(schema["$schema"].is_string(), "{of}");
        says(&schema.to_string(), &[word]);
    }
    shell.check("schema sceen", 2, "task, scene, models, robot, result");
}

#[test]
fn check_builds_the_simulated_robot_at_home() {
    let shell = Shell::new();
    let cases = r#"
        weak  | effort="87"          | effort="0"         | `panda_joint1`; effort limit of 0
        bent  | upper="2.8973"       | upper="-0.5"       | `panda_joint1` is at 0.000, outside its limits"#;
    for [case, from, to, words] in rows(cases) {
        let robot = changed_panda(&shell.path().join(&case), &from, &to);
        let words = format!("{words}; panda.yaml");
        shell.check(&format!("check '{robot}'"), 12, &words);
    }
}

/// Copies the Panda's files to a folder with a change to its URDF.
fn changed_panda(dir: &Path, from: &str, to: &str) -> String {
    let folder = regrasp_assets::folder().join("robots/panda");
    fs::create_dir(dir).unwrap();
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), dir.join(file.file_name())).unwrap();
    }
    let urdf = fs::read_to_string(dir.join("panda.urdf")).unwrap();
    assert!(urdf.contains(from), "the URDF lacks `{from}`");
    fs::write(dir.join("panda.urdf"), urdf.replace(from, to)).unwrap();
    dir.join("panda.yaml").display().to_string()
}

#[test]
fn collision_shapes_that_leave_a_link_uncovered_are_warned_of_with_a_figure() {
    let shell = Shell::new();
    let mesh = r#"<mesh filename="link5.obj"/>"#;
    let smaller = r#"<mesh filename="link5.obj" scale="0.9 0.9 0.9"/>"#;
    let collision = concat!(
        "    <collision>\n      <geometry>",
        r#"<mesh filename="link5.obj"/>"#,
        "</geometry>\n    </collision>\n"
    );
    let stands_out = "warning: link `panda_link5`: its visual geometry extends beyond its \
                      collision shapes by up to; mm, at (; % of the surface; with 1 warning(s)";
    let bare = "warning: link `panda_link5`: it has visual geometry but no collision shape";
    let cases = [
        ("whole", mesh, mesh, "robot `panda` is fine"),
        ("small", mesh, smaller, stands_out),
        ("bare", collision, "", bare),
    ];
    for (name, from, to, words) in cases {
        let robot = changed_panda(&shell.path().join(name), from, to);
        shell.check(&format!("check {robot}"), 0, words);
    }
}
