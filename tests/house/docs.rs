//! All files, links, subcommands, flags, tests and examples that the documentation names exist.
//!
//! `scripts/check_docs.sh` also runs the documented commands.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use serde_json::Value;

use super::sources::{folder_of, packages, quoted, read, root, sources};

/// Subcommands that a build without features may lack.
const NEED_A_FEATURE: &str = "serve mcp video export dataset arm policy-server ros";

/// Flags that a build without features may lack.
const FLAGS_NEED_A_FEATURE: &str = "
    --policy-mapping --policy-key-env --percepts --percepts-wait --rgbd --hand
    --safety --speed --workspace --approve-motion --require-realtime --domain --rmw --namespace
    --interface --rate --camera-rate
";

/// First components of paths in the documentation.
const TOP: &str = ".ci assets crates docs examples scripts tests deny.toml Cargo.toml";

fn is_one_of(listed: &str, word: &str) -> bool {
    listed.split_whitespace().any(|it| it == word)
}

fn pages() -> Vec<String> {
    let top = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(str::to_owned);
    let docs = fs::read_dir(root().join("docs")).expect("docs is a folder");
    let docs = docs.filter_map(|entry| {
        let name = entry.expect("docs can be listed").file_name();
        let name = name.to_str()?.to_owned();
        name.ends_with(".md").then(|| format!("docs/{name}"))
    });
    let mut pages: Vec<_> = top.into_iter().chain(docs).collect();
    pages.sort();
    pages
}

struct Line {
    /// Position for messages, as `page:line`.
    place: String,
    text: String,
    /// Language of the fenced code block around the line, if any.
    fence: Option<String>,
}

/// Lines of a page. In a code block, a line that ends with a backslash is joined with the next.
fn lines(page: &str) -> Vec<Line> {
    let mut fence: Option<String> = None;
    let mut lines: Vec<Line> = Vec::new();
    let mut open = false;
    for (i, text) in read(&root().join(page)).lines().enumerate() {
        if let Some(language) = text.trim_start().strip_prefix("```") {
            fence = match fence {
                None => Some(language.to_owned()),
                Some(_) => None,
            };
            continue;
        }
        let goes_on = fence.is_some() && text.ends_with('\\');
        let part = text.trim_end_matches('\\');
        match lines.last_mut().filter(|_| open) {
            Some(last) => last.text.push_str(part),
            None => lines.push(Line {
                place: format!("{page}:{}", i + 1),
                text: part.to_owned(),
                fence: fence.clone(),
            }),
        }
        open = goes_on;
    }
    lines
}

fn prose(page: &str) -> impl Iterator<Item = Line> {
    lines(page).into_iter().filter(|line| line.fence.is_none())
}

/// Position and words of each command in code blocks and inline code.
fn commands() -> Vec<(String, Vec<String>)> {
    let begins = ["cargo ", "regrasp ", "scripts/"];
    let is_command = |text: &&str| begins.iter().any(|it| text.starts_with(it));
    let mut commands = Vec::new();
    for page in pages() {
        for line in lines(&page) {
            let bare = line.text.trim_start().trim_start_matches("$ ");
            let found: Vec<&str> = match line.fence {
                Some(_) => vec![bare],
                None => quoted(&line.text).collect(),
            };
            let found = found.into_iter().filter(is_command);
            let words = found.filter_map(shlex::split);
            commands.extend(words.map(|words| (line.place.clone(), words)));
        }
    }
    commands
}

/// Arguments of `regrasp` if the command calls it, and true if the command may have features that
/// this build lacks.
fn regrasp_arguments(words: &[String]) -> Option<(&[String], bool)> {
    match words.first().map(String::as_str) {
        Some("regrasp") => Some((&words[1..], true)),
        Some("cargo") if words.get(1).is_some_and(|it| it == "run") => {
            if words.iter().any(|it| it == "--example") {
                return None;
            }
            let at = words.iter().position(|it| it == "--")?;
            let features = words[..at].iter().any(|it| it == "--features");
            Some((&words[at + 1..], features))
        }
        _ => None,
    }
}

/// Returns the help of a subcommand; `None` if this build lacks the subcommand.
fn help(path: &[String]) -> Option<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_regrasp-tested"));
    let output = command.args(path).arg("--help").output();
    let output = output.expect("regrasp runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}

fn subcommands(help: &str) -> BTreeSet<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| line.starts_with("  "));
    listed
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect()
}

fn flags(help: &str) -> BTreeSet<String> {
    let lines = help.lines().map(str::trim_start);
    let starts = lines.filter(|line| line.starts_with('-'));
    let both = starts.flat_map(|line| line.split_whitespace().take(2));
    both.map(|word| word.trim_end_matches([',', '.']))
        .filter(|word| word.starts_with('-'))
        .map(|word| word.split(['=', '<']).next().unwrap_or(word).to_owned())
        .collect()
}

#[test]
fn every_subcommand_and_flag_in_the_docs_exists() {
    let mut known: BTreeMap<Vec<String>, Option<String>> = BTreeMap::new();
    let mut n_checked = 0;
    for (place, words) in commands() {
        let Some((arguments, with_features)) = regrasp_arguments(&words) else {
            continue;
        };
        let mut path: Vec<String> = Vec::new();
        let mut text = known.entry(Vec::new()).or_insert_with(|| help(&[])).clone();
        for word in arguments {
            let Some(listed) = text.as_deref().map(subcommands).filter(|it| !it.is_empty()) else {
                break;
            };
            if !listed.contains(word) {
                // A command such as `bench` has subcommands, but also works without one.
                if !path.is_empty() && word.starts_with('-') {
                    break;
                }
                let absent = path.is_empty() && is_one_of(NEED_A_FEATURE, word);
                let is_known = word == "help" || (absent && with_features);
                assert!(is_known, "{place}: {path:?} has no `{word}`: {listed:?}");
                text = None;
                break;
            }
            path.push(word.clone());
            let entry = known.entry(path.clone());
            text = entry.or_insert_with(|| help(&path)).clone();
        }
        let Some(listed) = text.as_deref().map(flags) else {
            continue;
        };
        n_checked += 1;
        // Negative numbers such as `-0.5` are not flags.
        let is_flag = |it: &&String| it.starts_with("--") || is_short_flag(it);
        for flag in arguments.iter().filter(is_flag) {
            let flag = flag.split('=').next().unwrap_or(flag);
            let absent = with_features && is_one_of(FLAGS_NEED_A_FEATURE, flag);
            let is_known = absent || listed.contains(flag);
            assert!(is_known, "{place}: {path:?} has no option `{flag}`");
        }
    }
    assert!(n_checked > 40, "only {n_checked} commands were found");
}

fn is_short_flag(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next() == Some('-') && chars.next().is_some_and(|c| c.is_ascii_alphabetic())
}

/// Returns true if a package has a target of this kind.
fn has_target(package: &Value, kind: &str, name: &str) -> bool {
    let mut targets = package["targets"].as_array().into_iter().flatten();
    targets.any(|it| it["kind"][0] == kind && it["name"] == name)
}

#[test]
fn every_test_bench_and_example_in_the_docs_exists() {
    let packages = packages();
    for (place, words) in commands() {
        if words[0].starts_with("scripts/") && words[0] != "scripts/" {
            let program = root().join(&words[0]);
            assert!(program.is_file(), "{place}: {program:?} does not exist");
        }
        if words[0] != "cargo" {
            continue;
        }
        let after = |flag: &str| {
            let at = words.iter().position(|it| it == flag)?;
            words.get(at + 1).cloned()
        };
        // Without `-p`, the target may be in any crate.
        let of: Vec<&Value> = match after("-p") {
            Some(name) => packages.iter().filter(|it| it["name"] == *name).collect(),
            None => packages.iter().collect(),
        };
        let is_there = !of.is_empty();
        assert!(is_there, "{place}: the crate after `-p` does not exist");
        for kind in ["test", "bench", "example"] {
            let Some(target) = after(&format!("--{kind}")) else {
                continue;
            };
            let is_there = of.iter().any(|it| has_target(it, kind, &target));
            assert!(is_there, "{place}: the {kind} `{target}` does not exist");
        }
        if words[1] == "bench" {
            let mut folders = of.iter().map(|it| folder_of(it).join("benches"));
            let is_there = folders.any(|it| it.is_dir());
            assert!(is_there, "{place}: the crate has no benches");
        }
    }
}

/// Checks the tests that `docs/planning.md` names as `file::test` or `module::tests`.
#[test]
fn every_test_that_planning_names_exists() {
    let files = sources(&root().join("crates/planning/agent"), &[]);
    let code: String = files.iter().map(|file| read(file)).collect();
    let mut n_checked = 0;
    for Line { place, text, .. } in lines("docs/planning.md") {
        for span in quoted(&text).filter(|span| span.contains("::")) {
            let last = span.rsplit("::").next().unwrap_or(span);
            let is_there = ["fn", "mod"].iter().any(|what| {
                code.contains(&format!("{what} {last}("))
                    || code.contains(&format!("{what} {last} "))
            });
            assert!(is_there, "{place}: the agent has no test `{span}`");
            n_checked += 1;
        }
    }
    assert!(n_checked > 20, "only {n_checked} tests were found");
}

#[test]
fn every_path_in_the_docs_exists() {
    for page in pages() {
        for Line { place, text, .. } in prose(&page) {
            for span in quoted(&text) {
                let path = span.split("::").next().unwrap_or(span);
                let is_path = path.contains('/') && !path.contains([' ', '*', '<', '{']);
                let first = path.split('/').next().unwrap_or(path);
                if is_path && is_one_of(TOP, first) {
                    let is_there = root().join(path).exists();
                    assert!(is_there, "{place}: `{path}` does not exist");
                }
            }
        }
    }
}

/// Anchor of a heading as GitHub generates it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars();
    let kept = kept.filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_link_between_pages_leads_somewhere() {
    let mut n_checked = 0;
    for page in pages() {
        let here = root().join(&page);
        let folder = here.parent().expect("a page is in a folder").to_owned();
        for Line { place, text, .. } in prose(&page) {
            for rest in text.split("](").skip(1) {
                let target = rest.split(')').next().unwrap_or(rest);
                if target.contains("://") {
                    continue;
                }
                let (file, heading) = target.split_once('#').unwrap_or((target, ""));
                let path = match file {
                    "" => here.clone(),
                    file => folder.join(file),
                };
                let is_there = path.exists();
                assert!(is_there, "{place}: the link to `{target}` is broken");
                if !heading.is_empty() {
                    let text = read(&path);
                    let headings = text.lines().filter_map(|line| line.strip_prefix('#'));
                    let mut headings = headings.map(|it| anchor(it.trim_start_matches('#')));
                    let is_there = headings.any(|it| it == heading);
                    assert!(is_there, "{place}: `{file}` has no heading `{heading}`");
                }
                n_checked += 1;
            }
        }
    }
    assert!(n_checked > 15, "only {n_checked} links were found");
}

#[test]
fn readme_is_one_that_people_read() {
    let n_lines = read(&root().join("README.md")).lines().count();
    assert!(n_lines <= 140, "README.md has {n_lines} lines, above 140");
}

#[test]
fn every_page_is_reached_from_readme() {
    let readme = read(&root().join("README.md"));
    for page in pages().iter().filter(|page| *page != "README.md") {
        let is_linked = readme.contains(&format!("]({page})"));
        assert!(is_linked, "README.md has no link to {page}");
    }
}

#[test]
fn what_is_optimised_is_built_here() {
    let [manifest, lock] = ["Cargo.toml", "Cargo.lock"].map(|file| read(&root().join(file)));
    let (_, table) = manifest
        .split_once("[profile.dev.package]\n")
        .expect("Cargo.toml has the table `[profile.dev.package]`");
    let table = table.split("\n[").next().unwrap_or(table);
    let lines = table.lines().filter(|line| line.contains("opt-level"));
    let named: Vec<&str> = lines.filter_map(|line| line.split('.').next()).collect();
    assert!(named.len() > 10, "{named:?}");
    for name in named {
        let is_built = lock.contains(&format!("\nname = \"{name}\"\n"));
        assert!(is_built, "Cargo.toml optimises `{name}`, which is not used");
    }
}
