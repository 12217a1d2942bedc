//! Pictures of scenes.

use crate::Shell;

#[test]
fn a_picture_is_made_and_an_unknown_camera_gets_the_known_ones() {
    let shell = Shell::new();
    let render = "render tabletop --camera top --size 64 48 --depth";
    shell.check(render, 0, "scene.png; scene.depth.png");
    assert!(shell.bytes("scene.png").starts_with(b"\x89PNG"));
    let roof = "render tabletop --camera roof";
    shell.check(roof, 2, "`roof`; scene, top, wrist");
    shell.check("render tabeltop", 12, "did you mean `tabletop`?");
}
