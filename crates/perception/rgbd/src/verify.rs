//! Compares the rendered depth of an object at a pose with what the pictures show.

use nalgebra::Vector3;
use regrasp_api::{CameraView, Intrinsics, Pose};
use regrasp_render::{SoftwareRenderer, Stage};

use crate::cloud::Kind;
use crate::scan::{Eye, SLACK_M, Scan, Sight};
use crate::template::Template;

/// Pixels at which an object at a pose would be seen.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// Pixels that show the object, by picture.
    pub(crate) pixels: Vec<Vec<usize>>,
    /// Pixels with the object's depth, including those that another object explains, by picture.
    pub(crate) alone: Vec<Vec<usize>>,
    /// Number of pixels that something hides, or that are not known.
    pub(crate) n_hidden: usize,
    /// Number of pixels through which something behind is visible.
    pub(crate) n_through: usize,
    /// Number of pixels at the edge of the object, and of those beyond which the seen surface
    /// continues.
    pub(crate) n_edge: usize,
    pub(crate) n_leaks: usize,
    /// Number of pixels at the edge of the object that something hides.
    pub(crate) n_hidden_edge: usize,
}

/// Additional tolerance in depth for a pixel to show the rendered surface, pixels.
const SLACK_PIXELS: f32 = 1.0;
/// Largest step in depth from pixel to pixel that counts as slant, pixels.
const MOST_SLANT: f32 = 6.0;
/// Largest slant up to which the tolerance along the ray grows with the slant, pixels.
const MOST_GRAZING: f32 = 4.0;
/// Distance within which a surface beyond the edge counts as its continuation, m, and in pixels.
const GOES_ON_M: f32 = 0.003;
const GOES_ON_PIXELS: f32 = 2.0;

impl Outline {
    /// Renders an object into each picture and compares.
    pub(crate) fn new(
        renderer: &mut SoftwareRenderer,
        scan: &Scan<'_>,
        template: &Template,
        world_from_objects: &[Pose],
    ) -> Self {
        let mut stage = Stage::default();
        template.add_to(&mut stage, world_from_objects);
        let mut outline = Self::default();
        for eye in &scan.eyes {
            outline.pixels.push(Vec::new());
            outline.alone.push(Vec::new());
            if let Some(window) = Window::around(eye, template, world_from_objects) {
                let depths = renderer.depth(&stage, &window.view);
                outline.compare(eye, &window, &depths);
            }
        }
        outline
    }

    /// Number of pixels that show the object.
    pub(crate) fn n_there(&self) -> usize {
        self.pixels.iter().map(Vec::len).sum()
    }

    /// Compares the picture that was added last.
    fn compare(&mut self, eye: &Eye<'_>, window: &Window, depths: &[f32]) {
        let (Some(pixels), Some(alone)) = (self.pixels.last_mut(), self.alone.last_mut()) else {
            return;
        };
        let [width, height] = window.size;
        let beside = |idx: usize, by: usize| {
            let (x, y) = (idx % width, idx / width);
            [
                (x >= by).then(|| idx - by),
                (x + by < width).then_some(idx + by),
                (y >= by).then(|| idx - by * width),
                (y + by < height).then_some(idx + by * width),
            ]
        };
        for (idx, &depth_m) in depths.iter().enumerate().filter(|(_, d)| **d > 0.0) {
            let around = beside(idx, 1);
            let is_out = |at: &Option<usize>| at.is_some_and(|at| depths[at] <= 0.0);
            let is_edge = around.iter().any(is_out);
            let pixel_m = depth_m / eye.view.intrinsics.fx as f32;
            // On a slanted surface, half a pixel is a step in depth.
            let steps = around.iter().flatten().map(|b| depths[*b]);
            let steps = steps.filter(|d| *d > 0.0).map(|d| (d - depth_m).abs());
            let step = steps.fold(0.0, f32::max).min(MOST_SLANT * pixel_m);
            let slack = eye.slack_m + SLACK_PIXELS * pixel_m + 0.5 * step;
            let pixel = window.pixel(idx, eye.cloud.width);
            let grazing = 1.0_f32.hypot((step / pixel_m).min(MOST_GRAZING));
            let owner = eye.owners[pixel];
            if let Sight::There(..) = eye.at(pixel, depth_m, grazing * slack, owner) {
                alone.push(pixel);
            }
            match eye.at(pixel, depth_m, slack, 0) {
                Sight::There(..) => {
                    pixels.push(pixel);
                    self.n_edge += usize::from(is_edge);
                    // If the camera's pose is slightly wrong, the surface ends farther out.
                    let later_m = eye.slack_m - SLACK_M;
                    let by = 1 + (later_m / pixel_m).round() as usize;
                    let far = beside(idx, by);
                    let beyond = around.iter().zip(&far);
                    let beyond = beyond.filter(|(near, far)| is_out(near) && is_out(far));
                    let goes_on = |at: usize| {
                        let other = window.pixel(at, eye.cloud.width);
                        let is_free =
                            eye.cloud.kinds[other] == Kind::Thing && eye.owners[other] == 0;
                        let [p, q] = [pixel, other].map(|at| Vector3::from(eye.cloud.point(at)));
                        let within_m = GOES_ON_M + by as f32 * GOES_ON_PIXELS * pixel_m;
                        is_free && (p - q).norm() < within_m
                    };
                    let mut beyond = beyond.filter_map(|(_, far)| *far);
                    self.n_leaks += usize::from(beyond.any(goes_on));
                }
                Sight::Through => self.n_through += usize::from(!is_edge),
                Sight::Hidden => {
                    self.n_hidden += 1;
                    self.n_hidden_edge += usize::from(is_edge);
                }
                Sight::Unknown => self.n_hidden += 1,
            }
        }
    }
}

/// Part of a picture around an object.
struct Window {
    view: CameraView,
    start: [usize; 2],
    size: [usize; 2],
}

impl Window {
    fn around(eye: &Eye<'_>, template: &Template, world_from_objects: &[Pose]) -> Option<Self> {
        const MARGIN: f32 = 3.0;
        let i = &eye.view.intrinsics;
        let (mut low, mut high) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for (samples, pose) in template.samples.iter().zip(world_from_objects) {
            let camera_from = eye.camera_from(pose);
            for at in samples.iter().map(|s| camera_from.point(&s.at)) {
                let z = at.z.max(0.02);
                let pixel = [
                    i.fx as f32 * at.x / z + i.cx as f32,
                    i.fy as f32 * at.y / z + i.cy as f32,
                ];
                low = [0, 1].map(|k| low[k].min(pixel[k]));
                high = [0, 1].map(|k| high[k].max(pixel[k]));
            }
        }
        let size = [eye.cloud.width, eye.cloud.height];
        let clamped = |c: f32, k: usize| c.clamp(0.0, size[k] as f32) as usize;
        let start = [0, 1].map(|k| clamped(low[k] - MARGIN, k));
        let end = [0, 1].map(|k| clamped(high[k] + MARGIN + 1.0, k));
        let size = [0, 1].map(|k| end[k].saturating_sub(start[k]));
        let view = CameraView {
            intrinsics: Intrinsics {
                width: size[0] as u32,
                height: size[1] as u32,
                cx: i.cx - start[0] as f64,
                cy: i.cy - start[1] as f64,
                ..*i
            },
            ..eye.view.clone()
        };
        (size[0] > 0 && size[1] > 0).then_some(Self { view, start, size })
    }

    fn pixel(&self, idx: usize, width: usize) -> usize {
        let (x, y) = (idx % self.size[0], idx / self.size[0]);
        (self.start[1] + y) * width + self.start[0] + x
    }
}
