//! Test files: written here, or LIBERO's if available.

use std::fs;
use std::path::PathBuf;

use regrasp_mjcf::{Model, Options, Pieces, read, scene, write};
use regrasp_scene::{Scene, SceneError, builtin_robot, load_scene};

/// LIBERO's assets: below `REGRASP_LIBERO`, or `shared/libero` beside the repository.
pub(crate) fn libero() -> PathBuf {
    let beside = || regrasp_assets::workspace_root().join("../shared/libero");
    let folder = std::env::var_os("REGRASP_LIBERO").map_or_else(beside, PathBuf::from);
    let assets = folder.join("assets");
    assert!(assets.is_dir(), "there is no folder {}", assets.display());
    assets
}

/// Reads a model.
pub(crate) fn of_text(text: &str) -> Result<Model, SceneError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.xml");
    fs::write(&path, text).unwrap();
    read(&path)
}

/// Makes the pieces of a whole model.
#[track_caller]
pub(crate) fn pieces_of(model: &Model) -> Pieces {
    scene(model, &Options::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// Writes a scene file with the files beside it and loads it; also returns their names.
pub(crate) fn again(pieces: &Pieces, name: &str) -> (Scene, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let written = write(pieces, name, folder.path());
    let path = folder.path().join(format!("{name}.yaml"));
    fs::write(&path, &written.text).unwrap();
    for (name, bytes) in &written.files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let scene = load_scene(&path, &builtin_robot().unwrap()).unwrap();
    let names = written.files.into_iter().map(|(name, _)| name);
    (scene, names.collect())
}
