//! Points of a picture that are shaded together.

use std::ops::Range;

use crate::raster::GeometryBuffer;
use crate::shadow_map::Tiles;

/// Number of neighbouring pixels that are kept or shaded together.
pub(crate) const BLOCK: usize = 32;

/// Points of a picture, and the intermediate results of their shading. Each quantity is a list of
/// its own, so that the compiler can vectorise.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    /// Column and row in the geometry buffer.
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    /// 1 / depth of the visible body, 1/m; 0 for none.
    pub(crate) inverse: Vec<f32>,
    /// Visible triangle, valid if the inverse depth is not 0.
    pub(crate) facet: Vec<u32>,
    pub(crate) what: Vec<What>,
    /// Index of the instance's name plus one; 0 for floor and sky.
    pub(crate) instance: Vec<u16>,
    /// Depth of the visible object, m; 0 for the sky.
    pub(crate) depth_m: Vec<f32>,
    pub(crate) rgb: Vec<[u8; 3]>,
    /// Vector from the eye to the point at a depth of 1 m, in World.
    pub(crate) ray: [Vec<f32>; 3],
    /// Visible point, in World.
    pub(crate) point: [Vec<f32>; 3],
    pub(crate) normal: [Vec<f32>; 3],
    /// Column, row and nearness on the shadow map.
    pub(crate) on_map: [Vec<f32>; 3],
    /// The part of the shadow map that each [`BLOCK`] has read.
    pub(crate) lights: Vec<Tiles>,
    pub(crate) sun: Vec<f32>,
    pub(crate) pattern: Vec<f32>,
    /// Red, green, blue of the surface's image, in linear light.
    pub(crate) texel: [Vec<f32>; 3],
    pub(crate) shine: Vec<f32>,
    /// Inverse depth of the floor, 0 where it is not visible; then the share of the floor's colour
    /// that the haze leaves.
    pub(crate) scratch: Vec<f32>,
    /// Red, green, blue in linear light.
    pub(crate) light: [Vec<f32>; 3],
    /// Linear light as steps of the encoding table.
    pub(crate) steps: [Vec<u32>; 3],
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum What {
    #[default]
    Sky,
    Floor,
    Body(u16),
}

impl Samples {
    pub(crate) fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.inverse.clear();
        self.facet.clear();
    }

    /// Adds a pixel of the geometry buffer.
    #[inline]
    pub(crate) fn push(&mut self, seen: &GeometryBuffer, x: usize, y: usize) {
        let at = y * seen.size.width + x;
        self.x.push(x as i32 as f32);
        self.y.push(y as i32 as f32);
        self.inverse.push(seen.inverse_depth[at]);
        self.facet.push(seen.facet[at]);
    }

    /// Adds neighbouring pixels of one row of the geometry buffer.
    pub(crate) fn push_row(&mut self, seen: &GeometryBuffer, xs: Range<usize>, y: usize) {
        let at = y * seen.size.width;
        self.x.extend(xs.clone().map(|x| x as i32 as f32));
        self.y.resize(self.x.len(), y as i32 as f32);
        let span = at + xs.start..at + xs.end;
        self.inverse
            .extend_from_slice(&seen.inverse_depth[span.clone()]);
        self.facet.extend_from_slice(&seen.facet[span]);
    }

    pub(crate) fn len(&self) -> usize {
        self.x.len()
    }

    pub(crate) fn make_room(&mut self) {
        let n = self.len();
        self.what.resize(n, What::Sky);
        self.lights.clear();
        self.lights.resize(n.div_ceil(BLOCK), Tiles::NONE);
        self.rgb.resize(n, [0; 3]);
        self.instance.clear();
        self.instance.resize(n, 0);
        self.steps.iter_mut().for_each(|list| list.resize(n, 0));
        let lists = [
            &mut self.ray,
            &mut self.point,
            &mut self.normal,
            &mut self.on_map,
            &mut self.light,
            &mut self.texel,
        ];
        let lists = lists.into_iter().flatten();
        let (depth_m, shine, scratch) = (&mut self.depth_m, &mut self.shine, &mut self.scratch);
        let others = [depth_m, &mut self.sun, &mut self.pattern, shine, scratch];
        for list in lists.chain(others) {
            list.resize(n, 0.0);
        }
    }
}
