//! Robots, scenes and tasks by name or file.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use regrasp::scene::{Scene, builtin_scene, builtin_scene_names, load_robot, load_scene};
use regrasp::{LoadedRobot, SetupError};

/// Loads the built-in robot, or the one in a file. The former is read once.
pub(crate) fn loaded(file: Option<&str>) -> Result<Arc<LoadedRobot>, SetupError> {
    static PANDA: OnceLock<Arc<LoadedRobot>> = OnceLock::new();
    if let Some(file) = file {
        return Ok(Arc::new(LoadedRobot::new(load_robot(file)?)?));
    }
    if let Some(loaded) = PANDA.get() {
        return Ok(Arc::clone(loaded));
    }
    let loaded = Arc::new(LoadedRobot::panda()?);
    Ok(Arc::clone(PANDA.get_or_init(|| loaded)))
}

/// A built-in scene, or the one in a file.
pub(crate) fn scene(loaded: &LoadedRobot, name: &str) -> Result<Scene, SetupError> {
    let is_file = Path::new(name)
        .extension()
        .is_some_and(|e| e == "yaml" || e == "yml");
    Ok(match is_file {
        true => load_scene(name, loaded.file())?,
        false => builtin_scene(name)?,
    })
}

/// The names of the built-in scenes.
#[pyfunction]
pub(crate) fn scene_names() -> Vec<&'static str> {
    builtin_scene_names()
}
