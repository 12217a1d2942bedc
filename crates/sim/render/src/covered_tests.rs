//! Tests of images on surfaces.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};
use pulp::Arch;
use regrasp_api::{CameraView, Intrinsics, Pose, looking_at};

use crate::image::Image;
use crate::mesh::Mesh;
use crate::sequence::SequenceRenderer;
use crate::software::SoftwareRenderer;
use crate::stage::{Body, Look, Stage};

/// Builds an image whose red grows to the right and whose green grows downwards.
fn ramp() -> Arc<Image> {
    const N: u32 = 256;
    let rgb = (0..N * N).flat_map(|i| [(i % N) as u8, (i / N) as u8, 0]);
    let rgb: Vec<u8> = rgb.collect();
    Arc::new(Image::new(N, N, &rgb, [1.0; 3]).expect("as many as pixels"))
}

/// Builds a floor of 2 m x 8 m that begins behind the camera and is covered once by the image.
fn floor(image: Arc<Image>) -> Mesh {
    let corners = [[-1.0, -2.0], [1.0, -2.0], [1.0, 6.0], [-1.0, 6.0]];
    let positions = corners.map(|[x, y]| [x, y, 0.0]).to_vec();
    let mesh = Mesh::with_normals(positions, vec![[0.0, 0.0, 1.0]; 4], &[[0, 1, 2], [0, 2, 3]]);
    mesh.covered(vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]], image)
}

fn stage() -> Stage {
    let mut stage = Stage::default();
    let instance = stage.instance("floor");
    stage.bodies.push(Body {
        instance,
        mesh: Arc::new(floor(ramp())),
        look: Look {
            gloss: 0.0,
            ..Look::plain([1.0; 3])
        },
        world_from_body: Pose::identity(),
    });
    stage
}

fn view(width: u32, height: u32) -> CameraView {
    let (eye, target) = (Vector3::new(0.2, -1.0, 0.5), Vector3::new(0.0, 1.0, 0.1));
    CameraView {
        name: "low".into(),
        intrinsics: Intrinsics::from_vertical_fov(width, height, 1.0),
        world_from_camera: looking_at(&eye, &target, &Vector3::z()).expect("two points"),
    }
}

#[test]
fn an_image_on_a_floor_that_passes_the_camera_is_seen_in_perspective() {
    let view = view(160, 120);
    let mut pictures = SoftwareRenderer::default().render(&stage(), std::slice::from_ref(&view));
    let picture = pictures.remove(0);
    let i = &view.intrinsics;
    let eye = view.world_from_camera.translation.vector;
    let mut n_compared = 0;
    for y in 0..i.height {
        for x in 0..i.width {
            let (dx, dy) = ((f64::from(x) - i.cx) / i.fx, (f64::from(y) - i.cy) / i.fy);
            let ray = view.world_from_camera.rotation * Vector3::new(dx, dy, 1.0);
            if ray.z >= -0.05 {
                continue;
            }
            let there = Point3::from(eye - ray * (eye.z / ray.z));
            // Far away and at the edges of the floor, the image blends into its next repetition.
            if there.x.abs() > 0.8 || there.y > 3.0 {
                continue;
            }
            let at = 3 * (y * i.width + x) as usize;
            let [red, green] = [0, 1].map(|k| f64::from(picture.rgb[at + k]));
            // The light is the same everywhere, so the ratio of green to red is that of the image.
            let expected =
                [there.x * 0.5 + 0.5, 1.0 - (there.y + 2.0) / 8.0].map(|c| c * 256.0 - 0.5);
            let [u, v] = expected.map(|c| crate::encode::linear((c / 255.0) as f32));
            let found = crate::encode::linear((green / 255.0) as f32)
                / crate::encode::linear((red / 255.0) as f32).max(1e-3);
            if u > 0.1 && v > 0.1 {
                let off = (f64::from(found) * f64::from(u / v)).ln().abs();
                // The tolerance allows for the colours of sun and sky (0.02 was measured).
                assert!(off < 0.06, "at ({x}, {y}): {found} instead of {}", v / u);
                n_compared += 1;
            }
        }
    }
    assert!(n_compared > 5000, "only {n_compared} pixels were compared");
}

#[test]
fn images_are_the_same_bits_with_wide_vectors_and_narrow_ones_and_in_a_sequence() {
    let (stage, view) = (stage(), [view(331, 243)]);
    let mut narrow = SoftwareRenderer::default();
    narrow.use_arch(Arch::Scalar);
    let one = SoftwareRenderer::default().render(&stage, &view).remove(0);
    assert!(narrow.render(&stage, &view).remove(0) == one);
    let mut sequence = SequenceRenderer::default();
    for _ in 0..2 {
        assert!(*sequence.next(&stage, &view[0]) == one);
    }
    // Another image on the same mesh changes the picture.
    let mut other = stage.clone();
    let flat = Image::new(1, 1, &[9, 99, 199], [1.0; 3]).expect("one pixel");
    other.bodies[0].mesh = Arc::new(floor(Arc::new(flat)));
    assert!(sequence.next(&other, &view[0]).rgb != one.rgb);
}
