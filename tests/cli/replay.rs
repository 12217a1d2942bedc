//! Runs done again.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::check;

/// The folder of the only run.
fn recorded(dir: &Path, args: &str) -> PathBuf {
    let args: Vec<_> = args.split(' ').collect();
    check(dir, &args, 0, &["run folder: "]);
    let mut runs = fs::read_dir(dir.join("runs")).unwrap();
    runs.next().unwrap().unwrap().path()
}

fn replayed(dir: &Path, run: &Path, code: i32, words: &[&str]) -> String {
    let run = run.to_str().unwrap();
    check(dir, &["replay", run], code, words)
}

/// Changes one field of a JSON file.
fn change(path: &Path, key: &str, value: Value) {
    let mut json: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    json[key] = value;
    fs::write(path, json.to_string()).unwrap();
}

#[test]
fn a_run_done_again_ends_in_the_same_state() {
    let dir = TempDir::new().unwrap();
    let run = recorded(
        dir.path(),
        "run --task pick_cube_scrambled --seed 5 --approve never",
    );
    replayed(dir.path(), &run, 0, &["the digest agrees: "]);

    // What happened otherwise is found, and told with where.
    let events = fs::read_to_string(run.join("events.jsonl")).unwrap();
    let mut lines: Vec<_> = events.lines().collect();
    let started = lines
        .iter()
        .position(|line| line.contains("step_started"))
        .unwrap();
    let other = lines[started].replace("\"pick\"", "\"poke\"");
    lines[started] = &other;
    fs::write(run.join("events.jsonl"), lines.join("\n") + "\n").unwrap();
    change(
        &run.join("result.json"),
        "state_digest",
        "0123456789abcdef".into(),
    );
    let at = format!("they part at event {started}:");
    let words = [
        "the digest differs: it was 0123456789abcdef and is ",
        &at,
        "poke",
    ];
    replayed(dir.path(), &run, 1, &words);
    // Another version may do things otherwise: then it is no bug.
    change(&run.join("episode.json"), "version", "0.0.1".into());
    replayed(
        dir.path(),
        &run,
        12,
        &["the run is of version 0.0.1, this is "],
    );
}

#[test]
fn what_cannot_be_done_again_is_refused_with_the_reason() {
    let dir = TempDir::new().unwrap();
    let run = recorded(dir.path(), "run --task home");
    let episode = run.join("episode.json");
    let with = |args: &str| {
        let args: Vec<Value> = args.split(' ').map(Value::from).collect();
        change(&episode, "args", args.into());
    };
    with("bench --tasks home");
    replayed(
        dir.path(),
        &run,
        12,
        &["it was not started by `regrasp run`"],
    );
    with("run --task home --store kept.sqlite");
    replayed(dir.path(), &run, 12, &["it used the store kept.sqlite"]);
    with("run --fly");
    replayed(
        dir.path(),
        &run,
        12,
        &["its arguments are not understood", "--fly"],
    );
    with("run --task hom");
    replayed(dir.path(), &run, 12, &["did you mean `home`?"]);
    fs::remove_file(run.join("result.json")).unwrap();
    replayed(dir.path(), &run, 12, &["it was killed before its end"]);
    replayed(dir.path(), Path::new("gone"), 12, &["episode.json"]);
}
