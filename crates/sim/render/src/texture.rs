//! Precomputed patterns with one lookup per pixel.

use std::array::from_fn;
use std::sync::OnceLock;

/// Number of texels of a pattern, a power of two: few enough to stay in a core's own cache.
const N_TEXELS: usize = 1 << 16;
/// Length in World of one repetition, m.
const REPEATS_M: f32 = 1.28;
/// Brightness of the bytes 0 and 255.
const DARKEST: f32 = 0.70;
const BRIGHTEST: f32 = 1.15;
const N_TOGETHER: usize = 16;

#[derive(Debug)]
pub(crate) struct Pattern {
    /// Each texel with its neighbours in x, in y and in both, one byte each from the lowest, so
    /// that one lookup gives all four. They are stored in squares of 4 x 4, so that neighbouring
    /// pixels need few cache lines in any direction.
    quads: Box<[u32; N_TEXELS]>,
    /// Texels in x and in y, powers of two.
    n: [u32; 2],
}

impl Pattern {
    /// Wood grain, which changes slowly along y.
    pub(crate) fn wood() -> &'static Self {
        static WOOD: OnceLock<Pattern> = OnceLock::new();
        WOOD.get_or_init(|| Self::new(512, grain))
    }

    pub(crate) fn concrete() -> &'static Self {
        static CONCRETE: OnceLock<Pattern> = OnceLock::new();
        CONCRETE.get_or_init(|| Self::new(256, speckle))
    }

    fn new(n_in_x: u32, value: fn(f32, f32) -> f32) -> Self {
        let n = [n_in_x, N_TEXELS as u32 / n_in_x];
        let byte = |i: u32, j: u32| {
            let bright = value(i as f32 / n[0] as f32, j as f32 / n[1] as f32);
            ((bright - DARKEST) / (BRIGHTEST - DARKEST) * 255.0 + 0.5) as u8
        };
        let bytes = (0..n[1]).flat_map(|j| (0..n[0]).map(move |i| byte(i, j)));
        let bytes: Vec<u8> = bytes.collect();
        let at = |i: u32, j: u32| bytes[((j % n[1]) * n[0] + i % n[0]) as usize];
        let mut quads = Box::new([0; N_TEXELS]);
        for (i, j) in (0..n[1]).flat_map(|j| (0..n[0]).map(move |i| (i, j))) {
            let quad = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
            quads[idx(i, j, n[0]) as usize] = u32::from_le_bytes(quad);
        }
        Self { quads, n }
    }

    /// Writes the brightness at points of World, about 1.
    #[inline(always)]
    pub(crate) fn find(&self, brights: &mut [f32], xs: &[f32], ys: &[f32]) {
        let (brights, last_brights) = brights.as_chunks_mut::<N_TOGETHER>();
        let (xs, last_xs) = xs.as_chunks::<N_TOGETHER>();
        let (ys, last_ys) = ys.as_chunks::<N_TOGETHER>();
        for (bright, (x, y)) in brights.iter_mut().zip(xs.iter().zip(ys)) {
            *bright = self.at(x, y);
        }
        for (bright, (x, y)) in last_brights.iter_mut().zip(last_xs.iter().zip(last_ys)) {
            [*bright] = self.at(&[*x], &[*y]);
        }
    }

    /// Brightness interpolated between the four nearest texels of each point.
    #[inline(always)]
    fn at<const M: usize>(&self, xs: &[f32; M], ys: &[f32; M]) -> [f32; M] {
        let [nx, ny] = self.n;
        let ((is, from_i), (js, from_j)) = (places(xs, nx), places(ys, ny));
        let at: [u32; M] = from_fn(|k| idx(is[k], js[k], nx));
        let quads = at.map(|at| self.quads[at as usize & (N_TEXELS - 1)]);
        from_fn(|k| {
            let byte = |i: u32| (quads[k] >> (8 * i) & 0xff) as i32 as f32;
            let (a, b, c, d) = (byte(0), byte(1), byte(2), byte(3));
            let (low, high) = (a + (b - a) * from_i[k], c + (d - c) * from_i[k]);
            let between = low + (high - low) * from_j[k];
            DARKEST + (BRIGHTEST - DARKEST) / 255.0 * between
        })
    }
}

/// Index of a texel in the list, for `i` and `j` below the numbers of texels.
#[inline(always)]
fn idx(i: u32, j: u32, n_in_x: u32) -> u32 {
    (j & !3).wrapping_mul(n_in_x) | (i & !3) << 2 | (j & 3) << 2 | i & 3
}

/// The texels before World coordinates, and the fractions towards the next ones.
#[inline(always)]
fn places<const M: usize>(coordinates: &[f32; M], n: u32) -> ([u32; M], [f32; M]) {
    // Adding this to a small number leaves the nearest integer in the lowest bits.
    const TO_INTEGER: f32 = 12_582_912.0;
    let scale = n as f32 / REPEATS_M;
    let shifted = coordinates.map(|c| c * scale - 0.5 + TO_INTEGER);
    // `n` is a power of two, so the mask repeats the pattern also below zero.
    let texels = shifted.map(|s| s.to_bits() & (n - 1));
    let fractions = from_fn(|k| coordinates[k] * scale - (shifted[k] - TO_INTEGER));
    (texels, fractions)
}

/// Brightness, about 1, of planks along v with wandering rings; `u` and `v` are 0 to 1.
fn grain(u: f32, v: f32) -> f32 {
    const N_PLANKS: f32 = 8.0;
    let plank = (u * N_PLANKS).floor();
    let across = u * N_PLANKS - plank;
    let shade = 0.06 * (hash(plank as i32, 7) - 0.5);
    let wander = noise(u * 4.0, v * 3.0, [4, 3]) + 0.4 * noise(u * 16.0, v * 8.0, [16, 8]);
    let rings = (across * 9.0 + 2.5 * wander + 5.0 * hash(plank as i32, 3)).sin();
    let fibre = noise(u * 256.0, v * 16.0, [256, 16]) - 0.5;
    let seam = if across < 0.018 { -0.16 } else { 0.0 };
    1.0 + shade + 0.035 * rings + 0.05 * fibre + seam
}

fn speckle(u: f32, v: f32) -> f32 {
    let large = noise(u * 6.0, v * 6.0, [6, 6]) - 0.5;
    let small = noise(u * 96.0, v * 96.0, [96, 96]) - 0.5;
    1.0 + 0.05 * large + 0.012 * small
}

/// Smooth noise in 0..1 on a lattice that repeats after `period` cells.
fn noise(x: f32, y: f32, period: [i32; 2]) -> f32 {
    let (i, j) = (x.floor() as i32, y.floor() as i32);
    let ease = |t: f32| t * t * (3.0 - 2.0 * t);
    let (tx, ty) = (ease(x - x.floor()), ease(y - y.floor()));
    let at = |i: i32, j: i32| hash(i.rem_euclid(period[0]), j.rem_euclid(period[1]));
    let row = |j: i32| at(i, j) + (at(i + 1, j) - at(i, j)) * tx;
    row(j) + (row(j + 1) - row(j)) * ty
}

/// A number in 0..1 for a lattice point (the finaliser of MurmurHash3).
fn hash(i: i32, j: i32) -> f32 {
    let mut h = (i as u32).wrapping_mul(0x9e37_79b1) ^ (j as u32).wrapping_mul(0x85eb_ca77);
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    ((h ^ (h >> 16)) & 0x00ff_ffff) as f32 / 16_777_216.0
}
