//! README's table of crates and the dependencies that really exist say the same.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

const README: &str = include_str!("../README.md");

/// Crate → crates that it may depend on, read from the table in README.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let table = README
        .lines()
        .skip_while(|line| !line.starts_with("| crate |"));
    let rows = table.skip(2).take_while(|line| line.starts_with("| `"));
    let parse = |row: &str| {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let [_, name, _, may, ..] = cells.as_slice() else {
            return None;
        };
        let name = name.split('`').nth(1)?.to_owned();
        let names = may.split('`').skip(1).step_by(2);
        let may = if *may == "all" {
            vec!["all"]
        } else {
            names.collect()
        };
        let may = may.into_iter().map(str::to_owned).collect();
        Some((name, may))
    };
    rows.filter_map(parse).collect()
}

/// Crate → crates of this workspace that it depends on, by folder name.
fn actual() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--offline",
        ])
        .current_dir(regrasp_assets::workspace_root())
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let short = |name: &Value| {
        name.as_str()
            .map(|n| n.trim_start_matches("regrasp-").to_owned())
    };
    let packages = metadata["packages"].as_array().expect("packages");
    packages
        .iter()
        .filter_map(|package| {
            let dependencies = package["dependencies"].as_array()?;
            let ours = dependencies
                .iter()
                .filter(|d| d["kind"].is_null() && d["path"].is_string());
            Some((
                short(&package["name"])?,
                ours.filter_map(|d| short(&d["name"])).collect(),
            ))
        })
        .collect()
}

#[test]
fn every_crate_depends_only_on_what_readme_allows() {
    let documented = documented();
    for (name, dependencies) in actual() {
        let Some(allowed) = documented.get(&name) else {
            panic!("README's table of crates does not know `{name}`");
        };
        for dependency in &dependencies {
            assert!(
                allowed.contains(dependency) || allowed.contains("all"),
                "crates/{name} depends on crates/{dependency}, which README's table does not allow \
                 (allowed: {allowed:?})"
            );
        }
    }
}

#[test]
fn readme_names_no_crate_that_is_gone() {
    let actual = actual();
    for name in documented().keys() {
        assert!(
            actual.contains_key(name),
            "README's table names `{name}`, which does not exist"
        );
    }
}

/// Every way from a crate to others, by what they depend on.
fn assert_unreachable(starts: &[&str], forbidden: &[&str]) {
    let actual = actual();
    for start in starts {
        assert!(actual.contains_key(*start), "there is no crate `{start}`");
        let mut open = vec![vec![(*start).to_owned()]];
        while let Some(path) = open.pop() {
            let last = path.last().map(String::as_str).unwrap_or_default();
            assert!(
                !forbidden.contains(&last),
                "`{last}` is reached by {}",
                path.join(" -> ")
            );
            for next in actual.get(last).into_iter().flatten() {
                open.push([path.clone(), vec![next.clone()]].concat());
            }
        }
    }
}

/// What is under test must not be able to name the truth, not even through another crate; nor a
/// simulator or the command line, which know it.
#[test]
fn nothing_under_test_can_reach_the_truth() {
    assert_unreachable(
        &["skills", "planner", "agent", "vision", "vlm", "language"],
        &["truth", "sim", "cli", "regrasp"],
    );
}

/// What looks at a real cell names neither a simulator nor files of scenes, so that no figure of one
/// can slip in.
#[test]
fn the_eyes_of_a_real_cell_reach_no_simulated_one() {
    assert_unreachable(
        &["sensors", "vision"],
        &["sim", "truth", "scene", "perception", "regrasp", "cli"],
    );
}

/// Whoever depends on the facade builds neither the command line nor what only it needs.
#[test]
fn the_facade_does_not_reach_the_command_line() {
    assert_unreachable(
        &["regrasp"],
        &[
            "cli", "dataset", "live", "mcp", "pictures", "rerun", "serve", "session", "store",
            "video",
        ],
    );
}

/// A reader finds the room from its first line. The template is exempt: it is included in a test.
#[test]
fn every_file_begins_with_what_it_is() {
    let root = regrasp_assets::workspace_root();
    let mut open: Vec<_> = ["crates", "examples", "tests"].map(|d| root.join(d)).into();
    let mut silent = vec![];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("templates") && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).expect("source is text");
                if !text.starts_with("//!") {
                    silent.push(path);
                }
            }
        }
    }
    assert!(silent.is_empty(), "no `//!` line first: {silent:?}");
}
