//! The documented tables of layers and crates match the actual dependencies.

use std::collections::{BTreeMap, BTreeSet};

use regrasp_testkit::rows;
use serde_json::Value;

use super::sources::{folder_of, names, packages, quoted, read, root, sources, table};

const README: &str = include_str!("../../README.md");
const ARCHITECTURE: &str = include_str!("../../docs/architecture.md");

struct Row {
    folder: String,
    may_depend_on: BTreeSet<String>,
}

/// Crates by name, from `docs/architecture.md`.
fn documented() -> BTreeMap<String, Row> {
    let parse = |cells: Vec<&str>| {
        let [name, folder, _, may, ..] = cells[..] else {
            return None;
        };
        let row = Row {
            folder: quoted(folder).next()?.to_owned(),
            may_depend_on: names(may),
        };
        Some((quoted(name).next()?.to_owned(), row))
    };
    let rows = table(ARCHITECTURE, "| crate |").into_iter();
    rows.filter_map(parse).collect()
}

struct Crate {
    /// Folder relative to `crates`, or to the root if the crate is not in a layer.
    folder: String,
    dependencies: BTreeSet<String>,
}

/// Crates by name, from Cargo.
fn actual() -> BTreeMap<String, Crate> {
    let root = root().canonicalize().expect("the root exists");
    let short = |name: &Value| {
        name.as_str()
            .map(|n| n.trim_start_matches("regrasp-").to_owned())
    };
    let read = |package: &Value| {
        let dependencies = package["dependencies"].as_array()?;
        let ours = dependencies.iter();
        let ours = ours.filter(|d| d["kind"].is_null() && d["path"].is_string());
        let folder = folder_of(package);
        let folder = folder.strip_prefix(&root).ok()?;
        let folder = folder.to_string_lossy().replace('\\', "/");
        Some((
            short(&package["name"])?,
            Crate {
                folder: folder
                    .trim_start_matches("crates/")
                    .trim_end_matches('/')
                    .to_owned(),
                dependencies: ours.filter_map(|d| short(&d["name"])).collect(),
            },
        ))
    };
    packages().iter().filter_map(read).collect()
}

#[test]
fn every_crate_depends_only_on_what_the_table_allows() {
    let documented = documented();
    for (name, actual) in actual() {
        let Some(row) = documented.get(&name) else {
            panic!("`{name}` is missing in the table of crates in docs/architecture.md");
        };
        assert_eq!(
            row.folder, actual.folder,
            "folder of `{name}`; left: docs/architecture.md; right: Cargo"
        );
        let allowed = &row.may_depend_on;
        for dependency in &actual.dependencies {
            assert!(
                allowed.contains(dependency) || allowed.contains("all"),
                "`{name}` depends on `{dependency}`, which the table of crates does not allow \
                 (allowed: {allowed:?})"
            );
        }
    }
}

/// A layer: the folders of its crates, and the layers that it depends on.
#[derive(Debug, Default, PartialEq)]
struct Layer {
    crates: BTreeSet<String>,
    below: BTreeSet<String>,
}

/// Layers by name, from the table in README.md.
fn documented_layers() -> BTreeMap<String, Layer> {
    let parse = |cells: Vec<&str>| {
        let [name, crates, _, below, ..] = cells[..] else {
            return None;
        };
        let layer = Layer {
            crates: names(crates),
            below: names(below),
        };
        Some((quoted(name).next()?.to_owned(), layer))
    };
    let rows = table(README, "| layer |").into_iter();
    rows.filter_map(parse).collect()
}

#[test]
fn readme_names_each_layer_with_its_crates_and_what_it_stands_on() {
    let actual = actual();
    let place = |name: &String| actual.get(name)?.folder.split_once('/');
    let mut layers: BTreeMap<String, Layer> = BTreeMap::new();
    for (name, it) in &actual {
        let Some((own, room)) = place(name) else {
            continue;
        };
        let layer = layers.entry(own.to_owned()).or_default();
        layer.crates.insert(room.to_owned());
        let below = it.dependencies.iter().filter_map(place);
        let below = below.filter(|(other, _)| *other != own);
        layer.below.extend(below.map(|(other, _)| other.to_owned()));
    }
    let mut documented = documented_layers();
    for (name, layer) in &mut documented {
        if layer.below.remove("all") {
            let below = layers.get(name).map(|layer| layer.below.clone());
            layer.below.extend(below.unwrap_or_default());
        }
    }
    assert_eq!(documented, layers, "left: README.md; right: the crates");
}

#[test]
fn the_table_names_no_crate_that_is_gone() {
    let actual = actual();
    for name in documented().keys() {
        let exists = actual.contains_key(name);
        assert!(exists, "docs/architecture.md: `{name}` is not a crate");
    }
}

#[test]
fn what_must_not_be_reached_is_not_even_through_another_crate() {
    let actual = actual();
    let cases = "
        code under test knows no truth     | skills planner agent rgbd-perception llm-planner language | ground-truth sim cli regrasp
        a real cell has nothing simulated  | external-perception rgbd-perception | sim ground-truth scene ground-truth-perception regrasp cli
        the meaning of phrases is injected | robot skills | language
        the facade builds no command line  | regrasp | cli export foxglove lerobot mcp rerun session station store video web";
    for [why, starts, forbidden] in rows(cases) {
        for start in starts.split(' ') {
            assert!(actual.contains_key(start), "`{start}` is not a crate");
            let mut open = vec![vec![start.to_owned()]];
            while let Some(path) = open.pop() {
                let last = path.last().map(String::as_str).unwrap_or_default();
                let is_allowed = forbidden.split(' ').all(|name| name != last);
                let way = path.join(" -> ");
                assert!(
                    is_allowed,
                    "{why}, but `{start}` depends on `{last}`: {way}"
                );
                let next = actual.get(last).map(|c| &c.dependencies);
                for next in next.into_iter().flatten() {
                    open.push([path.clone(), vec![next.clone()]].concat());
                }
            }
        }
    }
}

/// Checks that each file begins with its purpose. The template is exempt, because a test includes
/// it.
#[test]
fn every_file_begins_with_what_it_is() {
    let folders = ["crates", "examples", "tests"].map(|folder| root().join(folder));
    let folders = folders.iter();
    let files = folders.flat_map(|it| sources(it, &["templates", "target"]));
    let silent = files.filter(|file| !read(file).starts_with("//!"));
    let silent: Vec<_> = silent.collect();
    assert!(silent.is_empty(), "the first line lacks `//!`: {silent:?}");
}
