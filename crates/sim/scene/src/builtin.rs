//! Robots, scenes and tasks built into the program: an installed binary needs no other files.

use std::path::Path;

use crate::source::Source;
use crate::{Result, RobotFile, Scene, SceneError, Task, robot, scene_file, task_file};

/// Names of built-in tasks that their suite lists as `robosandbox/NAME`.
const OF_SUITE: &str = "
    home open_drawer pick_cube pick_cube_scrambled pick_from_three pick_unreachable_cube stack_two
";

/// Returns NAME for `robosandbox/NAME`, if the suite has that task.
fn without_suite(name: &str) -> Option<&str> {
    let own = name.strip_prefix("robosandbox/")?;
    OF_SUITE.split_whitespace().find(|known| *known == own)
}

/// The default robot of scenes: the Franka Panda.
///
/// # Errors
///
/// None in practice: a test loads this robot.
pub fn builtin_robot() -> Result<RobotFile, SceneError> {
    builtin_robot_named(BUILTIN_ROBOTS[0])
}

/// Names of the built-in robots, the default one first.
pub const BUILTIN_ROBOTS: [&str; 2] = ["panda", "fr3"];

/// Returns a built-in robot: `panda`, or `fr3` for the Franka Research 3.
///
/// # Errors
///
/// [`SceneError::NotBuiltIn`] with all names and the nearest spelling.
pub fn builtin_robot_named(name: &str) -> Result<RobotFile, SceneError> {
    match BUILTIN_ROBOTS.contains(&name) {
        true => robot::load(&Source::Builtin(format!("robots/{name}/{name}.yaml"))),
        false => Err(not_built_in("robot", name, &BUILTIN_ROBOTS)),
    }
}

/// Names of all built-in tasks, sorted.
pub fn builtin_task_names() -> Vec<&'static str> {
    names_in("tasks/")
}

/// Returns a built-in task (`maniskill/pick_cube`) for the default robot.
///
/// # Errors
///
/// [`SceneError::NotBuiltIn`] with all names and the nearest spelling.
pub fn builtin_task(name: &str) -> Result<Task, SceneError> {
    load_builtin_task(name, &builtin_robot()?)
}

/// Loads a built-in task under the requested name. An alias draws the same random numbers.
fn load_builtin_task(name: &str, robot: &RobotFile) -> Result<Task> {
    let file = without_suite(name).unwrap_or(name);
    let mut task = task_file::load(&builtin("task", "tasks/", file)?, robot)?;
    if file != name {
        name.clone_into(&mut task.name);
    }
    Ok(task)
}

/// Names of all built-in scenes, sorted.
pub fn builtin_scene_names() -> Vec<&'static str> {
    names_in("scenes/")
}

/// Returns a built-in scene for the default robot.
///
/// # Errors
///
/// [`SceneError::NotBuiltIn`] with all names and the nearest spelling.
pub fn builtin_scene(name: &str) -> Result<Scene, SceneError> {
    scene_file::load(&builtin("scene", "scenes/", name)?, &builtin_robot()?)
}

/// Finds a built-in task by name (recovery suite: `recovery/too_wide`), or a task file by path.
///
/// # Errors
///
/// The errors of [`builtin_task`] and [`load_task`](crate::load_task).
pub fn find_task(name_or_path: &str, robot: &RobotFile) -> Result<Task, SceneError> {
    if without_suite(name_or_path).is_some() || builtin_task_names().contains(&name_or_path) {
        return load_builtin_task(name_or_path, robot);
    }
    let in_suite = format!("{name_or_path}.yaml");
    if in_suite.starts_with("recovery/") && regrasp_assets::find(&in_suite).is_some() {
        return task_file::load(&Source::Builtin(in_suite), robot);
    }
    let path = Path::new(name_or_path);
    let looks_like_path = path.extension().is_some_and(|e| e == "yaml" || e == "yml");
    if looks_like_path || path.is_file() {
        return task_file::load(&Source::file(path), robot);
    }
    load_builtin_task(name_or_path, robot)
}

fn builtin(what: &'static str, folder: &str, name: &str) -> Result<Source> {
    let path = format!("{folder}{name}.yaml");
    if regrasp_assets::find(&path).is_some() {
        return Ok(Source::Builtin(path));
    }
    Err(not_built_in(what, name, &names_in(folder)))
}

fn not_built_in(what: &'static str, name: &str, known: &[&str]) -> SceneError {
    let known: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
    SceneError::NotBuiltIn {
        what,
        name: name.to_owned(),
        known,
    }
}

fn names_in(folder: &str) -> Vec<&'static str> {
    let paths = regrasp_assets::FILES.iter().map(|(path, _)| *path);
    let names = paths.filter_map(|path| path.strip_prefix(folder)?.strip_suffix(".yaml"));
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names
}
