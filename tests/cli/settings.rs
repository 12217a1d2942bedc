//! Faults and approvals, from files and from the command line.

use std::fs;

use tempfile::TempDir;

use crate::{argv, check, task_file};

#[test]
fn faults_are_read_alike_from_a_file_and_from_the_command_line() {
    let dir = TempDir::new().unwrap();
    let with = |fault: &str| {
        let faults = format!("faults:\n  - {fault}\nsuccess:");
        task_file(dir.path(), "success:", &faults)
    };
    let task = with("nudged: {object: red_cub}");
    let words = [
        "task.yaml:9",
        "unknown object `red_cub`; did you mean `red_cube`?",
    ];
    check(dir.path(), &["run", "--task", &task], 12, &words);
    let words = [
        "kind of fault `nudge`",
        "did you mean `nudged`?",
        "for example",
    ];
    let spec = [
        "run",
        "--task",
        "pick_cube",
        "--fault",
        "nudge: {object: red_cube}",
    ];
    check(dir.path(), &spec, 2, &words);

    let task = with("skill_fails: {probability: 1, reason: push_no_motion}");
    let words = ["FAILED: push_no_motion", "success:      false"];
    check(dir.path(), &["run", "--task", &task], 10, &words);
    let words = ["push_no_motion", "below 0.5"];
    let bench = format!("bench --tasks {task} --seeds 1 --fail-under 0.5");
    let bench = argv(&bench);
    check(dir.path(), &bench, 13, &words);
    let task = with("skill_fails: {skill: pik, probability: 1}");
    let words = ["there is no skill `pik`", "carry_to"];
    check(dir.path(), &["run", "--task", &task], 2, &words);
}

#[test]
fn a_robot_file_says_which_steps_wait_and_settings_take_precedence() {
    let dir = TempDir::new().unwrap();
    let panda = regrasp_assets::folder().join("robots/panda");
    let text = fs::read_to_string(panda.join("panda.yaml")).unwrap();
    let text = text.replacen(
        "urdf: panda.urdf",
        &format!("urdf: {}", panda.join("panda.urdf").display()),
        1,
    );
    let robot = |skill: &str| {
        let policy = format!("approval:\n  risks:\n    irreversible: [{skill}]\n");
        fs::write(dir.path().join("robot.yaml"), format!("{text}\n{policy}")).unwrap();
    };
    robot("pick");
    let run = ["run", "--task", "pick_cube", "--robot", "robot.yaml"];
    let words = ["approval_denied", "pick cannot be undone"];
    check(dir.path(), &run, 10, &words);
    let approved = [&run[..], &["--approve", "never"]].concat();
    check(dir.path(), &approved, 0, &["plan_complete"]);
    let show = ["config", "--robot", "robot.yaml"];
    check(
        dir.path(),
        &show,
        0,
        &["irreversible:", "- pick", "mode: critical"],
    );
    robot("pik");
    let words = ["names the skill `pik`", "carry_to"];
    check(dir.path(), &run, 12, &words);
    check(dir.path(), &["check", "robot.yaml"], 12, &words);
}
