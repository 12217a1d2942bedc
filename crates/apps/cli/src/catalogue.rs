//! Models files, and `regrasp models-of`, which prints them.

use std::path::{Path, PathBuf};

use clap::Args;
use regrasp::rgbd_perception::Catalogue;
use regrasp::scene::{Assembly, ModelName, ModelsFile, RobotFile, builtin_robot, load_models};
use regrasp_libero::{Assets, classes_in, problems_in};

use crate::{CliError, ExitCode, LiberoArguments, Result, find_scene, say};

#[derive(Args, Debug)]
pub(super) struct ModelsOfArguments {
    /// A built-in scene or task by name, or a file of either; LIBERO's folder, a folder with its
    /// problem files, or one problem file (.bddl).
    of: String,
}

/// Reads the models of a file. Its scenes are loaded with the built-in robot, which does not affect
/// their objects.
pub(super) fn catalogue(path: &Path, libero: &LiberoArguments) -> Result<Catalogue> {
    let (file, robot) = (load_models(path)?, builtin_robot()?);
    let mut things = file.assemblies.clone();
    for (name, ids) in &file.scenes {
        things.extend(of_scene(&file, name, ids, &robot)?);
    }
    if !file.classes.is_empty() {
        let assets = libero.assets()?;
        for (class, is_fixture) in &file.classes {
            things.push(of_class(&file, class, *is_fixture, &assets)?);
        }
    }
    Ok(regrasp::catalogue(&things, &robot))
}

fn of_scene(
    file: &ModelsFile,
    name: &ModelName,
    ids: &[ModelName],
    robot: &RobotFile,
) -> Result<Vec<Assembly>> {
    let scene = find_scene(&name.word, robot, 0);
    let scene = scene.map_err(|error| CliError::file(file.refused(name, error)))?;
    let mut things = scene.assemblies();
    let names: Vec<String> = things.iter().map(|t| t.name().to_string()).collect();
    if let Some(wrong) = ids.iter().find(|id| !names.contains(&id.word)) {
        let known = names.iter().map(String::as_str);
        return Err(file.unknown("object", wrong, known).into());
    }
    things.retain(|t| ids.is_empty() || ids.iter().any(|id| t.name().as_str() == id.word));
    Ok(things)
}

fn of_class(
    file: &ModelsFile,
    class: &ModelName,
    is_fixture: bool,
    assets: &Assets,
) -> Result<Assembly> {
    if !assets.has(&class.word) {
        return Err(file
            .unknown("class of LIBERO", class, assets.model_names())
            .into());
    }
    let thing = assets.assembly(&class.word, is_fixture);
    thing.map_err(|error| CliError::file(file.refused(class, error)))
}

/// Prints a models file for the objects of a scene, a task or problem files. Objects that are alike
/// are listed once.
pub(super) fn models_of(arguments: &ModelsOfArguments) -> Result<ExitCode> {
    let (of, path) = (&arguments.of, Path::new(&arguments.of));
    let problems = match path {
        _ if path.join("bddl_files").is_dir() => Some(Assets::open(path)?.problems()?),
        _ if path.is_dir() => Some(problems_in(path)?),
        _ if path.extension().is_some_and(|end| end == "bddl") => Some(vec![path.to_owned()]),
        _ => None,
    };
    let text = match problems {
        Some(files) => classes_text(&files)?,
        None => scene_text(of)?,
    };
    say("# Models of objects that may be in a scene. Remove those that never are; add others.");
    say(text.trim_end());
    Ok(ExitCode::Ok)
}

fn classes_text(files: &[PathBuf]) -> Result<String> {
    let classes = classes_in(files)?;
    let mut text = "libero:\n".to_owned();
    for (key, is_fixture) in [("objects", false), ("fixtures", true)] {
        let of_kind = classes.iter().filter(|(_, fixed)| **fixed == is_fixture);
        let lines: String = of_kind
            .map(|(class, _)| format!("    - {class}\n"))
            .collect();
        if !lines.is_empty() {
            text += &format!("  {key}:\n{lines}");
        }
    }
    Ok(text)
}

fn scene_text(of: &str) -> Result<String> {
    let robot = builtin_robot()?;
    let things = find_scene(of, &robot, 0)?.assemblies();
    // An absolute path stays valid wherever the models file is saved.
    let name = match Path::new(of).is_file() {
        true => std::fs::canonicalize(of)
            .map_err(CliError::reading(&of))?
            .display()
            .to_string(),
        false => of.to_owned(),
    };
    let mut text = format!("scenes:\n  {name}:\n");
    for (i, thing) in things.iter().enumerate() {
        if !things[..i].iter().any(|earlier| earlier.is_like(thing)) {
            text += &format!("    - {}\n", thing.name());
        }
    }
    Ok(text)
}
