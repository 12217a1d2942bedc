//! Grid of the nearest surfaces to the sun.

use std::array::from_fn;

use crate::fill::{Corner, MARGIN, Row};

/// Number of pixels along each edge of a tile.
const TILE: usize = 16;
/// Number of pixels around a triangle within which a filter may reach it.
const REACH: f32 = 5.0;

const N_TILES: usize = 64;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Tiles {
    /// First and last column of tiles; empty if the first is behind the last.
    columns: [u8; 2],
    rows: [u8; 2],
}

impl Tiles {
    pub(crate) const NONE: Self = Self {
        columns: [u8::MAX, 0],
        rows: [u8::MAX, 0],
    };

    pub(crate) fn with(self, other: Self) -> Self {
        let around = |a: [u8; 2], b: [u8; 2]| [a[0].min(b[0]), a[1].max(b[1])];
        Self {
            columns: around(self.columns, other.columns),
            rows: around(self.rows, other.rows),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Changes {
    /// One bit for each tile of a row.
    rows: [u64; N_TILES],
}

impl Changes {
    pub(crate) const ALL: Self = Self {
        rows: [u64::MAX; N_TILES],
    };

    pub(crate) fn touch(&self, Tiles { columns, rows }: Tiles) -> bool {
        if rows[0] > rows[1] {
            return false;
        }
        let [first, last] = columns.map(u32::from);
        let mask = (u64::MAX << first) & (u64::MAX >> (N_TILES as u32 - 1 - last));
        let rows = &self.rows[usize::from(rows[0])..=usize::from(rows[1])];
        rows.iter().any(|row| row & mask != 0)
    }
}

#[derive(Debug)]
pub(crate) struct Map {
    pub(crate) n: usize,
    /// Nearness to the sun, m, larger for nearer points; with a [`MARGIN`].
    nears: Vec<f32>,
    /// Upper bound of the values in each tile and within a filter's reach of it.
    tiles: Vec<f32>,
}

impl Map {
    /// An empty map of `n` x `n` pixels, a multiple of a tile's edge.
    pub(crate) fn new(n: usize) -> Self {
        let n_tiles = n / TILE;
        debug_assert!(n_tiles <= N_TILES, "a row of tiles has a bit for each");
        Self {
            n,
            nears: vec![f32::NEG_INFINITY; n * n + MARGIN],
            tiles: vec![f32::NEG_INFINITY; n_tiles * n_tiles],
        }
    }

    /// Clears the map; tiles that were never drawn to are skipped.
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

    /// Updates the tiles around a drawn triangle.
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

    /// The tiles that a filter reaches from a part of the map.
    pub(crate) fn reached(&self, u: [f32; 2], v: [f32; 2]) -> Tiles {
        let last = (self.n / TILE - 1) as u8;
        let tile = |at: f32| ((at.max(0.0) as usize / TILE) as u8).min(last);
        let tiles = |[low, high]: [f32; 2]| [tile(low - REACH), tile(high + REACH)];
        Tiles {
            columns: tiles(u),
            rows: tiles(v),
        }
    }

    /// The tiles that differ from those of another map of the same size.
    pub(crate) fn changes_since(&self, before: &Self) -> Changes {
        let n_tiles = self.n / TILE;
        let is_drawn = |nearest: f32| nearest > f32::NEG_INFINITY;
        let is_changed = |row: usize, column: usize| {
            let tile = row * n_tiles + column;
            let [now, then] = [self.tiles[tile], before.tiles[tile]];
            now.to_bits() != then.to_bits()
                || is_drawn(now) && !self.has_tile_of(before, row * TILE * self.n + column * TILE)
        };
        Changes {
            rows: from_fn(|row| {
                let columns = 0..if row < n_tiles { n_tiles } else { 0 };
                columns.fold(0, |bits, column| {
                    bits | u64::from(is_changed(row, column)) << column
                })
            }),
        }
    }

    /// Returns true if the tile with this first pixel is the same on another map.
    fn has_tile_of(&self, other: &Self, first: usize) -> bool {
        (0..TILE).all(|row| {
            let start = first + row * self.n;
            let [own, its] = [self, other].map(|map| &map.nears[start..start + TILE]);
            own == its
        })
    }

    /// Returns true if certainly nothing in a part of the map is nearer than `near`.
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

    /// Visible share of the sun at a position whose filter reach is on the map.
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

    /// Mean over a square of `n_taps` pixels along each edge. The square is centred at the
    /// position, so the pixels at its border count in part.
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
