//! Access to the files, packages and Markdown tables of the repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

pub(super) fn root() -> PathBuf {
    regrasp_assets::workspace_root()
}

pub(super) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Rust files below a folder, except those below folders with a name in `skipped`.
pub(super) fn sources(folder: &Path, skipped: &[&str]) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the repository");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let below = |path: PathBuf| match path.is_dir() {
        true if skipped.iter().any(|name| path.ends_with(name)) => vec![],
        true => sources(&path, skipped),
        false if path.extension().is_some_and(|end| end == "rs") => vec![path],
        false => vec![],
    };
    paths.flat_map(below).collect()
}

/// Packages of the workspace with their targets, from Cargo.
pub(super) fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .arg("--offline")
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let mut metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    match metadata["packages"].take() {
        Value::Array(packages) => packages,
        other => panic!("packages: {other}"),
    }
}

pub(super) fn folder_of(package: &Value) -> PathBuf {
    let manifest = package["manifest_path"].as_str().expect("a path");
    Path::new(manifest).with_file_name("")
}

/// Cells of the rows of the Markdown table whose first line begins with `head`.
pub(super) fn table<'a>(page: &'a str, head: &str) -> Vec<Vec<&'a str>> {
    let lines = page.lines().skip_while(|line| !line.starts_with(head));
    let rows = lines.skip(2).take_while(|line| line.starts_with('|'));
    let cells = |row: &'a str| {
        let row = row.trim_start_matches('|').trim_end_matches('|');
        row.split('|').map(str::trim).collect()
    };
    rows.map(cells).collect()
}

/// Texts between backticks.
pub(super) fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Names between backticks in a cell, or the word `all`.
pub(super) fn names(cell: &str) -> BTreeSet<String> {
    match cell {
        "all" => BTreeSet::from(["all".to_owned()]),
        _ => quoted(cell).map(str::to_owned).collect(),
    }
}
