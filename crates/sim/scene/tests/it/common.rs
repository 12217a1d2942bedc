//! Helpers that write files, load them, and check error messages.

use std::path::PathBuf;

use regrasp_api::ObjectId;
use regrasp_ground_truth::{GroundTruth, GroundTruthObject, Success};
use regrasp_scene::{
    Scene, SceneError, SceneObject, Task, builtin_robot, builtin_task, load_scene, load_task,
};
use regrasp_testkit::rows;
use tempfile::TempDir;

/// A task with a cube and a ball whose condition stands in line 10.
pub(crate) const CUBE: &str = include_str!("../data/cube.yaml");
/// A task with beads in a mug.
pub(crate) const BEADS: &str = include_str!("../data/beads.yaml");
/// A task whose objects are placed relative to each other.
pub(crate) const RELATIVE: &str = include_str!("../data/relative.yaml");
/// A task with a box that has a shelf board half way up and is open towards the robot.
pub(crate) const SHELF: &str = include_str!("../data/shelf.yaml");

pub(crate) fn write<T: AsRef<[u8]>>(
    name: &str,
    text: &str,
    others: &[(&str, T)],
) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in others {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    (folder, path)
}

pub(crate) fn id(name: &str) -> ObjectId {
    ObjectId::new(name)
}

/// Ground truth at the start of `stack_two`: a red cube of 2.4 cm and a green one of 3 cm.
pub(crate) fn two_cubes() -> GroundTruth {
    let instance = builtin_task("stack_two").unwrap().instantiate(3).unwrap();
    instance.scene.initial_truth(&builtin_robot().unwrap())
}

#[track_caller]
pub(crate) fn object_mut<'a>(truth: &'a mut GroundTruth, name: &str) -> &'a mut GroundTruthObject {
    let mut objects = truth.objects.iter_mut();
    let found = objects.find(|o| o.id == id(name));
    found.expect("the object is there")
}

pub(crate) const ALONE: &[(&str, &str)] = &[];

pub(crate) fn task(text: &str) -> Result<Task, SceneError> {
    let (_folder, path) = write("t.yaml", text, ALONE);
    load_task(path, &builtin_robot().unwrap())
}

pub(crate) fn scene<T: AsRef<[u8]>>(others: &[(&str, T)], text: &str) -> Result<Scene, SceneError> {
    let (_folder, path) = write("s.yaml", text, others);
    load_scene(path, &builtin_robot().unwrap())
}

pub(crate) fn on_table<T: AsRef<[u8]>>(
    others: &[(&str, T)],
    objects: &str,
) -> Result<Scene, SceneError> {
    let table = "  - {id: table, kind: table, size: [1.0, 1.0], top_z: 0.04, xy: [0.6, 0.0]}\n";
    scene(others, &format!("objects:\n{table}{objects}"))
}

#[track_caller]
pub(crate) fn object<'a>(scene: &'a Scene, id: &str) -> &'a SceneObject {
    let found = scene.objects.iter().find(|o| o.id.as_str() == id);
    found.expect("the object is in the scene")
}

#[track_caller]
pub(crate) fn condition(text: &str) -> Success {
    serde_saphyr::from_str(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Checks the errors of a task in which one piece is replaced. Rows: the piece, its replacement,
/// the line of the error, a part of the message.
#[track_caller]
pub(crate) fn refused(text: &str, table: &str) {
    rejects(text, table, |text| task(text).map(drop));
}

/// Checks the errors of any loader; the rows are those of [`refused`].
#[track_caller]
pub(crate) fn rejects(text: &str, table: &str, load: impl Fn(&str) -> Result<(), SceneError>) {
    for [from, to, line, message] in rows(table) {
        assert!(text.contains(&from), "{from} is not in the file");
        let Err(error) = load(&text.replacen(&from, &to, 1)) else {
            panic!("`{to}` in place of `{from}` was accepted");
        };
        let text = error.to_string();
        assert_eq!(error.line(), line.parse().ok(), "{from} -> {to}: {text}");
        assert!(text.starts_with("load "), "{text}");
        assert!(text.contains(&format!(".yaml:{line}: ")), "{text}");
        assert!(text.contains(&message), "{text}\ndoes not say\n{message}");
    }
}
