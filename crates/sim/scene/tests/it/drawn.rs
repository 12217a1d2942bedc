//! What scene files say of things that are drawn and not touched.

use std::fs;
use std::path::Path;

use regrasp_scene::{Scene, SceneError, builtin_robot, load_scene};
use regrasp_testkit::rows;

const OBJ: &str = "v 0 0 0\nv 200 0 0\nv 0 200 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n";

fn write_png(path: &Path) {
    let file = fs::File::create(path).unwrap();
    let mut encoder = png::Encoder::new(file, 2, 1);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[255, 0, 0, 0, 0, 255]).unwrap();
}

/// A scene with a box of which this is drawn, and this scenery.
fn scene(visuals: &str, scenery: &str) -> Result<Scene, SceneError> {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("open.obj"), OBJ).unwrap();
    write_png(&dir.path().join("two.png"));
    let text = format!(
        "objects:\n  - {{id: box, kind: box, half_extents: [0.1, 0.1, 0.1], mass_kg: 1, \
         position: [0.5, 0, 0.1], mass_center: [0, 0, 0.01], inertia: [0.1, 0.2, 0.2],\n     \
         visuals: {visuals}}}\nscenery: {scenery}\n"
    );
    let path = dir.path().join("scene.yaml");
    fs::write(&path, text).unwrap();
    load_scene(&path, &builtin_robot().unwrap())
}

#[test]
fn an_open_mesh_with_an_image_is_drawn_in_the_place_of_a_shape() {
    let visuals = "[{file: open.obj, scale: 0.001, texture: two.png, position: [0, 0, 0.1]}]";
    let found = scene(
        visuals,
        "[{kind: plane, size: [4, 4], color: grey, two_sided: true}]",
    )
    .unwrap();
    let visual = &found.objects[0].visuals[0];
    assert_eq!(visual.surface.positions[1], [0.2, 0.0, 0.0]);
    // Files count upwards, images downwards.
    assert_eq!(visual.surface.texcoords[0], [0.0, 1.0]);
    assert_eq!(visual.texture.as_ref().unwrap().rgb, [255, 0, 0, 0, 0, 255]);
    assert_eq!(
        visual.rgba, [1.0; 4],
        "an image is not tinted unless somebody says so"
    );
    assert_eq!(visual.frame_from_visual.translation.z, 0.1);
    assert_eq!(
        found.scenery[0].surface.triangles.len(),
        4,
        "both sides of it"
    );
    let inertial = found.objects[0].inertial.unwrap();
    assert_eq!(
        (inertial.mass_center[2], inertial.inertia[1][1]),
        (0.01, 0.2)
    );
    // A recording holds it all.
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Scene>(&text).unwrap(), found);
}

#[test]
fn what_is_wrong_is_refused_with_the_line_and_what_would_be_right() {
    let cases = rows(
        r"
            [{file: none.obj}]                                                     | no such file
            [{file: two.png}]                                                      | .msh
            [{file: open.obj, scale: 0.001, texture: open.obj}]                    | PNG
            [{file: open.obj, scale: 0.001, texture: none.png}]                    | no such file
            [{file: open.obj}]                                                     | in millimetres
            [{file: open.obj, scale: [1, 0, 1]}]                                   | mirrors
            [{file: open.obj, scale: 0.001, up: x}]                                | axis
            [{kind: box, size: [1, 1, 1], mapping: cube}]                          | no `texture`
            [{kind: box, size: [1, 1, 1], texture: two.png, mapping: coordinates}] | planar
            [{kind: box, size: [1, 1, 1], texture: two.png, mapping: round}]       | mapping
            [{kind: box, size: [1, 1, 1], texture: two.png, repeat: [1, 1]}]       | left out
            [{kind: box, radius: 1}]                                               | left out for a box
            [{kind: cone, radius: 1}]                                              | kind of surface
            [{kind: sphere, radius: 1, gloss: 2}]                                  | from 0 to 1
            [{kind: sphere, radios: 1}]                                            | radios
        ",
    );
    for [visuals, expected] in cases {
        let error = scene(&visuals, "[]").expect_err(&visuals);
        let said = error.to_string();
        assert!(
            said.contains(&expected) && error.line() == Some(3),
            "{visuals}: {said}"
        );
    }
}
