//! `regrasp new`: a crate with a working skill and its tests, or a first robot file.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::new_robot::{RobotFileArguments, new_robot};
use crate::{CliError, ExitCode, Result, say};

/// The template is compiled and tested under the names that are replaced here.
const SKILL: &str = include_str!("../templates/skill/lib.rs");
const PROGRAM: &str = include_str!("../templates/skill/main.rs");
const MANIFEST: &str = include_str!("../templates/skill/manifest.toml");

/// Names that the new crate cannot have: keywords of Rust, and crates that it uses.
const KEYWORDS: &str = "
    abstract as async await become box break const continue crate do dyn else enum extern
    false final fn for gen if impl in let loop macro match mod move mut override priv pub
    ref return self static struct super test trait true try type typeof unsafe unsized use
    virtual where while yield core std alloc proc_macro regrasp regrasp_cli schemars serde
    serde_json";

#[derive(Debug, Subcommand)]
pub(super) enum New {
    /// Create a crate with an example skill that works, and a test that passes.
    Skill(SkillArguments),
    /// Write a first robot file for a URDF, and say what was guessed.
    Robot(RobotFileArguments),
}

#[derive(Args, Debug)]
pub(super) struct SkillArguments {
    /// The skill's name for planners, in snake_case, such as `wave_goodbye`.
    name: String,
    /// The folder to create. Default: the skill's name, in the current folder.
    #[arg(long)]
    path: Option<PathBuf>,
    /// Folder of Regrasp's sources. Default: the first folder above the new folder, or the current
    /// folder or one above it, that has them.
    #[arg(long, value_name = "FOLDER")]
    regrasp: Option<PathBuf>,
}

pub(super) fn new(what: &New) -> Result<ExitCode> {
    let arguments = match what {
        New::Skill(arguments) => arguments,
        New::Robot(arguments) => return new_robot(arguments),
    };
    let name = &arguments.name;
    if let Some(detail) = wrong_name(name) {
        let message = format_args!("make the skill `{name}`: {detail}");
        return Err(CliError::usage(message));
    }
    let path = arguments.path.clone();
    let folder = path.unwrap_or_else(|| PathBuf::from(name));
    let folder = absolute(&folder)?;
    let sources = sources(arguments.regrasp.as_deref(), &folder)?;
    write_crate(name, &folder, &sources)?;
    say(&format!(
        "created {}: a regrasp program with this skill, and a test of the skill:\n  cd {} && \
         cargo test\n  cargo run -- skills",
        folder.display(),
        folder.display()
    ));
    Ok(ExitCode::Ok)
}

fn write_crate(name: &str, folder: &Path, sources: &Path) -> Result<()> {
    // Fails if the folder exists: nothing is ever overwritten.
    fs::create_dir(folder).map_err(CliError::writing(folder))?;
    let source = folder.join("src");
    fs::create_dir(&source).map_err(CliError::writing(&source))?;
    let manifest = MANIFEST
        .replace("@REGRASP@", &from(folder, sources))
        .replace("@PROFILES@\n", &profiles(sources)?);
    let files = [
        ("Cargo.toml", renamed(&manifest, name)),
        ("src/lib.rs", renamed(SKILL, name)),
        ("src/main.rs", renamed(PROGRAM, name)),
        (".gitignore", "/target\n".to_owned()),
    ];
    for (file, text) in files {
        let path = folder.join(file);
        fs::write(&path, text).map_err(CliError::writing(&path))?;
    }
    // Pins the versions of dependencies that Regrasp itself is tested with.
    let versions = folder.join("Cargo.lock");
    match fs::copy(sources.join("Cargo.lock"), &versions) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(CliError::writing(&versions)(error))
        }
        _ => Ok(()),
    }
}

/// Build profiles of Regrasp's manifest; cargo only uses those of a workspace's root.
fn profiles(sources: &Path) -> Result<String> {
    let path = sources.join("Cargo.toml");
    let read = fs::read_to_string(&path);
    let text = read.map_err(CliError::reading(&path))?;
    let start = text.find("[profile.dev]").unwrap_or(text.len());
    Ok(text[start..].to_owned())
}

fn renamed(text: &str, name: &str) -> String {
    text.replace("new_skill", name)
        .replace("new-skill", &name.replace('_', "-"))
        .replace("NewSkill", &camel_case(name))
}

fn camel_case(name: &str) -> String {
    let words = name.split('_').filter(|word| !word.is_empty());
    words
        .map(|word| {
            let (first, rest) = word.split_at(1);
            first.to_ascii_uppercase() + rest
        })
        .collect()
}

/// Reason why a name cannot be used; `None` if it can.
fn wrong_name(name: &str) -> Option<String> {
    let is_word = |word: &str| {
        let mut chars = word.chars();
        chars.next().is_some_and(|c| c.is_ascii_lowercase())
            && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    if name.len() > 64 || !name.split('_').all(is_word) {
        return Some(
            "expected snake_case: lower-case letters and digits, words joined by `_`, at most 64 \
             characters, such as `wave_goodbye`"
                .to_owned(),
        );
    }
    if KEYWORDS.split_whitespace().any(|word| word == name) {
        return Some(format!("`{name}` is reserved by Rust or Regrasp"));
    }
    let skills = crate::skills::skills().specs();
    let is_taken = skills.iter().any(|skill| skill.name == name);
    is_taken.then(|| format!("the skill `{name}` exists already; `regrasp skills` lists all"))
}

fn sources(given: Option<&Path>, folder: &Path) -> Result<PathBuf> {
    if let Some(given) = given {
        let given = absolute(given)?;
        return if is_regrasp(&given) {
            Ok(given)
        } else {
            Err(no_sources(&format!(" in {}", given.display())))
        };
    }
    let here = absolute(Path::new("."))?;
    let around = folder.ancestors().skip(1).chain(here.ancestors());
    let found = around.into_iter().find(|path| is_regrasp(path));
    found.map(Path::to_owned).ok_or_else(|| no_sources(""))
}

fn no_sources(place: &str) -> CliError {
    CliError::usage(format_args!(
        "find Regrasp's sources{place}; give the folder that contains crates/apps/regrasp with \
         --regrasp"
    ))
}

fn is_regrasp(path: &Path) -> bool {
    path.join("crates/apps/regrasp/Cargo.toml").is_file()
        && path.join("crates/robot/conformance/Cargo.toml").is_file()
}

/// Absolute path without `.` and `..`; it need not exist.
fn absolute(path: &Path) -> Result<PathBuf> {
    let here = env::current_dir().map_err(CliError::reading("."))?;
    let mut whole = PathBuf::new();
    for part in here.join(path).components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => drop(whole.pop()),
            part => whole.push(part),
        }
    }
    Ok(whole)
}

/// Path from a folder to the sources, for a manifest. It is relative if the folder is inside them,
/// so that both can be moved together.
fn from(folder: &Path, sources: &Path) -> String {
    let path = match folder.strip_prefix(sources) {
        Ok(inside) => inside
            .components()
            .map(|_| "..")
            .collect::<Vec<_>>()
            .join("/"),
        Err(_) => sources.display().to_string(),
    };
    path.replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_put_in_everywhere() {
        let text = renamed(SKILL, "wave_goodbye");
        assert!(text.contains("pub struct WaveGoodbye;"));
        assert!(text.contains(r#"NAME: &'static str = "wave_goodbye""#));
        assert!(!text.contains("new_skill") && !text.contains("NewSkill"));
        assert!(renamed(MANIFEST, "wave_goodbye").contains(r#"name = "wave-goodbye""#));
    }

    #[test]
    fn invalid_names_are_rejected_with_the_expected_form() {
        for name in "Wave|wave-goodbye||1st|wave__goodbye|_wave|wäve".split('|') {
            let detail = wrong_name(name).unwrap_or_default();
            assert!(detail.contains("snake_case"), "{name}: {detail}");
        }
        assert!(wrong_name("loop").is_some_and(|detail| detail.contains("Rust")));
        assert!(wrong_name("pick").is_some_and(|detail| detail.contains("already")));
        assert_eq!(wrong_name("wave_goodbye"), None);
    }

    #[test]
    fn a_folder_inside_the_sources_has_a_relative_path_to_them() {
        let sources = Path::new("/a/regrasp");
        assert_eq!(from(Path::new("/a/regrasp/own/wave"), sources), "../..");
        assert_eq!(from(Path::new("/b/wave"), sources), "/a/regrasp");
    }
}
