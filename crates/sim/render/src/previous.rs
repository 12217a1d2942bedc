//! Reuse of the previous picture: unchanged pixels are not shaded again.
//!
//! A pixel's colour is determined by the visible triangle and its depth, the paint of its body, the
//! camera, and the shadow map along its ray to the sun. If all of these are bit-identical to those
//! of the previous picture, so is the colour.

use std::mem::swap;
use std::ops::Range;

use regrasp_api::CameraView;

use crate::picture::Picture;
use crate::raster::GeometryBuffer;
use crate::samples::BLOCK;
use crate::shade::Painted;
use crate::shadow_map::{Changes, Tiles};
use crate::stage::Stage;

#[derive(Debug, Default)]
pub(crate) struct PreviousPicture {
    picture: Option<Picture>,
    floor_z: Option<f64>,
    paints: Vec<Painted>,
    seen: GeometryBuffer,
    /// The part of the shadow map that each block has read.
    lights: Vec<Tiles>,
    is_paint_same: Vec<bool>,
    /// Set if the previous picture has the same camera and floor, so that its pixels can be kept.
    is_next: bool,
}

impl PreviousPicture {
    /// The picture to draw on: the last one, if it has the same camera and floor.
    pub(crate) fn canvas(&mut self, stage: &Stage, view: &CameraView) -> Picture {
        let is_same_floor = self.floor_z == stage.floor_z;
        self.floor_z = stage.floor_z;
        let paints: Vec<Painted> = stage.bodies.iter().map(Painted::new).collect();
        let both = paints.iter().zip(&self.paints);
        self.is_paint_same = both.map(|(now, before)| now == before).collect();
        self.paints = paints;
        let last = self.picture.take();
        self.is_next = is_same_floor && last.as_ref().is_some_and(|last| last.view == *view);
        match last {
            Some(last) if self.is_next => last,
            last => {
                let n_blocks = n_blocks(view.intrinsics.width as usize);
                let n_blocks = n_blocks * view.intrinsics.height as usize;
                self.lights.clear();
                self.lights.resize(n_blocks, Tiles::NONE);
                Picture::canvas(view, last)
            }
        }
    }

    /// Finds the next run of pixels of a row, at most `n_most`, that all can be kept or all must be
    /// shaded; returns true if they can be kept.
    pub(crate) fn next_run(
        &self,
        seen: &GeometryBuffer,
        changes: &Changes,
        [start, y]: [usize; 2],
        n_most: usize,
    ) -> (Range<usize>, bool) {
        let width = seen.size.width;
        let block = |x: usize| x..width.min(x + BLOCK);
        let is_kept = self.is_same(seen, changes, block(start), y);
        let mut end = block(start).end;
        while end < width
            && end + BLOCK <= start + n_most
            && self.is_same(seen, changes, block(end), y) == is_kept
        {
            end = block(end).end;
        }
        (start..end, is_kept)
    }

    fn is_same(
        &self,
        seen: &GeometryBuffer,
        changes: &Changes,
        xs: Range<usize>,
        y: usize,
    ) -> bool {
        if !self.is_next {
            return false;
        }
        let width = seen.size.width;
        let light = self.lights[y * n_blocks(width) + xs.start / BLOCK];
        let pixels = y * width + xs.start..y * width + xs.end;
        let [now, before] = [seen, &self.seen].map(|s| &s.inverse_depth[pixels.clone()]);
        are_same_bits(now, before) && !changes.touch(light) && self.shows_the_same(seen, pixels)
    }

    /// Returns true if the same triangles are visible, in the same paint.
    fn shows_the_same(&self, seen: &GeometryBuffer, pixels: Range<usize>) -> bool {
        let [now, before] = [seen, &self.seen].map(|s| &s.facet[pixels.clone()]);
        let mut known = None;
        for ((now, before), inverse) in now.iter().zip(before).zip(&seen.inverse_depth[pixels]) {
            let both = [*now, *before];
            if *inverse <= 0.0 || known == Some(both) {
                continue;
            }
            known = Some(both);
            let now = &seen.facets[both[0] as usize];
            let is_paint_same = self.is_paint_same.get(usize::from(now.body));
            if *now != self.seen.facets[both[1] as usize] || is_paint_same != Some(&true) {
                return false;
            }
        }
        true
    }

    /// Records the part of the shadow map that pixels have read, block by block.
    pub(crate) fn learn(&mut self, lights: &[Tiles], xs: Range<usize>, y: usize, width: usize) {
        let first = y * n_blocks(width) + xs.start / BLOCK;
        let n = xs.len().div_ceil(BLOCK);
        self.lights[first..first + n].copy_from_slice(&lights[..n]);
    }

    /// Keeps a complete picture and its geometry for the next one.
    pub(crate) fn keep(&mut self, picture: Picture, seen: &mut GeometryBuffer) -> &Picture {
        swap(&mut self.seen, seen);
        self.picture.insert(picture)
    }
}

fn n_blocks(width: usize) -> usize {
    width.div_ceil(BLOCK)
}

/// Compares without an early exit, so that the compiler can vectorise it.
fn are_same_bits(a: &[f32], b: &[f32]) -> bool {
    let pairs = a.iter().zip(b);
    let n_others = pairs.fold(0, |n, (a, b)| n + u32::from(a.to_bits() != b.to_bits()));
    n_others == 0
}
