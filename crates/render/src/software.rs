//! The renderer.

use regrasp_api::{CameraView, Intrinsics};

use crate::picture::Picture;
use crate::raster::{Frame, Lens, Seen, Size};
use crate::shade::{Pixel, Shader};
use crate::shadow::Shadows;
use crate::stage::Stage;

/// Turns a stage into pictures.
pub trait Renderer: Send {
    /// One picture for each view.
    fn render(&mut self, stage: &Stage, views: &[CameraView]) -> Vec<Picture>;
}

/// How much work is put into a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// One sample a pixel, as a sensor gives.
    #[default]
    Plain,
    /// Nine samples of colour a pixel and softer shadows, for people; depth and
    /// instances are as in [`Detail::Plain`].
    Fine,
}

/// Renders on one core of the CPU. Keeps its buffers for the next picture.
#[derive(Debug, Default)]
pub struct SoftwareRenderer {
    detail: Detail,
    seen: Seen,
    shadows: Shadows,
}

impl SoftwareRenderer {
    /// A renderer for pictures of this detail.
    pub fn new(detail: Detail) -> Self {
        Self {
            detail,
            ..Self::default()
        }
    }

    /// How far the nearest body is at each pixel, m, 0 for none: without colours, shadows
    /// or the floor, and several times faster than a picture.
    pub fn depth(&mut self, stage: &Stage, view: &CameraView) -> Vec<f32> {
        self.draw(stage, view);
        let inverse = self.seen.inverse_depth.iter();
        let depths = inverse.map(|i| if *i > 0.0 { 1.0 / i } else { 0.0 });
        depths.collect()
    }

    fn picture(&mut self, stage: &Stage, view: &CameraView) -> Picture {
        let (factor, n_taps) = match self.detail {
            Detail::Plain => (1, 1),
            // An odd number has a sample in the middle of the pixel.
            Detail::Fine => (3, 5),
        };
        let fine = CameraView {
            intrinsics: view.intrinsics.scaled(factor as f64),
            ..view.clone()
        };
        self.draw(stage, &fine);
        let shader = Shader::new(stage, &fine, &self.shadows, n_taps);
        let mut sums = Sums::new(view, factor);
        for y in 0..self.seen.size.height {
            shader.row(&self.seen, y, |x, pixel| sums.add(stage, x, y, &pixel));
        }
        sums.picture(view)
    }

    fn draw(&mut self, stage: &Stage, view: &CameraView) {
        self.seen.clear(size(&view.intrinsics));
        let lens = Lens::new(&view.intrinsics);
        let camera_from_world = view.world_from_camera.inverse();
        for (idx, body) in stage.bodies.iter().enumerate() {
            let camera_from_body = Frame::new(&(camera_from_world * body.world_from_body));
            let world_from_body = Frame::new(&body.world_from_body);
            let idx = idx.min(usize::from(u16::MAX)) as u16;
            self.seen
                .draw(&body.mesh, idx, &lens, &camera_from_body, &world_from_body);
        }
    }
}

impl Renderer for SoftwareRenderer {
    fn render(&mut self, stage: &Stage, views: &[CameraView]) -> Vec<Picture> {
        if !views.is_empty() {
            self.shadows.draw(stage);
        }
        let pictures = views.iter().map(|view| self.picture(stage, view));
        pictures.collect()
    }
}

fn size(intrinsics: &Intrinsics) -> Size {
    Size {
        width: intrinsics.width as usize,
        height: intrinsics.height as usize,
    }
}

/// Puts samples together to pixels.
struct Sums {
    factor: usize,
    width: usize,
    rgb: Vec<u16>,
    depth_m: Vec<f32>,
    instances: Vec<u16>,
}

impl Sums {
    fn new(view: &CameraView, factor: usize) -> Self {
        let n = view.intrinsics.n_pixels();
        Self {
            factor,
            width: view.intrinsics.width as usize,
            rgb: vec![0; 3 * n],
            depth_m: vec![0.0; n],
            instances: vec![0; n],
        }
    }

    fn add(&mut self, stage: &Stage, x: usize, y: usize, pixel: &Pixel) {
        let at = y / self.factor * self.width + x / self.factor;
        for (sum, value) in self.rgb[3 * at..3 * at + 3].iter_mut().zip(pixel.rgb) {
            *sum += u16::from(value);
        }
        let middle = self.factor / 2;
        if x % self.factor == middle && y % self.factor == middle {
            self.depth_m[at] = pixel.depth_m;
            let body = pixel.body.map(|b| &stage.bodies[usize::from(b)]);
            self.instances[at] = body.map_or(0, |b| b.instance);
        }
    }

    fn picture(self, view: &CameraView) -> Picture {
        let n = (self.factor * self.factor) as u16;
        Picture {
            view: view.clone(),
            rgb: self.rgb.iter().map(|sum| (sum / n) as u8).collect(),
            depth_m: self.depth_m,
            instances: self.instances,
        }
    }
}
