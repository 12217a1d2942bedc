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
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
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

/// What is under test must not be able to name the truth, not even through another crate.
#[test]
fn nothing_under_test_can_reach_the_truth() {
    let actual = actual();
    for start in ["skills", "planner", "agent", "vision", "vlm", "language"] {
        let mut open = vec![vec![start.to_owned()]];
        while let Some(path) = open.pop() {
            let last = path.last().map(String::as_str).unwrap_or_default();
            assert_ne!(
                last,
                "truth",
                "the truth is reached by {}",
                path.join(" -> ")
            );
            for next in actual.get(last).into_iter().flatten() {
                open.push([path.clone(), vec![next.clone()]].concat());
            }
        }
    }
}
