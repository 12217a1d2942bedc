//! MuJoCo model files: `regrasp check model.xml` or a folder of them, and `regrasp import mjcf`.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use regrasp::scene::{SceneError, load_scene};
use regrasp_mjcf::{Entry, Fate, Ledger, Model, Options, Pieces, is_included, read, scene, write};
use walkdir::WalkDir;

use crate::{CliError, ExitCode, Result, RobotArguments, path_to, say};

#[derive(Subcommand, Debug)]
pub(super) enum Import {
    /// Convert a MuJoCo model (MJCF) to a scene file.
    Mjcf(MjcfArguments),
}

#[derive(Args, Debug)]
pub(super) struct MjcfArguments {
    /// The model, an XML file.
    model: PathBuf,
    /// Scene file to write.
    #[arg(short, long, value_parser = path_to(&["yaml", "yml"]))]
    out: PathBuf,
    /// Bodies without a joint move freely, as if each had a <freejoint>.
    #[arg(long)]
    free: bool,
    /// The first and the last group of geoms that contribute to masses. Default: those that the
    /// model sets.
    #[arg(long, num_args = 2, value_names = ["FIRST", "LAST"])]
    inertia_groups: Vec<i64>,
    #[command(flatten)]
    robot: RobotArguments,
}

/// Writes a scene file, and reads it back as a check.
pub(super) fn import(what: &Import) -> Result<ExitCode> {
    let Import::Mjcf(arguments) = what;
    let model = read(&arguments.model)?;
    let options = Options {
        free: arguments.free.then_some(true),
        inertia_groups: <[i64; 2]>::try_from(arguments.inertia_groups.as_slice()).ok(),
        ..Options::default()
    };
    let pieces = scene(&model, &options)?;
    if pieces.objects.is_empty() {
        print_model(&model, &pieces);
        let model = arguments.model.display();
        return Err(CliError::file(format_args!(
            "import {model}: none of its bodies becomes an object of a scene"
        )));
    }
    let folder = arguments.out.parent().unwrap_or(Path::new(""));
    let written = write(&pieces, &name_of(&model), folder);
    let save = |path: &Path, bytes: &[u8]| fs::write(path, bytes).map_err(CliError::writing(&path));
    for (name, bytes) in &written.files {
        save(&folder.join(name), bytes)?;
    }
    save(&arguments.out, written.text.as_bytes())?;
    print_model(&model, &pieces);
    load_scene(&arguments.out, &arguments.robot.load()?)?;
    let path = arguments.out.display();
    say(&format!(
        "scene: {path}\n  regrasp render {path}\n  regrasp run \"…\" --scene {path}"
    ));
    Ok(ExitCode::Ok)
}

/// Name of a model, or else of its file.
fn name_of(model: &Model) -> String {
    match model.name.is_empty() {
        false => model.name.clone(),
        true => model
            .path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
    }
}

/// Prints which parts of a model are used.
pub(super) fn check(file: &Path) -> Result<ExitCode> {
    let model = read(file)?;
    let pieces = scene(&model, &Options::default())?;
    let name = name_of(&model);
    say(&format!("{}: MJCF model `{name}`", file.display()));
    print_model(&model, &pieces);
    Ok(ExitCode::Ok)
}

fn print_model(model: &Model, pieces: &Pieces) {
    for object in &pieces.objects {
        let size = object.shape.aabb(&regrasp::api::Pose::identity()).size() * 1e3;
        let n_parts = match &object.shape {
            regrasp::api::Shape::Compound { parts } => parts.len(),
            _ => 1,
        };
        let mass = object
            .mass_kg
            .map_or("fixed".to_owned(), |kg| format!("{kg:.4} kg"));
        say(&format!(
            "  {}: {n_parts} solid(s), {} visual(s), {:.0} x {:.0} x {:.0} mm, {mass}",
            object.id,
            object.visuals.len(),
            size.x,
            size.y,
            size.z
        ));
    }
    for joint in &pieces.joints {
        let (kind, unit) = match joint.kind {
            regrasp::api::JointKind::Revolute => ("hinge", "rad"),
            regrasp::api::JointKind::Prismatic => ("slide", "m"),
        };
        say(&format!(
            "  {}: {kind} of {} on {}, {:.3} to {:.3} {unit}",
            joint.id, joint.child, joint.parent, joint.lower, joint.upper
        ));
    }
    if !pieces.scenery.is_empty() {
        let n = pieces.scenery.len();
        say(&format!("  scenery: {n} visual(s) without collisions"));
    }
    let counted = |entry: Entry| format!("{} {}", entry.places.len(), entry.what);
    let read = model.ledger.entries(Fate::Read).map(counted);
    let read: Vec<String> = read.collect();
    say(&format!("  read: {}", read.join(", ")));
    print_left_out([&model.ledger, &pieces.ledger].into_iter());
}

/// Prints the parts of models that are not in the scene, each with its first location.
fn print_left_out<'a>(ledgers: impl Iterator<Item = &'a Ledger> + Clone) {
    for fate in [Fate::Ignored, Fate::Unsupported] {
        let mut entries: Vec<Entry> = vec![];
        for entry in ledgers.clone().flat_map(|ledger| ledger.entries(fate)) {
            let is_same = |e: &&mut Entry| e.what == entry.what && e.why == entry.why;
            match entries.iter_mut().find(is_same) {
                Some(known) => known.places.extend(entry.places),
                None => entries.push(entry),
            }
        }
        if entries.is_empty() {
            say(&format!("  {}: nothing", fate.as_str()));
            continue;
        }
        say(&format!("  {}:", fate.as_str()));
        for entry in entries {
            say(&format!("    {}", entry.line()));
        }
    }
}

/// Prints one table of all models below a folder.
pub(super) fn check_folder(folder: &Path) -> Result<ExitCode> {
    let all = models_below(folder)?;
    let (parts, files): (Vec<_>, Vec<_>) = all.into_iter().partition(|file| is_included(file));
    if files.is_empty() {
        return Err(CliError::file(format_args!(
            "find a model below {}: no file name ends in .xml",
            folder.display()
        )));
    }
    let (mut ledgers, mut n_bad) = (vec![], 0);
    say("read ignored unsupported file");
    for file in &files {
        let name = file.strip_prefix(folder).unwrap_or(file).display();
        match whole(file) {
            Ok(both) => {
                let count = |fate| both.iter().map(|l| l.count(fate)).sum::<usize>();
                let [read, ignored, unsupported] =
                    [Fate::Read, Fate::Ignored, Fate::Unsupported].map(count);
                say(&format!("{read:4} {ignored:7} {unsupported:11} {name}"));
                ledgers.extend(both);
            }
            Err(error) => {
                n_bad += 1;
                say(&format!(
                    "   -       -           - {name}: failed to {error}"
                ));
            }
        }
    }
    let (n, n_good) = (files.len(), files.len() - n_bad);
    say(&format!("{n_good} of {n} models can be used"));
    if !parts.is_empty() {
        let n = parts.len();
        say(&format!("  {n} file(s) only as part of others"));
    }
    print_left_out(ledgers.iter());
    Ok(match n_bad {
        0 => ExitCode::Ok,
        _ => ExitCode::BadFile,
    })
}

/// Ledgers of reading a file and of converting it to a scene.
fn whole(file: &Path) -> Result<[Ledger; 2], SceneError> {
    let model = read(file)?;
    let pieces = scene(&model, &Options::default())?;
    Ok([model.ledger, pieces.ledger])
}

/// All XML files below a folder, sorted. Links to folders are not followed.
fn models_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = vec![];
    for entry in WalkDir::new(folder) {
        let entry = entry.map_err(|error| CliError::reading(folder)(error.into()))?;
        if !entry.file_type().is_dir() && is_model(entry.path()) {
            files.push(entry.into_path());
        }
    }
    files.sort();
    Ok(files)
}

/// Returns true for the extension of an XML file.
pub(super) fn is_model(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("xml"))
}
