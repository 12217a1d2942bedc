//! Points of a picture that are shaded together.

use std::ops::Range;

use crate::raster::GeometryBuffer;
use crate::shadow_map::Tiles;

/// Pixels side by side that are kept or shaded together.
pub(crate) const BLOCK: usize = 32;

/// Points of a picture, and what is found out about them on the way to their colours. Each
/// quantity is a list of its own, so that several points are computed at once.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    /// Column and row of the picture that was drawn.
    pub(crate) x: Vec<f32>,
    pub(crate) y: Vec<f32>,
    /// 1 / depth of the body that is seen there, 1/m; 0 for none.
    pub(crate) inverse: Vec<f32>,
    /// The triangle that is seen there, if the inverse depth is not 0.
    pub(crate) facet: Vec<u32>,
    /// What is seen, in the end.
    pub(crate) what: Vec<What>,
    /// Index of its name plus one; 0 for floor and sky.
    pub(crate) instance: Vec<u16>,
    /// Depth of what is seen, m; 0 for the sky.
    pub(crate) depth_m: Vec<f32>,
    /// Red, green, blue.
    pub(crate) rgb: Vec<[u8; 3]>,
    /// From the eye to where the depth is 1 m, in World.
    pub(crate) ray: [Vec<f32>; 3],
    /// What is seen, in World.
    pub(crate) point: [Vec<f32>; 3],
    pub(crate) normal: [Vec<f32>; 3],
    /// Column, row and nearness on the shadow map.
    pub(crate) on_map: [Vec<f32>; 3],
    /// Where on that map the light of each [`BLOCK`] was looked up.
    pub(crate) lights: Vec<Tiles>,
    /// Light of the sun on the surface.
    pub(crate) sun: Vec<f32>,
    /// Brightness of the pattern on it.
    pub(crate) pattern: Vec<f32>,
    /// Red, green, blue of the image on it, in linear light.
    pub(crate) texel: [Vec<f32>; 3],
    /// The sun's reflection.
    pub(crate) shine: Vec<f32>,
    /// Red, green, blue in linear light.
    pub(crate) light: [Vec<f32>; 3],
    /// The same as steps of the table that encodes it.
    pub(crate) steps: [Vec<u32>; 3],
}

/// What is seen somewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum What {
    #[default]
    Sky,
    Floor,
    /// Index of a body.
    Body(u16),
}

impl Samples {
    /// Forgets all points.
    pub(crate) fn clear(&mut self) {
        self.x.clear();
        self.y.clear();
        self.inverse.clear();
        self.facet.clear();
    }

    /// Adds a pixel of what was drawn.
    #[inline]
    pub(crate) fn push(&mut self, seen: &GeometryBuffer, x: usize, y: usize) {
        let at = y * seen.size.width + x;
        self.x.push(x as i32 as f32);
        self.y.push(y as i32 as f32);
        self.inverse.push(seen.inverse_depth[at]);
        self.facet.push(seen.facet[at]);
    }

    /// Adds pixels of one row of what was drawn, side by side.
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

    /// Makes room for what will be found out.
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
        let (sun, depth_m) = (&mut self.sun, &mut self.depth_m);
        let others = [depth_m, sun, &mut self.pattern, &mut self.shine];
        for list in lists.chain(others) {
            list.resize(n, 0.0);
        }
    }
}
