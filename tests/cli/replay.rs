//! `regrasp replay`: repetition of recorded runs.

use std::fs;
use std::path::{Path, PathBuf};

use regrasp_testkit::rows;
use serde_json::Value;

use crate::Shell;

fn replayed(shell: &Shell, run: &Path, code: i32, words: &str) {
    shell.check(&format!("replay {}", run.display()), code, words);
}

fn recorded(shell: &Shell, run: &str) -> PathBuf {
    shell.check(run, 0, "run folder: ");
    shell.only_run()
}

fn change(path: &Path, key: &str, value: Value) {
    let mut json: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    json[key] = value;
    fs::write(path, json.to_string()).unwrap();
}

#[test]
fn a_run_done_again_ends_in_the_same_state() {
    let shell = Shell::new();
    let run = "run --task pick_cube_scrambled --seed 5 --approve never";
    let run = recorded(&shell, run);
    replayed(&shell, &run, 0, "the digest agrees: ");

    // Differences are found and reported with their position.
    let events = fs::read_to_string(run.join("events.jsonl")).unwrap();
    let mut lines: Vec<_> = events.lines().collect();
    let is_start = |line: &&str| line.contains("step_started");
    let started = lines.iter().position(is_start).unwrap();
    let other = lines[started].replace("\"pick\"", "\"poke\"");
    lines[started] = &other;
    fs::write(run.join("events.jsonl"), lines.join("\n") + "\n").unwrap();
    let digest = "0123456789abcdef";
    change(&run.join("result.json"), "state_digest", digest.into());
    let differs = format!("the digest differs: it was {digest} and is now ");
    let at = format!("the runs diverge at event {started}:");
    replayed(&shell, &run, 1, &format!("{differs}; {at}; poke"));
    // A difference to a run of another version is not a bug, which would be exit code 1.
    change(&run.join("episode.json"), "version", "0.0.1".into());
    let words = "the run was made by version 0.0.1, this is ";
    replayed(&shell, &run, 12, words);
}

#[test]
fn a_file_that_was_changed_after_the_run_is_named() {
    let shell = Shell::new();
    let task = shell.task_file("", "");
    let run = recorded(&shell, &format!("run --task {task}"));
    shell.task_file("xy: [0.4, 0.0]", "xy: [0.45, 0.0]");
    let words = "the digest differs; task.yaml was changed after the run";
    replayed(&shell, &run, 12, words);
}

#[test]
fn what_cannot_be_done_again_is_refused_with_the_reason() {
    let shell = Shell::new();
    let run = recorded(&shell, "run --task home");
    let cases = "
        bench --tasks home                  | it was not started by `regrasp run`
        run --task home --store kept.sqlite | it used the store kept.sqlite
        run --fly                           | its arguments cannot be parsed; --fly
        run --task hom                      | did you mean `home`?";
    for [args, words] in rows(cases) {
        let args: Vec<Value> = args.split(' ').map(Value::from).collect();
        change(&run.join("episode.json"), "args", args.into());
        replayed(&shell, &run, 12, &words);
    }
    fs::remove_file(run.join("result.json")).unwrap();
    replayed(&shell, &run, 12, "it was killed");
    replayed(&shell, Path::new("gone"), 12, "episode.json");
}
