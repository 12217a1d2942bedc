//! The command line as a person or a script meets it: exit codes, messages, files.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod bench;
mod calibrate;
#[cfg(feature = "franka")]
#[path = "../common/mod.rs"]
mod common;
#[cfg(feature = "dataset")]
mod datasets;
mod files;
#[cfg(feature = "video")]
mod films;
mod mjcf;
mod models;
mod motion;
mod noise;
#[cfg(feature = "openpi")]
mod openpi;
mod pictures;
#[cfg(feature = "franka")]
mod real_arm;
mod recorded;
mod replay;
#[cfg(feature = "rerun")]
mod rerun;
mod runs;
mod scenes;
mod settings;
mod understanding;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// The program under test.
const REGRASP: &str = env!("CARGO_BIN_EXE_regrasp-tested");

/// Runs a command in a folder.
fn regrasp(dir: &Path, args: &[&str]) -> Output {
    Command::new(crate::REGRASP)
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command and checks its exit code and words on standard output and error.
fn check(dir: &Path, args: &[&str], code: i32, words: &[&str]) -> String {
    let output = regrasp(dir, args);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{args:?} said: {said}");
    for word in words {
        assert!(said.contains(word), "{args:?}: `{word}` in: {said}");
    }
    said
}

/// A command of arguments without spaces.
fn argv(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// Runs a command of arguments without spaces, and checks its exit code.
fn said(dir: &Path, line: &str, code: i32) -> String {
    check(dir, &argv(line), code, &[])
}

/// A task file with one line replaced.
fn task_file(dir: &Path, from: &str, to: &str) -> String {
    const TASK: &str = "\
name: my_task
prompt: pick up the red cube
scene:
  arm: {position: [-0.3, 0.0, 0.0]}
  objects:
    - {id: table, kind: table, size: [1.3, 1.2], top_z: 0.04, xy: [0.75, 0.0]}
    - {id: red_cube, kind: cube, half_extents: 0.015, mass_kg: 0.05, color: red, on: table, xy: [0.4, 0.0]}
success:
  - lifted: {object: red_cube, min_height_m: 0.05}
";
    assert!(TASK.contains(from), "the test's own task has `{from}`");
    fs::write(dir.join("task.yaml"), TASK.replace(from, to)).unwrap();
    "task.yaml".into()
}
