//! How near the nearest surface is to the sun, on a grid.

use crate::fill::{Corner, MARGIN, Row};

/// Pixels along each edge of a tile, for each of which the nearest thing is known.
const TILE: usize = 16;
/// Pixels around a triangle from which a filter may reach it.
const REACH: f32 = 5.0;

/// A square grid.
#[derive(Debug)]
pub(crate) struct Map {
    n: usize,
    /// Greater is nearer, m; with a [`MARGIN`].
    nears: Vec<f32>,
    /// The nearest thing in each tile, or so near that a filter reaches it.
    tiles: Vec<f32>,
}

impl Map {
    /// An empty one of `n` x `n` pixels, a multiple of a tile's.
    pub(crate) fn new(n: usize) -> Self {
        let n_tiles = n / TILE;
        Self {
            n,
            nears: vec![f32::NEG_INFINITY; n * n + MARGIN],
            tiles: vec![f32::NEG_INFINITY; n_tiles * n_tiles],
        }
    }

    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// Forgets everything; what was never drawn to is left alone.
    pub(crate) fn clear(&mut self) {
        let n_tiles = self.n / TILE;
        for (idx, tile) in self.tiles.iter_mut().enumerate() {
            if *tile > f32::NEG_INFINITY {
                *tile = f32::NEG_INFINITY;
                let first = idx / n_tiles * TILE * self.n + idx % n_tiles * TILE;
                for row in 0..TILE {
                    let start = first + row * self.n;
                    self.nears[start..start + TILE].fill(f32::NEG_INFINITY);
                }
            }
        }
    }

    #[inline]
    pub(crate) fn draw(&mut self, row: &Row) {
        row.draw(self.n, &mut self.nears);
    }

    /// Tells the tiles around a triangle that was drawn of it.
    pub(crate) fn mark(&mut self, triangle: &[Corner; 3]) {
        let near = triangle.iter().map(|c| c.near);
        let near = near.fold(f32::NEG_INFINITY, f32::max);
        let n_tiles = self.n / TILE;
        let tiles = |axis: usize| {
            let at = triangle.map(|c| c.at[axis]);
            let tile = |at: f32| (at.max(0.0) as usize / TILE).min(n_tiles - 1);
            let low = at[0].min(at[1]).min(at[2]) - REACH;
            tile(low)..=tile(at[0].max(at[1]).max(at[2]) + REACH)
        };
        for row in tiles(1) {
            for column in tiles(0) {
                let tile = &mut self.tiles[row * n_tiles + column];
                *tile = tile.max(near);
            }
        }
    }

    /// Whether everything in a part of the map is further than `near`.
    pub(crate) fn is_free(&self, u: [f32; 2], v: [f32; 2], near: f32) -> bool {
        let n = self.n as f32;
        if u[1] < 0.0 || v[1] < 0.0 || u[0] > n || v[0] > n {
            return true;
        }
        let n_tiles = self.n / TILE;
        let tile = |at: f32| (at.max(0.0) as usize / TILE).min(n_tiles - 1);
        let mut rows = tile(v[0])..=tile(v[1]);
        rows.all(|row| {
            let span = row * n_tiles + tile(u[0])..=row * n_tiles + tile(u[1]);
            self.tiles[span].iter().all(|nearest| *nearest <= near)
        })
    }

    /// The part of the sun that is seen at a place, with all that the filter reaches on the
    /// map.
    #[inline(always)]
    pub(crate) fn sunlight(&self, u: f32, v: f32, near: f32, n_taps: usize) -> f32 {
        let tile = v as i32 as usize / TILE * (self.n / TILE) + u as i32 as usize / TILE;
        if near >= self.tiles[tile] {
            return 1.0;
        }
        let (u, v) = (u - 0.5, v - 0.5);
        if n_taps == 1 {
            self.between_four(u, v, near)
        } else {
            self.filtered(u, v, near, n_taps)
        }
    }

    #[inline(always)]
    fn between_four(&self, u: f32, v: f32, near: f32) -> f32 {
        let (u, v) = (u.max(0.0), v.max(0.0));
        let (i, j) = (u as i32, v as i32);
        let (tu, tv) = (u - i as f32, v - j as f32);
        let at = j as usize * self.n + i as usize;
        let lit = |there: f32| if there < near { 1.0 } else { 0.0 };
        let row = |at: usize| {
            let pair = &self.nears[at..at + 2];
            let (a, b) = (lit(pair[0]), lit(pair[1]));
            a + (b - a) * tu
        };
        let (low, high) = (row(at), row(at + self.n));
        low + (high - low) * tv
    }

    /// A tent over `n_taps` pixels in each direction and one more.
    fn filtered(&self, u: f32, v: f32, near: f32, n_taps: usize) -> f32 {
        let back = (n_taps - 1) as f32 * 0.5;
        let last = (self.n - n_taps - 1) as f32;
        let (u, v) = ((u - back).clamp(0.0, last), (v - back).clamp(0.0, last));
        let (i, j) = (u as usize, v as usize);
        let (tu, tv) = (u - i as f32, v - j as f32);
        let weight = |k: usize, t: f32| match k {
            0 => 1.0 - t,
            k if k == n_taps => t,
            _ => 1.0,
        };
        let mut light = 0.0;
        for k in 0..=n_taps {
            let start = (j + k) * self.n + i;
            let row = &self.nears[start..start + n_taps + 1];
            let lit = row.iter().enumerate().map(
                |(l, there)| {
                    if *there < near { weight(l, tu) } else { 0.0 }
                },
            );
            light += weight(k, tv) * lit.sum::<f32>();
        }
        light / (n_taps * n_taps) as f32
    }
}
