//! A small LIBERO folder: a brick, a chest with a drawer, and one problem.
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::fs;
use std::path::PathBuf;

use regrasp_scene::{Scene, SceneObject};
use tempfile::TempDir;

/// LIBERO's own files: `REGRASP_LIBERO`, or `shared/libero` beside the repository.
pub(crate) fn libero() -> PathBuf {
    let beside = || regrasp_assets::workspace_root().join("../shared/libero");
    std::env::var_os("REGRASP_LIBERO").map_or_else(beside, PathBuf::from)
}

pub(crate) const PROBLEM: &str = include_str!("../../data/problem.bddl");

pub(crate) fn root() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let put = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    // A 4 x 4 x 2 cm brick with LIBERO's three sites; a chest with a drawer that opens to -y, and a
    // site.
    let brick = include_str!("../../data/brick.xml");
    let chest = include_str!("../../data/chest.xml");
    put("assets/things/brick/brick.xml", brick);
    put("assets/furniture/chest.xml", chest);
    put("bddl_files/own/STUDY_SCENE2_move_the_brick.bddl", PROBLEM);
    root
}

pub(crate) fn file(root: &TempDir) -> PathBuf {
    root.path()
        .join("bddl_files/own/STUDY_SCENE2_move_the_brick.bddl")
}

pub(crate) fn object<'a>(scene: &'a Scene, id: &str) -> &'a SceneObject {
    scene.objects.iter().find(|o| o.id.as_str() == id).unwrap()
}

pub(crate) fn at(scene: &Scene, id: &str) -> [f64; 3] {
    let pose = object(scene, id).world_from_object;
    pose.translation.vector.into()
}
