//! Software renderer.

use std::ops::Range;

use pulp::Arch;
use regrasp_api::CameraView;
use regrasp_mesh::Surface;

use crate::edges::is_edge;
use crate::lens::{Frame, Lens};
use crate::picture::Picture;
use crate::previous::PreviousPicture;
use crate::raster::GeometryBuffer;
use crate::samples::Samples;
use crate::shade::Shader;
use crate::shadow::Shadows;
use crate::stage::{Body, Stage};

/// Largest error of a simplified mesh, in pixels.
const LEVEL_PIXELS: f32 = 0.5;

/// Number of pixels that are shaded together: their data fits into the fastest cache.
const N_TOGETHER: usize = 160;

/// Level of detail of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// One sample per pixel, like a sensor.
    #[default]
    Plain,
    /// Nine colour samples for each pixel at an edge, and softer shadows, for human viewers. Depth
    /// and instances are as in [`Detail::Plain`].
    Fine,
}

impl Detail {
    /// Samples along each edge of a pixel, and of the square over which a shadow is averaged. The
    /// first number is odd, so that one sample is at the centre.
    fn samples(self) -> (usize, usize) {
        match self {
            Self::Plain => (1, 1),
            Self::Fine => (3, 5),
        }
    }
}

/// Renders on one core of the CPU. Buffers are kept for the next picture.
#[derive(Debug, Default)]
pub struct SoftwareRenderer {
    detail: Detail,
    pub(crate) seen: GeometryBuffer,
    pub(crate) shadows: Shadows,
    samples: Samples,
    arch: Arch,
    old: Vec<Picture>,
}

impl SoftwareRenderer {
    /// Builds a renderer for a level of detail.
    pub fn new(detail: Detail) -> Self {
        Self {
            detail,
            ..Self::default()
        }
    }

    /// Renders one picture of a stage for each view.
    pub fn render(&mut self, stage: &Stage, views: &[CameraView]) -> Vec<Picture> {
        if !views.is_empty() {
            self.shadows.draw(stage);
        }
        let pictures = views.iter().map(|view| self.picture(stage, view));
        pictures.collect()
    }

    #[cfg(test)]
    pub(crate) fn use_arch(&mut self, arch: Arch) {
        self.arch = arch;
    }

    pub(crate) fn with_shadows(shadows: Shadows) -> Self {
        Self {
            shadows,
            ..Self::default()
        }
    }

    /// Takes back a picture, so that the next picture reuses its memory. Allocating new memory
    /// takes about an eighth of the time of a picture.
    pub fn recycle(&mut self, picture: Picture) {
        self.old.push(picture);
    }

    /// Depth of the nearest body at each pixel, m, 0 for none. It omits colours, shadows and the
    /// floor, and is several times faster than a picture.
    pub fn depth(&mut self, stage: &Stage, view: &CameraView) -> Vec<f32> {
        let lens = Lens::new(&view.intrinsics);
        self.seen.clear(lens.size);
        for (_, mesh, camera_from_body) in visible(stage, view) {
            self.seen.draw_depth(mesh, &lens, &camera_from_body);
        }
        let inverse = self.seen.inverse_depth[..lens.size.n()].iter();
        let depths = inverse.map(|i| if *i > 0.0 { 1.0 / i } else { 0.0 });
        depths.collect()
    }

    /// Depth at each pixel, m, as in a picture. [`SoftwareRenderer::colour`] can then draw colours.
    pub(crate) fn measure(&mut self, stage: &Stage, view: &CameraView) -> Vec<f32> {
        self.look(stage, view);
        Shader::new(stage, view, &self.shadows, 1, self.arch).depths(&self.seen)
    }

    /// Colours some pixels of the geometry that was drawn last, one sample for each.
    pub(crate) fn colour(
        &mut self,
        stage: &Stage,
        view: &CameraView,
        pixels: &[Range<usize>],
        rgb: &mut [u8],
    ) {
        let shader = Shader::new(stage, view, &self.shadows, 1, self.arch);
        let width = view.intrinsics.width as usize;
        for range in pixels {
            let mut start = range.start;
            while start < range.end {
                let (x, y) = (start % width, start / width);
                let n = (range.end - start).min(width - x).min(N_TOGETHER);
                shade_run(&self.seen, &shader, &mut self.samples, (x..x + n, y), 1);
                rgb[3 * start..3 * (start + n)].copy_from_slice(self.samples.rgb.as_flattened());
                start += n;
            }
        }
    }

    fn picture(&mut self, stage: &Stage, view: &CameraView) -> Picture {
        self.look(stage, view);
        let mut picture = Picture::canvas(view, self.old.pop());
        self.shade(stage, &mut picture, None);
        picture
    }

    pub(crate) fn look(&mut self, stage: &Stage, view: &CameraView) {
        let lens = Lens::new(&self.fine(view).intrinsics);
        self.seen.clear(lens.size);
        for (idx, mesh, camera_from_body) in visible(stage, view) {
            let world_from_body = Frame::new(&stage.bodies[usize::from(idx)].world_from_body);
            self.seen
                .draw(mesh, idx, &lens, &camera_from_body, &world_from_body);
        }
    }

    /// A camera with one pixel per sample.
    fn fine(&self, view: &CameraView) -> CameraView {
        CameraView {
            intrinsics: view.intrinsics.scaled(self.detail.samples().0 as f64),
            ..view.clone()
        }
    }

    /// Shades a picture, except for the pixels to be kept.
    pub(crate) fn shade(
        &mut self,
        stage: &Stage,
        picture: &mut Picture,
        mut before: Option<&mut PreviousPicture>,
    ) {
        let (factor, n_taps) = self.detail.samples();
        let fine = self.fine(&picture.view);
        let shader = Shader::new(stage, &fine, &self.shadows, n_taps, self.arch);
        let (seen, samples) = (&self.seen, &mut self.samples);
        let size = picture.view.intrinsics;
        let width = size.width as usize;
        for y in 0..size.height as usize {
            let mut start = 0;
            while start < width {
                let (xs, is_kept) = match &before {
                    Some(before) => {
                        before.next_run(seen, &self.shadows.changes, [start, y], N_TOGETHER)
                    }
                    None => (start..width.min(start + N_TOGETHER), false),
                };
                start = xs.end;
                if is_kept {
                    continue;
                }
                shade_run(seen, &shader, samples, (xs.clone(), y), factor);
                let pixels = y * width + xs.start..y * width + xs.end;
                let colours = samples.rgb.as_flattened();
                picture.rgb[3 * pixels.start..3 * pixels.end].copy_from_slice(colours);
                picture.depth_m[pixels.clone()].copy_from_slice(&samples.depth_m);
                picture.instances[pixels].copy_from_slice(&samples.instance);
                if let Some(before) = &mut before {
                    before.learn(&samples.lights, xs, y, width);
                }
            }
            if factor > 1 {
                smooth_row(seen, &shader, samples, picture, [y, factor]);
            }
        }
    }
}

/// Bodies that a picture may show: index, surface with as many triangles as needed, and pose.
fn visible<'a>(
    stage: &'a Stage,
    view: &CameraView,
) -> impl Iterator<Item = (u16, &'a Surface, Frame)> {
    let lens = Lens::new(&view.intrinsics);
    let camera_from_world = view.world_from_camera.inverse();
    let bodies = (0..=u16::MAX).zip(&stage.bodies);
    bodies.filter_map(move |(idx, body): (u16, &Body)| {
        let camera_from_body = Frame::new(&(camera_from_world * body.world_from_body));
        let distance_m = lens.distance(body.mesh.ball(), &camera_from_body)?;
        let error_m = LEVEL_PIXELS * distance_m / lens.focal();
        Some((idx, body.mesh.level(error_m), camera_from_body))
    })
}

/// Shades the centres of neighbouring pixels.
fn shade_run(
    seen: &GeometryBuffer,
    shader: &Shader<'_>,
    samples: &mut Samples,
    (xs, y): (Range<usize>, usize),
    factor: usize,
) {
    samples.clear();
    if factor == 1 {
        samples.push_row(seen, xs, y);
    } else {
        xs.for_each(|x| samples.push(seen, factor * x + factor / 2, factor * y + factor / 2));
    }
    shader.shade(seen, samples);
}

/// Replaces the colours of pixels at edges by the means of all their samples.
fn smooth_row(
    seen: &GeometryBuffer,
    shader: &Shader<'_>,
    samples: &mut Samples,
    picture: &mut Picture,
    [y, factor]: [usize; 2],
) {
    let width = picture.view.intrinsics.width as usize;
    let middle = |pixel: usize| factor * pixel + factor / 2;
    let columns = (0..width).filter(|x| is_edge(seen, middle(*x), middle(y), factor));
    let columns: Vec<usize> = columns.collect();
    samples.clear();
    for x in &columns {
        for sample in 0..factor * factor {
            let (x, y) = (factor * x + sample % factor, factor * y + sample / factor);
            samples.push(seen, x, y);
        }
    }
    shader.shade(seen, samples);
    let n = factor * factor;
    for (x, colours) in columns.iter().zip(samples.rgb.chunks_exact(n)) {
        let at = 3 * (y * width + x);
        for (channel, value) in picture.rgb[at..at + 3].iter_mut().enumerate() {
            let sum: usize = colours.iter().map(|rgb| usize::from(rgb[channel])).sum();
            *value = (sum / n) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nalgebra::Vector3;
    use regrasp_api::{Intrinsics, Pose, looking_at};
    use regrasp_kinematics::{MeshSearch, RobotModel};
    use regrasp_scene::builtin_robot;

    use super::*;
    use crate::looks::RobotLooks;
    use crate::measuring::MeasuringRenderer;
    use crate::mesh::Mesh;
    use crate::sequence::SequenceRenderer;
    use crate::stage::{Finish, Look};

    fn robot_looks() -> (RobotLooks, Vec<f64>) {
        let file = builtin_robot().expect("the built-in robot");
        let text = file.urdf_text.as_deref().expect("its URDF");
        let meshes = MeshSearch {
            built_in: regrasp_assets::FILES,
            ..MeshSearch::default()
        };
        let model = RobotModel::from_urdf_str(text, "robots/panda", &meshes);
        let fingers = &file.gripper.finger_joints;
        let model = model.expect("a robot");
        let looks = RobotLooks::new(&model, &file.base_link, &file.arm_joints, fingers, 0.0);
        (looks.expect("its looks"), file.home.clone())
    }

    fn add_robot(stage: &mut Stage, looks: &RobotLooks, joint_positions: &[f64]) {
        let base = Pose::translation(-0.3, 0.0, 0.0);
        looks.add_to(stage, &looks.world_from_links(&base, joint_positions, 0.08));
    }

    fn robot() -> Stage {
        let (looks, home) = robot_looks();
        let mut stage = Stage::default();
        add_robot(&mut stage, &looks, &home);
        stage
    }

    fn table() -> Mesh {
        Mesh::from_shape(&regrasp_api::Shape::cuboid([0.65, 0.6, 0.02]))
    }

    fn view(width: u32, height: u32) -> CameraView {
        let eye = Vector3::new(1.24, -0.68, 0.72);
        let target = Vector3::new(0.1, 0.02, 0.28);
        let pose = looking_at(&eye, &target, &Vector3::z());
        CameraView {
            name: "scene".into(),
            intrinsics: Intrinsics::from_vertical_fov(width, height, 0.84),
            world_from_camera: pose.expect("two different points"),
        }
    }

    fn stage_with_floor() -> Stage {
        let mut stage = robot();
        stage.floor_z = Some(0.0);
        let instance = stage.instance("table");
        stage.bodies.push(Body {
            instance,
            mesh: Arc::new(table()),
            look: Look {
                finish: Finish::Wood,
                ..Look::plain([0.6, 0.4, 0.2])
            },
            world_from_body: Pose::translation(0.75, 0.0, 0.02),
        });
        stage
    }

    #[test]
    fn wide_vectors_and_narrow_ones_give_the_same_bits() {
        let stage = stage_with_floor();
        for detail in [Detail::Plain, Detail::Fine] {
            let mut widest = SoftwareRenderer::new(detail);
            let mut narrow = SoftwareRenderer {
                arch: Arch::Scalar,
                ..SoftwareRenderer::new(detail)
            };
            // The width is not a multiple of any vector width.
            let view = [view(331, 243)];
            assert!(widest.render(&stage, &view) == narrow.render(&stage, &view));
        }
    }

    #[test]
    fn the_memory_of_an_old_picture_does_not_show_in_the_next() {
        let stage = stage_with_floor();
        let mut renderer = SoftwareRenderer::default();
        let mut render = |view: CameraView, old: Option<Picture>| {
            old.into_iter().for_each(|old| renderer.recycle(old));
            renderer.render(&stage, &[view]).remove(0)
        };
        let large = render(view(160, 120), None);
        let small = render(view(80, 60), None);
        let small_again = render(view(80, 60), Some(large.clone()));
        assert!(small_again == small);
        assert!(render(view(160, 120), Some(small)) == large);
    }

    /// A robot moving over a table on which a box changes its position and its colour.
    fn sequence() -> Vec<Stage> {
        let (looks, home) = robot_looks();
        let shape = regrasp_api::Shape::cuboid([0.03; 3]);
        let (cube, table) = (Arc::new(Mesh::from_shape(&shape)), Arc::new(table()));
        let stage = |step: usize| {
            let mut stage = Stage {
                floor_z: Some(0.0),
                ..Stage::default()
            };
            let mut joint_positions = home.clone();
            joint_positions[0] += 0.03 * step as f64;
            add_robot(&mut stage, &looks, &joint_positions);
            let instance = stage.instance("cube");
            let (y, red) = (0.05 * (step / 3) as f64, if step > 4 { 0.2 } else { 0.7 });
            let mut add = |mesh: &Arc<Mesh>, rgb: [f32; 3], at: [f64; 3]| {
                stage.bodies.push(Body {
                    instance,
                    mesh: Arc::clone(mesh),
                    look: Look::plain(rgb),
                    world_from_body: Pose::translation(at[0], at[1], at[2]),
                });
            };
            add(&cube, [red, 0.3, 0.3], [0.35, y, 0.07]);
            add(&table, [0.6, 0.4, 0.2], [0.75, 0.0, 0.02]);
            stage
        };
        (0..8).map(stage).collect()
    }

    #[test]
    fn pictures_of_a_sequence_are_those_drawn_alone_to_the_last_bit() {
        let mut renderer = SequenceRenderer::default();
        // The camera changes once, and one width is not a multiple of a block.
        let views = [view(331, 243), view(331, 243), view(160, 120)];
        let mut last: Option<Picture> = None;
        for (step, stage) in sequence().iter().enumerate() {
            let view = &views[step / 3];
            let alone = std::slice::from_ref(view);
            let alone = SoftwareRenderer::default().render(stage, alone).remove(0);
            let picture = renderer.next(stage, view);
            assert!(*picture == alone, "picture {step} differs if drawn alone");
            let is_same = last.as_ref().is_some_and(|l| l.rgb == alone.rgb);
            assert!(!is_same, "nothing changed in picture {step}");
            last = Some(alone);
        }
    }

    #[test]
    fn depth_and_colours_in_part_are_those_of_the_picture_to_the_last_bit() {
        let views = [view(331, 243), view(160, 120)];
        let mut measuring = MeasuringRenderer::default();
        for stage in sequence() {
            let pictures = SoftwareRenderer::default().render(&stage, &views);
            let depths = measuring.measure(stage, &views);
            for (idx, (picture, depth_m)) in pictures.iter().zip(depths).enumerate() {
                assert!(depth_m == picture.depth_m, "depth of picture {idx} differs");
                // These ranges cross ends of rows, and one is longer than what is shaded together.
                let pixels = [5..6, 1000..3000, 9000..9170];
                let mut rgb = vec![0; picture.rgb.len()];
                measuring.colour(idx, &pixels, &mut rgb);
                let is_wanted = |at: usize| pixels.iter().any(|p| p.contains(&at));
                for at in 0..depth_m.len() {
                    let span = 3 * at..3 * at + 3;
                    let expected = if is_wanted(at) {
                        &picture.rgb[span.clone()]
                    } else {
                        &[0; 3]
                    };
                    assert_eq!(&rgb[span], expected, "pixel {at} of picture {idx}");
                }
            }
        }
    }

    /// An arm whose links are blended from cylinders and balls.
    fn melted() -> Stage {
        let urdf = r#"<robot name="melted"><link name="arm">
  <visual><origin xyz="0.3 0 0.1"/><geometry><cylinder radius="0.07" length="0.2"/></geometry></visual>
  <visual><origin xyz="0.3 0 0.25"/><geometry><sphere radius="0.08"/></geometry></visual>
  <visual><origin xyz="0.42 0 0.33" rpy="0 0.9 0"/><geometry><cylinder radius="0.06" length="0.3"/></geometry></visual>
  <visual><origin xyz="0.55 0 0.45"/><geometry><box size="0.1 0.12 0.14"/></geometry></visual>
</link></robot>"#;
        let model = RobotModel::from_urdf_str(urdf, "melted.urdf", &MeshSearch::default());
        let looks = RobotLooks::new(&model.expect("a robot"), "arm", &[], &[], 0.0);
        let mut stage = Stage::default();
        add_robot(&mut stage, &looks.expect("its looks"), &[]);
        stage
    }

    #[test]
    fn fewer_triangles_change_no_outline_by_more_than_a_pixel_and_no_depth_by_much() {
        let simplified = melted();
        let mut whole = simplified.clone();
        for body in &mut whole.bodies {
            body.mesh = Arc::new(Mesh::whole(body.mesh.surface().clone()));
        }
        let view = view(320, 240);
        let mut renderer = SoftwareRenderer::default();
        let n_drawn = visible(&simplified, &view).map(|v| v.1.triangles.len());
        let n_drawn: usize = n_drawn.sum();
        let n_whole: usize = visible(&whole, &view).map(|v| v.1.triangles.len()).sum();
        assert!(3 * n_drawn < 2 * n_whole, "drew {n_drawn} of {n_whole}");
        let [few, all] = [&simplified, &whole].map(|stage| renderer.depth(stage, &view));
        let is_seen = |at: usize| all[at] > 0.0;
        let mut gaps = Vec::new();
        for at in 321..few.len() - 321 {
            if (few[at] > 0.0) != is_seen(at) {
                let around = [321, 320, 319, 1].map(|by| [at - by, at + by]);
                let mut around = around.as_flattened().iter();
                let is_edge = around.any(|o| is_seen(*o) != is_seen(at));
                assert!(is_edge, "pixel {at} is far from the outline");
            } else if is_seen(at) {
                gaps.push((few[at] - all[at]).abs());
            }
        }
        gaps.sort_by(f32::total_cmp);
        let p95_m = gaps[gaps.len() * 95 / 100];
        // Half a pixel is 2.4 mm at the arm's distance.
        assert!(p95_m < 0.002, "depth is {p95_m} m off at 95 %");
    }
}
