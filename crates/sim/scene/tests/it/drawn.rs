//! Visuals and scenery in scene files.

use regrasp_scene::{Scene, SceneError};
use regrasp_testkit::rows;

const OBJ: &str = "v 0 0 0\nv 200 0 0\nv 0 200 0\nvt 0 0\nvt 1 0\nvt 0 1\nf 1/1 2/2 3/3\n";

fn png() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, 2, 1);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[255, 0, 0, 0, 0, 255]).unwrap();
    drop(writer);
    file
}

fn scene(visuals: &str, scenery: &str) -> Result<Scene, SceneError> {
    let text = format!(
        "objects:\n  - {{id: box, kind: box, half_extents: [0.1, 0.1, 0.1], mass_kg: 1, \
         position: [0.5, 0, 0.1], mass_center: [0, 0, 0.01], inertia: [0.1, 0.2, 0.2],\n     \
         visuals: {visuals}}}\nscenery: {scenery}\n"
    );
    let files = [("open.obj", OBJ.into()), ("two.png", png())];
    crate::common::scene(&files, &text)
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
    // Texture coordinates count upwards in files, downwards in images.
    assert_eq!(visual.surface.texcoords[0], [0.0, 1.0]);
    let image = visual.texture.as_ref().unwrap();
    assert_eq!(image.rgb().unwrap(), [255, 0, 0, 0, 0, 255]);
    let untinted = "an image is not tinted unless somebody says so";
    assert_eq!(visual.rgba, [1.0; 4], "{untinted}");
    assert_eq!(visual.frame_from_visual.translation.z, 0.1);
    let n_triangles = found.scenery[0].surface.triangles.len();
    assert_eq!(n_triangles, 4, "both sides of it");
    let inertial = found.objects[0].inertial.unwrap();
    assert_eq!(inertial.mass_center[2], 0.01);
    assert_eq!(inertial.inertia[1][1], 0.2);
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Scene>(&text).unwrap(), found);
}

#[test]
fn what_is_wrong_is_refused_with_the_line_and_what_would_be_right() {
    for [visuals, expected] in rows(include_str!("../data/refused/drawn.txt")) {
        let error = scene(&visuals, "[]").expect_err(&visuals);
        let message = error.to_string();
        assert!(message.contains(&expected), "{visuals}: {message}");
        assert_eq!(error.line(), Some(3), "{visuals}");
    }
}
