//! Pictures of scenes.

use std::fs;

use tempfile::TempDir;

use crate::check;

#[test]
fn a_picture_is_made_and_an_unknown_camera_gets_the_known_ones() {
    let dir = TempDir::new().unwrap();
    let args = [
        "render", "tabletop", "--camera", "top", "--size", "64", "48", "--depth",
    ];
    check(dir.path(), &args, 0, &["scene.png", "scene.depth.png"]);
    let png = fs::read(dir.path().join("scene.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    let args = ["render", "tabletop", "--camera", "roof"];
    check(dir.path(), &args, 2, &["`roof`", "scene, top, wrist"]);
    let words = ["did you mean `tabletop`?"];
    check(dir.path(), &["render", "tabeltop"], 12, &words);
}
