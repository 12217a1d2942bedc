//! Scenes by name or file.

use std::path::Path;

use regrasp::scene::{
    RobotFile, Scene, SceneError, builtin_scene, builtin_scene_names, find_task, load_scene,
};

use crate::{Result, complain};

/// Finds a built-in scene or task by name, or a file of either.
pub(super) fn find_scene(name: &str, robot: &RobotFile, seed: u64) -> Result<Scene> {
    if builtin_scene_names().contains(&name) {
        return Ok(builtin_scene(name)?);
    }
    let is_file = Path::new(name).exists();
    // A file is tried as a scene, then as a task, whose error counts only if it looks like a task.
    let as_scene = is_file.then(|| load_scene(name, robot));
    match as_scene {
        Some(Ok(scene)) => {
            for line in &scene.not_kept {
                complain(&format!("not kept in `{name}`: {line}"));
            }
            return Ok(scene);
        }
        Some(Err(error)) if !looks_like_task(name) => return Err(error.into()),
        _ => {}
    }
    let task = find_task(name, robot).map_err(with_scenes)?;
    Ok(task.instantiate(seed)?.scene)
}

pub(super) fn looks_like_task(path: &str) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .any(|line| line.starts_with("prompt:") || line.starts_with("success:"))
}

/// Adds the names of scenes to the error, as a scene may have been meant.
fn with_scenes(mut error: SceneError) -> SceneError {
    if let SceneError::NotBuiltIn { what, known, .. } = &mut error {
        *what = "task or scene";
        known.extend(builtin_scene_names().into_iter().map(str::to_owned));
    }
    error
}
