//! Patterns, computed once: a picture looks a value up for each pixel.

use std::sync::OnceLock;

/// Pixels along each edge.
const N: usize = 512;
/// Length of World that one repetition covers, m.
const REPEATS_M: f32 = 1.28;

/// How bright wood is at a point of World, about 1.
pub(crate) fn wood(x: f32, y: f32) -> f32 {
    static WOOD: OnceLock<Vec<f32>> = OnceLock::new();
    sample(WOOD.get_or_init(|| pattern(grain)), x, y)
}

/// How bright a floor is at a point of World, about 1.
pub(crate) fn concrete(x: f32, y: f32) -> f32 {
    static CONCRETE: OnceLock<Vec<f32>> = OnceLock::new();
    sample(CONCRETE.get_or_init(|| pattern(speckle)), x, y)
}

fn pattern(value: fn(f32, f32) -> f32) -> Vec<f32> {
    let at = |i: usize| i as f32 / N as f32;
    (0..N * N).map(|i| value(at(i % N), at(i / N))).collect()
}

/// Between the four nearest values; the pattern repeats.
fn sample(values: &[f32], x: f32, y: f32) -> f32 {
    let place = |at: f32| {
        let at = (at / REPEATS_M).rem_euclid(1.0) * N as f32;
        (at as usize % N, (at as usize + 1) % N, at.fract())
    };
    let ((x0, x1, tx), (y0, y1, ty)) = (place(x), place(y));
    let row = |y: usize| {
        let (a, b) = (values[y * N + x0], values[y * N + x1]);
        a + (b - a) * tx
    };
    let (low, high) = (row(y0), row(y1));
    low + (high - low) * ty
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
