//! Patterns, computed once: a picture looks a value up for each pixel.

use std::sync::OnceLock;

/// Pixels along each edge.
const N: usize = 512;
/// Length of World that one repetition covers, m.
const REPEATS_M: f32 = 1.28;

/// A pattern that repeats.
#[derive(Debug)]
pub(crate) struct Pattern {
    values: Vec<f32>,
}

impl Pattern {
    /// The grain of wood.
    pub(crate) fn wood() -> &'static Self {
        static WOOD: OnceLock<Pattern> = OnceLock::new();
        WOOD.get_or_init(|| Self::new(grain))
    }

    /// A floor.
    pub(crate) fn concrete() -> &'static Self {
        static CONCRETE: OnceLock<Pattern> = OnceLock::new();
        CONCRETE.get_or_init(|| Self::new(speckle))
    }

    fn new(value: fn(f32, f32) -> f32) -> Self {
        let at = |i: usize| i as f32 / N as f32;
        let values = (0..N * N).map(|i| value(at(i % N), at(i / N)));
        Self {
            values: values.collect(),
        }
    }

    /// How bright it is at a point of World, about 1: between the four nearest values.
    #[inline]
    pub(crate) fn at(&self, x: f32, y: f32) -> f32 {
        let ([x0, x1], tx) = place(x);
        let ([y0, y1], ty) = place(y);
        // A slice of known length and indices below it need no check.
        let Some(values) = self.values.first_chunk::<{ N * N }>() else {
            return 1.0;
        };
        let row = |y: usize| {
            let at = |x: usize| values[(y * N + x) & (N * N - 1)];
            let (a, b) = (at(x0), at(x1));
            a + (b - a) * tx
        };
        let (low, high) = (row(y0), row(y1));
        low + (high - low) * ty
    }
}

/// The pixels before and after a coordinate of World, and how far it is between them.
#[inline]
fn place(at: f32) -> ([usize; 2], f32) {
    // Added to a small number, it leaves its nearest integer in the lowest bits.
    const TO_INTEGER: f32 = 12_582_912.0;
    let at = at * (N as f32 / REPEATS_M);
    let shifted = at - 0.5 + TO_INTEGER;
    let below = shifted.to_bits() as usize;
    // N is a power of two, so that this repeats below zero, too.
    (
        [below & (N - 1), (below + 1) & (N - 1)],
        at - (shifted - TO_INTEGER),
    )
}

/// Planks along v with rings that wander; `u`, `v` and what it repeats over are 0 to 1.
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
