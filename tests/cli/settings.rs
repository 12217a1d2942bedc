//! Faults and approvals, from files and from the command line.

use std::fs;

use regrasp_testkit::rows;

use crate::Shell;
use crate::shell::expect;

#[test]
fn faults_are_read_alike_from_a_file_and_from_the_command_line() {
    let shell = Shell::new();
    let with = |fault: &str| {
        let faults = format!("faults:\n  - {fault}\nsuccess:");
        shell.task_file("success:", &faults);
    };
    with("nudged: {object: red_cub}");
    let meant = "unknown object `red_cub`; did you mean `red_cube`?";
    shell.check("run --task task.yaml", 12, &format!("task.yaml:9; {meant}"));
    let words = "kind of fault `nudge`; did you mean `nudged`?; for example";
    let run = "run --task pick_cube --fault 'nudge: {object: red_cube}'";
    shell.check(run, 2, words);

    with("skill_fails: {probability: 1, reason: push_no_motion}");
    let words = "FAILED: push_no_motion; success:      false";
    shell.check("run --task task.yaml", 10, words);
    let bench = "bench --tasks task.yaml --seeds 1 --fail-under 0.5";
    shell.check(bench, 13, "push_no_motion; below --fail-under 0.5");
    with("skill_fails: {skill: pik, probability: 1}");
    shell.check("run --task task.yaml", 2, "no skill `pik`; carry_to");
    shell.check("check task.yaml", 2, "no skill `pik`; carry_to");
}

#[test]
fn a_misspelt_setting_in_the_environment_is_refused() {
    let shell = Shell::new();
    let mut command = shell.command("config");
    let output = command.env("REGRASP_VIEWPONT", "robot").output();
    expect(&output.unwrap(), 2, "did you mean `REGRASP_VIEWPOINT`?");
}

#[test]
fn a_bad_value_from_the_environment_names_its_variable() {
    let tells = |flag: &str| {
        let shell = Shell::new();
        let mut command = shell.command(&format!("models --planner ollama {flag}"));
        let output = command.env("REGRASP_MODEL_TIMEOUT", "soon").output();
        let said = expect(&output.unwrap(), 2, "expected a number of seconds");
        said.contains("the environment variable REGRASP_MODEL_TIMEOUT")
    };
    assert!(tells(""));
    assert!(!tells("--model-timeout later"));
    assert!(!tells("--model-timeout=later"));
}

#[test]
fn a_robot_file_says_which_steps_wait_and_settings_take_precedence() {
    let shell = Shell::new();
    let panda = regrasp_assets::folder().join("robots/panda");
    let text = fs::read_to_string(panda.join("panda.yaml")).unwrap();
    let urdf = format!("urdf: {}", panda.join("panda.urdf").display());
    let text = text.replacen("urdf: panda.urdf", &urdf, 1);
    let robot = |skill: &str| {
        let policy = format!("approval:\n  risks:\n    irreversible: [{skill}]\n");
        shell.write("robot.yaml", format!("{text}\n{policy}"));
    };
    robot("pick");
    let run = "run --task pick_cube --robot robot.yaml";
    shell.check(run, 10, "approval_denied; pick cannot be undone");
    shell.check(&format!("{run} --approve never"), 0, "plan_complete");
    let words = "irreversible:; - pick; mode: critical";
    shell.check("config --robot robot.yaml", 0, words);
    robot("pik");
    let words = "names the skill `pik`; carry_to";
    shell.check(run, 12, words);
    shell.check("check robot.yaml", 12, words);
}

#[test]
fn a_setting_of_the_wrong_type_or_range_is_named_with_its_line() {
    let shell = Shell::new();
    let cases = r#"
        budgets:\n  max_steps: 1.5             | 2 | `budgets.max_steps`; a whole number, 0 or greater
        budgets: {max_sim_secs: -1}            | 1 | `budgets.max_sim_secs`; must be 0 or greater
        criteria:\n  threshold: 5              | 2 | `criteria.threshold`; from 0 to 1
        replan_on_failure: "no"                | 1 | expected a boolean
        budgets:\n  max_stepz: 3               | 2 | unknown field `max_stepz`; max_steps
        approval: {risks: {speed_over: 5}}     | 1 | from 0 to 1
        approval: {mode: sometimes}            | 1 | `always`, `never`, `critical`"#;
    for [settings, line, words] in rows(cases) {
        shell.write("my.yaml", settings.replace(r"\n", "\n"));
        let words = format!("my.yaml:{line}; {words}");
        shell.check("config --config my.yaml", 12, &words);
    }
}
