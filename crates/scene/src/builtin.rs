//! The robots, scenes and tasks that are built into the program, so that an
//! installed binary needs no files beside it.

use std::path::Path;

use crate::error::nearest;
use crate::source::Source;
use crate::{RobotFile, Scene, SceneError, Task, robot, scene_file, task_file};

macro_rules! assets {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/", $path)))),*]
    };
}

/// Path below `assets` and text. A test compares this list with the folder.
const ASSETS: &[(&str, &str)] = assets![
    "robots/panda/panda.urdf",
    "robots/panda/panda.yaml",
    "recovery/blocked_way.yaml",
    "recovery/covered_for_good.yaml",
    "recovery/covered_twice.yaml",
    "recovery/fixed.yaml",
    "recovery/hemmed_in.yaml",
    "recovery/occupied.yaml",
    "recovery/occupied_for_good.yaml",
    "recovery/out_of_cell.yaml",
    "recovery/too_wide.yaml",
    "recovery/two_cubes.yaml",
    "recovery/unknown.yaml",
    "recovery/unreachable.yaml",
    "scenes/covered.yaml",
    "scenes/tabletop.yaml",
    "tasks/clutter_pick.yaml",
    "tasks/home.yaml",
    "tasks/maniskill/pick_cube.yaml",
    "tasks/maniskill/push_cube.yaml",
    "tasks/maniskill/stack_cube.yaml",
    "tasks/open_drawer.yaml",
    "tasks/over_wall.yaml",
    "tasks/pick_cube.yaml",
    "tasks/pick_cube_scrambled.yaml",
    "tasks/pick_from_three.yaml",
    "tasks/pick_unreachable_cube.yaml",
    "tasks/place_left_of.yaml",
    "tasks/press_button.yaml",
    "tasks/pull_back.yaml",
    "tasks/robosandbox/push_forward.yaml",
    "tasks/shelf_pick.yaml",
    "tasks/stack_two.yaml",
    "tasks/unstack_to_plate.yaml",
];

/// The text of a built-in file.
pub(crate) fn text(path: &str) -> Option<&'static str> {
    let asset = ASSETS.iter().find(|(p, _)| *p == path)?;
    Some(asset.1)
}

/// The robot that scenes use unless told otherwise: the Franka Panda.
///
/// # Errors
///
/// None in practice: a test loads it.
pub fn builtin_robot() -> Result<RobotFile, SceneError> {
    robot::load(&Source::Builtin("robots/panda/panda.yaml".to_owned()))
}

/// The names of all built-in tasks, sorted.
pub fn builtin_task_names() -> Vec<&'static str> {
    names_in("tasks/")
}

/// The built-in task of that name (`maniskill/pick_cube`), for the built-in robot.
///
/// # Errors
///
/// [`SceneError::NotBuiltIn`] with all names and the nearest spelling.
pub fn builtin_task(name: &str) -> Result<Task, SceneError> {
    task_file::load(&builtin("task", "tasks/", name)?, &builtin_robot()?)
}

/// The names of all built-in scenes, sorted.
pub fn builtin_scene_names() -> Vec<&'static str> {
    names_in("scenes/")
}

/// The built-in scene of that name, for the built-in robot.
///
/// # Errors
///
/// [`SceneError::NotBuiltIn`] with all names and the nearest spelling.
pub fn builtin_scene(name: &str) -> Result<Scene, SceneError> {
    scene_file::load(&builtin("scene", "scenes/", name)?, &builtin_robot()?)
}

/// A built-in task by name, one of the recovery suite by its (`recovery/too_wide`), or a
/// task file by path.
///
/// # Errors
///
/// As [`builtin_task`] and [`load_task`](crate::load_task).
pub fn find_task(name_or_path: &str, robot: &RobotFile) -> Result<Task, SceneError> {
    if builtin_task_names().contains(&name_or_path) {
        let source = builtin("task", "tasks/", name_or_path)?;
        return task_file::load(&source, robot);
    }
    let in_suite = format!("{name_or_path}.yaml");
    if in_suite.starts_with("recovery/") && text(&in_suite).is_some() {
        return task_file::load(&Source::Builtin(in_suite), robot);
    }
    let path = Path::new(name_or_path);
    let looks_like_path = path.extension().is_some_and(|e| e == "yaml" || e == "yml");
    if looks_like_path || path.is_file() {
        return task_file::load(&Source::file(path), robot);
    }
    builtin("task", "tasks/", name_or_path).and_then(|source| task_file::load(&source, robot))
}

fn builtin(what: &'static str, folder: &str, name: &str) -> Result<Source, SceneError> {
    let path = format!("{folder}{name}.yaml");
    if text(&path).is_some() {
        return Ok(Source::Builtin(path));
    }
    let known: Vec<String> = names_in(folder).into_iter().map(str::to_owned).collect();
    Err(SceneError::NotBuiltIn {
        what,
        name: name.to_owned(),
        nearest: nearest(name, &known),
        known,
    })
}

fn names_in(folder: &str) -> Vec<&'static str> {
    let paths = ASSETS.iter().map(|(path, _)| *path);
    let names = paths.filter_map(|path| path.strip_prefix(folder)?.strip_suffix(".yaml"));
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names
}
