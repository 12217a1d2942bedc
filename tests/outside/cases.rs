//! Failures that users reported: each folder below `cases/` has an input and the expected answer.
//! `docs/reporting.md` describes how a report becomes a case.
//!
//! `cargo test -p regrasp-tests --test outside cases -- --nocapture` prints the table.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, thread};

use serde::Deserialize;
use tempfile::TempDir;

const REGRASP: &str = env!("CARGO_BIN_EXE_regrasp-tested");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Reported symptom in one sentence.
    report: String,
    kind: String,
    /// Arguments of `regrasp`, run in a copy of the case's folder.
    run: Vec<String>,
    exit: i32,
    /// Texts that standard output or error must contain.
    #[serde(default)]
    says: Vec<String>,
    /// Texts that neither standard output nor error may contain.
    #[serde(default)]
    never_says: Vec<String>,
    /// Texts that files must contain after the command, by file.
    #[serde(default)]
    writes: BTreeMap<PathBuf, Vec<String>>,
}

impl Case {
    fn differences(&self, folder: &Path) -> Vec<String> {
        let copy = TempDir::new().unwrap();
        for entry in fs::read_dir(folder).unwrap() {
            let file = entry.unwrap();
            fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
        }
        let mut command = Command::new(REGRASP);
        command.args(&self.run).current_dir(copy.path());
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let mut differences = Vec::new();
        let (code, expected) = (output.status.code(), self.exit);
        if code != Some(expected) {
            differences.push(format!("exit code {code:?}, expected {expected}"));
        }
        let missing = self.says.iter().filter(|text| !said.contains(*text));
        differences.extend(missing.map(|text| format!("does not say `{text}`")));
        let unwanted = self.never_says.iter().filter(|text| said.contains(*text));
        differences.extend(unwanted.map(|text| format!("says `{text}`")));
        for (path, texts) in &self.writes {
            let written = fs::read_to_string(copy.path().join(path)).unwrap_or_default();
            let missing = texts.iter().filter(|text| !written.contains(*text));
            differences.extend(missing.map(|text| format!("{} lacks `{text}`", path.display())));
        }
        if !differences.is_empty() {
            differences.push(said);
        }
        differences
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "the table is for a person")]
fn reported_cases_are_answered_rightly() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("outside/cases");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.sort();
    let cases: Vec<(PathBuf, Case)> = folders
        .into_iter()
        .map(|folder| {
            let text = fs::read_to_string(folder.join("case.yaml")).unwrap();
            let case = serde_saphyr::from_str(&text);
            let case = case.unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
            (folder, case)
        })
        .collect();
    let mut wrong = Vec::new();
    thread::scope(|scope| {
        let n_each = cases.len().div_ceil(2);
        let halves = cases.chunks(n_each).map(|half| {
            scope.spawn(move || {
                let answers = half.iter().map(|(folder, case)| case.differences(folder));
                answers.collect::<Vec<_>>()
            })
        });
        let halves: Vec<_> = halves.collect();
        let answers = halves.into_iter().flat_map(|half| half.join().unwrap());
        for ((folder, case), differences) in cases.iter().zip(answers) {
            let is_right = differences.is_empty();
            let now = if is_right { "right" } else { "WRONG" };
            println!("| {} | {} | {now} |", case.kind, case.report);
            if !is_right {
                let found = differences.join("\n  ");
                wrong.push(format!("{}: {found}", folder.display()));
            }
        }
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
