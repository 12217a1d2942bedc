//! Commands that run in a temporary folder, and checks of their output.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use regrasp_testkit::{rows, says};
use serde_json::Value;
use tempfile::TempDir;

/// Creates a command of `regrasp` in a folder, with arguments split like in a shell.
pub(crate) fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regrasp-tested"));
    command.args(shlex::split(line).unwrap());
    command.current_dir(folder).stdin(Stdio::null());
    command
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Splits expected words at `; `.
pub(crate) fn listed(words: &str) -> Vec<&str> {
    words.split("; ").collect()
}

/// Checks the exit code, and that standard output and error contain words, which are separated by
/// `; `. Returns both outputs as one text.
#[track_caller]
pub(crate) fn expect(output: &Output, code: i32, words: &str) -> String {
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    says(&said, &listed(words));
    said
}

/// Sends SIGINT, like Ctrl-C.
pub(crate) fn interrupt(child: &Child) {
    let kill = format!("kill -INT {}", child.id());
    let signal = Command::new("sh").args(["-c", &kill]).status();
    assert!(signal.unwrap().success());
}

/// Path of the only entry of a folder.
pub(crate) fn only_in(folder: &Path) -> PathBuf {
    let mut entries = fs::read_dir(folder).unwrap();
    entries.next().unwrap().unwrap().path()
}

/// A temporary folder in which commands run. A command is a line as in a shell, with quotes.
pub(crate) struct Shell(TempDir);

impl Shell {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn command(&self, line: &str) -> Command {
        command(self.path(), line)
    }

    pub(crate) fn run(&self, line: &str) -> Output {
        self.command(line).output().unwrap()
    }

    /// Runs a command and checks its exit code, and words on standard output and error.
    #[track_caller]
    pub(crate) fn check(&self, line: &str, code: i32, words: &str) -> String {
        println!("{line}");
        expect(&self.run(line), code, words)
    }

    /// Checks a table of commands that start with `begin`: rest of the line, exit code, and words.
    #[track_caller]
    pub(crate) fn check_all(&self, begin: &str, table: &str) {
        for [rest, code, words] in rows(table) {
            let line = format!("{begin} {rest}");
            self.check(&line, code.parse().unwrap(), &words);
        }
    }

    /// Runs a command that must succeed and print only JSON.
    #[track_caller]
    pub(crate) fn asked(&self, line: &str) -> Value {
        let output = self.run(line);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    pub(crate) fn bytes(&self, file: impl AsRef<Path>) -> Vec<u8> {
        fs::read(self.path().join(file)).unwrap()
    }

    pub(crate) fn read(&self, file: impl AsRef<Path>) -> String {
        String::from_utf8(self.bytes(file)).unwrap()
    }

    pub(crate) fn json(&self, file: impl AsRef<Path>) -> Value {
        serde_json::from_slice(&self.bytes(file)).unwrap()
    }

    pub(crate) fn write(&self, file: impl AsRef<Path>, contents: impl AsRef<[u8]>) {
        fs::write(self.path().join(file), contents).unwrap();
    }

    pub(crate) fn has(&self, file: &str) -> bool {
        self.path().join(file).exists()
    }

    pub(crate) fn only_run(&self) -> PathBuf {
        only_in(&self.path().join("runs"))
    }

    pub(crate) fn task_file(&self, from: &str, to: &str) -> &'static str {
        assert!(TASK.contains(from), "the task of the tests lacks `{from}`");
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
