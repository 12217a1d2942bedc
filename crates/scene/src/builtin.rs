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
    "robots/panda/hand.obj",
    "robots/panda/hand_drawn.obj",
    "robots/panda/link0.obj",
    "robots/panda/link0_drawn.obj",
    "robots/panda/link1.obj",
    "robots/panda/link1_drawn.obj",
    "robots/panda/link2.obj",
    "robots/panda/link2_drawn.obj",
    "robots/panda/link3.obj",
    "robots/panda/link3_drawn.obj",
    "robots/panda/link4.obj",
    "robots/panda/link4_drawn.obj",
    "robots/panda/link5.obj",
    "robots/panda/link5_drawn.obj",
    "robots/panda/link6.obj",
    "robots/panda/link6_drawn.obj",
    "robots/panda/link7.obj",
    "robots/panda/link7_drawn.obj",
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
    "tasks/fill_bowl.yaml",
    "tasks/home.yaml",
    "tasks/maniskill/pick_cube.yaml",
    "tasks/maniskill/peg_insertion_side.yaml",
    "tasks/maniskill/plug_charger.yaml",
    "tasks/maniskill/push_cube.yaml",
    "tasks/maniskill/stack_cube.yaml",
    "tasks/maniskill/stack_pyramid.yaml",
    "tasks/open_drawer.yaml",
    "tasks/over_wall.yaml",
    "tasks/pick_cube.yaml",
    "tasks/pick_cube_scrambled.yaml",
    "tasks/pick_from_three.yaml",
    "tasks/pick_unreachable_cube.yaml",
    "tasks/place_left_of.yaml",
    "tasks/press_button.yaml",
    "tasks/pull_back.yaml",
    "tasks/robosandbox/pick_mug.yaml",
    "tasks/robosandbox/pour.yaml",
    "tasks/robosuite/lift.yaml",
    "tasks/robosuite/pick_place_can.yaml",
    "tasks/robosuite/stack.yaml",
    "tasks/robosandbox/push_forward.yaml",
    "tasks/shapes/book.yaml",
    "tasks/shapes/bottle.yaml",
    "tasks/shapes/carton.yaml",
    "tasks/shapes/cup.yaml",
    "tasks/shapes/dumbbell.yaml",
    "tasks/shapes/ell.yaml",
    "tasks/shapes/open_box.yaml",
    "tasks/shapes/prism.yaml",
    "tasks/shapes/ring.yaml",
    "tasks/shapes/rod.yaml",
    "tasks/shapes/spool.yaml",
    "tasks/shapes/wedge.yaml",
    "tasks/shelf_pick.yaml",
    "tasks/stand_up.yaml",
    "tasks/stack_two.yaml",
    "tasks/tamp/blocks_4.yaml",
    "tasks/tamp/blocks_6.yaml",
    "tasks/tamp/blocks_8.yaml",
    "tasks/tamp/hanoi_3.yaml",
    "tasks/tamp/hanoi_4.yaml",
    "tasks/tamp/kitchen.yaml",
    "tasks/tamp/put_back.yaml",
    "tasks/tamp/sorting.yaml",
    "tasks/unstack_to_plate.yaml",
];

/// Names that a suite has for tasks which go by a shorter one, and that one.
const ALIASES: [(&str, &str); 7] = [
    ("robosandbox/home", "home"),
    ("robosandbox/open_drawer", "open_drawer"),
    ("robosandbox/pick_cube", "pick_cube"),
    ("robosandbox/pick_cube_scrambled", "pick_cube_scrambled"),
    ("robosandbox/pick_from_three", "pick_from_three"),
    ("robosandbox/pick_unreachable_cube", "pick_unreachable_cube"),
    ("robosandbox/stack_two", "stack_two"),
];

/// Paths below `assets`, and texts, of all files that are part of the program: meshes of
/// built-in robots are among them.
pub fn builtin_files() -> &'static [(&'static str, &'static str)] {
    ASSETS
}

/// The text of a built-in file.
pub(crate) fn text(path: &str) -> Option<&'static str> {
    let asset = ASSETS.iter().find(|(p, _)| *p == path)?;
    Some(asset.1)
}

/// Paths of all built-in files below `assets`.
#[cfg(test)]
pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    ASSETS.iter().map(|(path, _)| *path)
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
    load_builtin_task(name, &builtin_robot()?)
}

/// The names of all built-in tasks of a suite (`robosandbox`), sorted; also of those
/// that go by a shorter name too.
pub fn suite_task_names(suite: &str) -> Vec<&'static str> {
    let aliases = ALIASES.iter().map(|(alias, _)| *alias);
    let mut names: Vec<_> = builtin_task_names()
        .into_iter()
        .chain(aliases)
        .filter(|name| name.strip_prefix(suite).is_some_and(|n| n.starts_with('/')))
        .collect();
    names.sort_unstable();
    names
}

/// A built-in task under the name that was asked for. Its random numbers are those of the
/// file, whatever it is called.
fn load_builtin_task(name: &str, robot: &RobotFile) -> Result<Task, SceneError> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
    let file = alias.map_or(name, |(_, file)| *file);
    let mut task = task_file::load(&builtin("task", "tasks/", file)?, robot)?;
    if alias.is_some() {
        name.clone_into(&mut task.name);
    }
    Ok(task)
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
    let is_alias = ALIASES.iter().any(|(alias, _)| *alias == name_or_path);
    if is_alias || builtin_task_names().contains(&name_or_path) {
        return load_builtin_task(name_or_path, robot);
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
    load_builtin_task(name_or_path, robot)
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
