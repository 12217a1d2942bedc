//! Pictures whose colours are drawn only where they are needed.

use std::mem::swap;
use std::ops::Range;

use regrasp_api::CameraView;

use crate::raster::GeometryBuffer;
use crate::software::SoftwareRenderer;
use crate::stage::Stage;

/// Measures depth first, and then draws the colours of some pixels, for perception that needs few
/// of them: colours and shadows take most of a picture's time. Every value is bit-identical to that
/// of a [`SoftwareRenderer`] in [`Detail::Plain`](crate::Detail::Plain).
#[derive(Debug, Default)]
pub struct MeasuringRenderer {
    renderer: SoftwareRenderer,
    stage: Stage,
    /// Set if the shadow map was drawn for this stage.
    has_shadows: bool,
    measured: Vec<(CameraView, GeometryBuffer)>,
}

impl MeasuringRenderer {
    /// Measures the depth at each pixel of each view, m, 0 where nothing is hit.
    pub fn measure(&mut self, stage: Stage, views: &[CameraView]) -> Vec<Vec<f32>> {
        (self.stage, self.has_shadows) = (stage, false);
        let mut old = std::mem::take(&mut self.measured).into_iter();
        let depths = views.iter().map(|view| {
            let memory = old.next().map(|(_, memory)| memory).unwrap_or_default();
            self.renderer.seen = memory;
            let depth_m = self.renderer.measure(&self.stage, view);
            let seen = std::mem::take(&mut self.renderer.seen);
            self.measured.push((view.clone(), seen));
            depth_m
        });
        depths.collect()
    }

    /// Draws the colours of some pixels of the measured view with this index: red, green and blue
    /// in `rgb`, which has room for all pixels. Nothing is drawn if there is no such view.
    pub fn colour(&mut self, view_idx: usize, pixels: &[Range<usize>], rgb: &mut [u8]) {
        let Some((view, seen)) = self.measured.get_mut(view_idx) else {
            return;
        };
        if !self.has_shadows && !pixels.is_empty() {
            self.renderer.shadows.draw(&self.stage);
            self.has_shadows = true;
        }
        swap(&mut self.renderer.seen, seen);
        self.renderer.colour(&self.stage, view, pixels, rgb);
        swap(&mut self.renderer.seen, seen);
    }
}
