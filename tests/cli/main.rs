//! The command line as users and scripts see it: exit codes, messages, files.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod bench;
mod calibrate;
mod catalogue;
#[path = "../common/mod.rs"]
mod common;
#[cfg(feature = "dataset")]
mod datasets;
mod files;
#[cfg(feature = "video")]
mod films;
mod foxglove;
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
#[cfg(feature = "ros2")]
mod ros;
mod runs;
mod scenes;
mod settings;
mod understanding;

use regrasp_testkit::says;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

const REGRASP: &str = env!("CARGO_BIN_EXE_regrasp-tested");

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

/// Splits a cell of a table at `; `.
fn listed(words: &str) -> Vec<&str> {
    words.split("; ").collect()
}

/// A folder in which commands run. Commands are lines as in a shell, with quotes.
struct Shell(TempDir);

impl Shell {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn run(&self, line: &str) -> Output {
        let args = shlex::split(line).unwrap();
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        regrasp(self.path(), &args)
    }

    /// Runs a command and checks its exit code, and words on standard output and error.
    #[track_caller]
    fn check(&self, line: &str, code: i32, words: &[&str]) -> String {
        let output = self.run(line);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{line} said: {said}");
        says(&said, words);
        said
    }

    /// Runs a command that must succeed and print only JSON.
    #[track_caller]
    fn asked(&self, line: &str) -> Value {
        let output = self.run(line);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn bytes(&self, file: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path().join(file)).unwrap()
    }

    fn read(&self, file: impl AsRef<Path>) -> String {
        String::from_utf8(self.bytes(file)).unwrap()
    }

    fn json(&self, file: impl AsRef<Path>) -> Value {
        serde_json::from_slice(&self.bytes(file)).unwrap()
    }

    fn write(&self, file: impl AsRef<Path>, contents: impl AsRef<[u8]>) {
        fs::write(self.path().join(file), contents).unwrap();
    }

    fn has(&self, file: &str) -> bool {
        self.path().join(file).exists()
    }

    fn only_run(&self) -> PathBuf {
        let mut runs = fs::read_dir(self.path().join("runs")).unwrap();
        runs.next().unwrap().unwrap().path()
    }

    fn task_file(&self, from: &str, to: &str) -> &'static str {
        assert!(TASK.contains(from), "the test's own task has `{from}`");
        self.write("task.yaml", TASK.replace(from, to));
        "task.yaml"
    }
}

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
