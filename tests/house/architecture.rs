//! README's table of crates and the dependencies that really exist say the same.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

const README: &str = include_str!("../../README.md");

/// A row of README's table of crates.
struct Row {
    folder: String,
    may_depend_on: BTreeSet<String>,
}

/// Crates by name, read from the table in README.
fn documented() -> BTreeMap<String, Row> {
    let table = README
        .lines()
        .skip_while(|line| !line.starts_with("| crate |"));
    let rows = table.skip(2).take_while(|line| line.starts_with("| `"));
    let parse = |row: &str| {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        let [_, name, folder, _, may, ..] = cells.as_slice() else {
            return None;
        };
        let quoted = |cell: &str| cell.split('`').nth(1).map(str::to_owned);
        let may_depend_on = if *may == "all" {
            BTreeSet::from(["all".to_owned()])
        } else {
            let names = may.split('`').skip(1).step_by(2);
            names.map(str::to_owned).collect()
        };
        let folder = quoted(folder)?;
        Some((
            quoted(name)?,
            Row {
                folder,
                may_depend_on,
            },
        ))
    };
    rows.filter_map(parse).collect()
}

/// A crate of this workspace as it is.
struct Crate {
    /// Below `crates`, or below the root for what is not a crate of a floor.
    folder: String,
    dependencies: BTreeSet<String>,
}

/// Crates by name, as Cargo knows them.
fn actual() -> BTreeMap<String, Crate> {
    let root = regrasp_assets::workspace_root();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .arg("--offline")
        .current_dir(&root)
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let root = root.canonicalize().expect("the root exists");
    let short = |name: &Value| {
        name.as_str()
            .map(|n| n.trim_start_matches("regrasp-").to_owned())
    };
    let packages = metadata["packages"].as_array().expect("packages");
    let read = |package: &Value| {
        let dependencies = package["dependencies"].as_array()?;
        let ours = dependencies
            .iter()
            .filter(|d| d["kind"].is_null() && d["path"].is_string());
        let manifest = std::path::Path::new(package["manifest_path"].as_str()?);
        let folder = manifest.parent()?.strip_prefix(&root).ok()?;
        let folder = folder.to_string_lossy().replace('\\', "/");
        Some((
            short(&package["name"])?,
            Crate {
                folder: folder.trim_start_matches("crates/").to_owned(),
                dependencies: ours.filter_map(|d| short(&d["name"])).collect(),
            },
        ))
    };
    packages.iter().filter_map(read).collect()
}

#[test]
fn every_crate_depends_only_on_what_readme_allows() {
    let documented = documented();
    for (name, actual) in actual() {
        let Some(row) = documented.get(&name) else {
            panic!("README's table of crates does not know `{name}`");
        };
        assert_eq!(
            row.folder, actual.folder,
            "the folder of `{name}` in README"
        );
        let allowed = &row.may_depend_on;
        for dependency in &actual.dependencies {
            assert!(
                allowed.contains(dependency) || allowed.contains("all"),
                "`{name}` depends on `{dependency}`, which README's table does not allow \
                 (allowed: {allowed:?})"
            );
        }
    }
}

/// Floor → floors that it stands on, read from the first table of README's map.
fn documented_floors() -> BTreeMap<String, BTreeSet<String>> {
    let table = README
        .lines()
        .skip_while(|line| !line.starts_with("| floor |"));
    let rows = table.skip(2).take_while(|line| line.starts_with('|'));
    let parse = |row: &str| {
        let cells: Vec<_> = row.split('|').collect();
        let name = cells.get(1)?.split('`').nth(1)?.to_owned();
        let below = cells.get(3)?;
        let names = below.split('`').skip(1).step_by(2);
        let names = if below.trim() == "all" {
            vec!["all"]
        } else {
            names.collect()
        };
        Some((name, names.into_iter().map(str::to_owned).collect()))
    };
    rows.filter_map(parse).collect()
}

#[test]
fn readme_names_each_floor_and_what_it_stands_on() {
    let actual = actual();
    let floor = |name: &String| actual.get(name)?.folder.split_once('/').map(|(f, _)| f);
    let mut floors: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, it) in &actual {
        let Some(own) = floor(name) else { continue };
        let below = it.dependencies.iter().filter_map(floor);
        let below = below.filter(|other| *other != own).map(str::to_owned);
        floors.entry(own.to_owned()).or_default().extend(below);
    }
    let mut documented = documented_floors();
    for (name, below) in &mut documented {
        if below.remove("all") {
            below.extend(floors.get(name).into_iter().flatten().cloned());
        }
    }
    assert_eq!(
        documented, floors,
        "README's table of floors against the crates"
    );
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
            for next in actual
                .get(last)
                .map(|c| &c.dependencies)
                .into_iter()
                .flatten()
            {
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
        &[
            "skills",
            "planner",
            "agent",
            "rgbd-perception",
            "llm-planner",
            "language",
        ],
        &["ground-truth", "sim", "cli", "regrasp"],
    );
}

/// What looks at a real cell names neither a simulator nor files of scenes, so that no figure of one
/// can slip in.
#[test]
fn the_eyes_of_a_real_cell_reach_no_simulated_one() {
    assert_unreachable(
        &["external-perception", "rgbd-perception"],
        &[
            "sim",
            "ground-truth",
            "scene",
            "ground-truth-perception",
            "regrasp",
            "cli",
        ],
    );
}

/// The robot and its skills take the meaning of phrases from whoever builds them.
#[test]
fn the_robot_and_its_skills_reach_no_grammar() {
    assert_unreachable(&["robot", "skills"], &["language"]);
}

/// Whoever depends on the facade builds neither the command line nor what only it needs.
#[test]
fn the_facade_does_not_reach_the_command_line() {
    assert_unreachable(
        &["regrasp"],
        &[
            "cli", "export", "lerobot", "mcp", "rerun", "session", "station", "store", "video",
            "web",
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
