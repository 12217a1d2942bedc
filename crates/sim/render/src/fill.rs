//! Rasterisation of a triangle into rows of pixels.

use std::array::from_fn;
use std::ops::Range;

/// Number of pixels that are compared at once. Every grid ends with this number of additional
/// pixels, which are not shown.
pub(crate) const MARGIN: usize = 8;

/// First pixel of each block of a row.
#[inline]
fn firsts() -> impl Iterator<Item = i32> {
    (0..).step_by(MARGIN)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl Size {
    pub(crate) fn n(self) -> usize {
        self.width * self.height
    }
}

#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
pub(crate) struct Corner {
    /// Column and row, from the upper left corner of the picture: the centre of the first pixel is
    /// at 0.5.
    pub(crate) at: [f32; 2],
    /// Nearness: larger for nearer points, and linear on the grid.
    pub(crate) near: f32,
}

/// The pixels of a triangle in one row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) y: usize,
    pub(crate) xs: Range<usize>,
    /// `near` at the first pixel, and its increment per pixel.
    first: f32,
    step: f32,
    /// Range of the corners' values. It bounds the rounding errors of a thin triangle.
    range: [f32; 2],
}

impl Row {
    /// Updates a grid of `width` columns, with a [`MARGIN`] at its end, where this row is nearer.
    #[inline]
    pub(crate) fn draw(&self, width: usize, nears: &mut [f32]) {
        for (first, theres) in firsts().zip(self.blocks(width, nears)) {
            *theres = self.nearest(first, theres);
        }
    }

    /// Updates a grid like [`Row::draw`], and stores `id` where this row is nearer.
    #[inline]
    pub(crate) fn draw_as(&self, id: u32, width: usize, nears: &mut [f32], ids: &mut [u32]) {
        let blocks = self.blocks(width, nears).iter_mut();
        let blocks = blocks.zip(self.blocks(width, ids));
        for (first, (theres, ids)) in firsts().zip(blocks) {
            let nearest = self.nearest(first, theres);
            *ids = from_fn(|i| if nearest[i] > theres[i] { id } else { ids[i] });
            *theres = nearest;
        }
    }

    /// The row's pixels, rounded up to a multiple of a block: most rows are short, and whole blocks
    /// cost less than a loop that ends with the row.
    #[inline]
    fn blocks<'a, T>(&self, width: usize, grid: &'a mut [T]) -> &'a mut [[T; MARGIN]] {
        let start = self.y * width + self.xs.start;
        let n = self.xs.len().next_multiple_of(MARGIN);
        grid[start..start + n].as_chunks_mut().0
    }

    /// The nearest values of a block, without a branch, so that the compiler can vectorise it.
    #[inline]
    fn nearest(&self, first: i32, theres: &[f32; MARGIN]) -> [f32; MARGIN] {
        let n = self.xs.len() as i32;
        from_fn(|i| {
            let at = first.wrapping_add(i as i32);
            let near = if at < n {
                self.near(at)
            } else {
                f32::NEG_INFINITY
            };
            if near > theres[i] { near } else { theres[i] }
        })
    }

    #[inline]
    fn near(&self, i: i32) -> f32 {
        let near = self.first + self.step * i as f32;
        let near = if near > self.range[0] {
            near
        } else {
            self.range[0]
        };
        if near < self.range[1] {
            near
        } else {
            self.range[1]
        }
    }
}

/// Gradients of values over a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slopes {
    origin: [f32; 2],
    to_b: [f32; 2],
    to_c: [f32; 2],
    one_by_area: f32,
}

impl Slopes {
    pub(crate) fn new([a, b, c]: &[Corner; 3]) -> Self {
        let to = |p: &Corner| [p.at[0] - a.at[0], p.at[1] - a.at[1]];
        let (to_b, to_c) = (to(b), to(c));
        Self {
            origin: a.at,
            to_b,
            to_c,
            one_by_area: 1.0 / cross(to_b, to_c),
        }
    }

    /// Increments per column and per row of a value that grows by `b` and `c` from the first corner
    /// to the others.
    pub(crate) fn of(&self, b: f32, c: f32) -> [f32; 2] {
        [
            (b * self.to_c[1] - c * self.to_b[1]) * self.one_by_area,
            (c * self.to_b[0] - b * self.to_c[0]) * self.one_by_area,
        ]
    }
}

fn cross(a: [f32; 2], b: [f32; 2]) -> f32 {
    a[0] * b[1] - a[1] * b[0]
}

/// Twice the area of a triangle; positive if its corners run clockwise (y points down).
pub(crate) fn twice_area([a, b, c]: &[Corner; 3]) -> f32 {
    let to = |p: &Corner| [p.at[0] - a.at[0], p.at[1] - a.at[1]];
    cross(to(b), to(c))
}

pub(crate) fn is_beside(size: Size, corners: &[Corner; 3]) -> bool {
    let beyond = |axis: usize, n: usize| {
        let n = n as i32 as f32;
        corners.iter().all(|c| c.at[axis] < 0.0) || corners.iter().all(|c| c.at[axis] > n)
    };
    beyond(0, size.width) || beyond(1, size.height)
}

/// Calls `put` for every row of a triangle, with all pixels whose centre is inside. Neighbouring
/// triangles share an edge without gaps and without duplicate pixels.
#[inline]
pub(crate) fn fill(size: Size, corners: &[Corner; 3], mut put: impl FnMut(&Row)) {
    let [top, middle, bottom] = from_above(corners);
    let starts = [top, middle, bottom].map(|c| first_middle(c.at[1], size.height));
    if starts[0] >= starts[2] {
        return;
    }
    let slopes = Slopes::new(&[top, middle, bottom]);
    if !slopes.one_by_area.is_finite() {
        return;
    }
    let by = slopes.of(middle.near - top.near, bottom.near - top.near);
    let nears = [top.near, middle.near, bottom.near];
    let range = [
        nears[0].min(nears[1]).min(nears[2]),
        nears[0].max(nears[1]).max(nears[2]),
    ];
    let is_middle_left = slopes.one_by_area < 0.0;
    let long = Edge::new(&top, &bottom);
    let halves = [
        (starts[0]..starts[1], Edge::new(&top, &middle)),
        (starts[1]..starts[2], Edge::new(&middle, &bottom)),
    ];
    for (rows, short) in halves {
        let [left, right] = if is_middle_left {
            [short, long]
        } else {
            [long, short]
        };
        for y in rows {
            let at_y = y as i32 as f32 + 0.5;
            let [start, end] = [left, right].map(|edge| first_middle(edge.x(at_y), size.width));
            let xs = start..end;
            if xs.start < xs.end {
                let [dx, dy] = [
                    xs.start as i32 as f32 + 0.5 - slopes.origin[0],
                    at_y - slopes.origin[1],
                ];
                put(&Row {
                    y,
                    first: top.near + by[0] * dx + by[1] * dy,
                    step: by[0],
                    range,
                    xs,
                });
            }
        }
    }
}

fn from_above(corners: &[Corner; 3]) -> [Corner; 3] {
    let [mut a, mut b, mut c] = *corners;
    if b.at[1] < a.at[1] {
        (a, b) = (b, a);
    }
    if c.at[1] < b.at[1] {
        (b, c) = (c, b);
    }
    if b.at[1] < a.at[1] {
        (a, b) = (b, a);
    }
    [a, b, c]
}

/// The first pixel of `n` whose centre is not before `at`.
#[inline]
fn first_middle(at: f32, n: usize) -> usize {
    // Adding this to a small number leaves the nearest integer in the lowest bits.
    const TO_INTEGER: f32 = 8_388_608.0;
    let (at, n) = (at - 0.5, n as i32 as f32);
    let at = if at > 0.0 { at } else { 0.0 };
    let at = if at < n { at } else { n };
    let shifted = at + TO_INTEGER;
    let nearest = shifted.to_bits() - TO_INTEGER.to_bits();
    (nearest + u32::from(shifted - TO_INTEGER < at)) as usize
}

/// Edge from its upper to its lower corner; both triangles that share the edge get equal values.
#[derive(Clone, Copy)]
struct Edge {
    top: [f32; 2],
    slope: f32,
}

impl Edge {
    fn new(top: &Corner, bottom: &Corner) -> Self {
        let [dx, dy] = [0, 1].map(|i| bottom.at[i] - top.at[i]);
        Self {
            top: top.at,
            slope: dx / dy,
        }
    }

    #[inline]
    fn x(&self, y: f32) -> f32 {
        self.top[0] + (y - self.top[1]) * self.slope
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds a triangle mesh over the whole grid, with randomly displaced corners.
    fn net(n: usize, cell: f32) -> Vec<[Corner; 3]> {
        let at = |i: usize, j: usize| {
            let shake = |k: usize| (((i * 31 + j * 17 + k) * 7919) % 97) as f32 / 97.0 - 0.5;
            let inner = |i: usize| i > 0 && i < n;
            let move_by = |k: usize| {
                if inner(i) && inner(j) {
                    0.6 * cell * shake(k)
                } else {
                    0.0
                }
            };
            Corner {
                at: [i as f32 * cell + move_by(0), j as f32 * cell + move_by(5)],
                near: 1.0 + 0.01 * (i as f32) + 0.02 * (j as f32),
            }
        };
        let cells = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        cells
            .flat_map(|(i, j)| {
                let [p, q, r, s] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                [[p, q, r], [p, r, s]]
            })
            .collect()
    }

    #[test]
    fn triangles_that_share_edges_cover_every_pixel_once() {
        let size = Size {
            width: 60,
            height: 60,
        };
        for cell in [0.4_f32, 3.0, 7.5] {
            let n = (60.0 / cell).round() as usize;
            let mut count = vec![0; size.n()];
            for triangle in net(n, cell) {
                fill(size, &triangle, |row| {
                    for x in row.xs.clone() {
                        count[row.y * size.width + x] += 1;
                    }
                });
            }
            let wrong = count.iter().filter(|n| **n != 1).count();
            assert_eq!(
                wrong, 0,
                "cells of {cell} pixels: {wrong} pixels are not covered exactly once"
            );
        }
    }

    #[test]
    fn the_nearest_is_kept_and_values_are_those_of_the_plane() {
        let size = Size {
            width: 40,
            height: 30,
        };
        let corner = |x: f32, y: f32, near: f32| Corner { at: [x, y], near };
        let plane = |x: f32, y: f32| 1.0 + 0.02 * x + 0.03 * y;
        let of_plane = |x: f32, y: f32| corner(x, y, plane(x, y));
        let mut nears = vec![0.0; size.n() + MARGIN];
        let mut ids = vec![0; size.n() + MARGIN];
        let triangles = [
            [
                corner(-5.0, -5.0, 0.5),
                corner(90.0, -5.0, 0.5),
                corner(-5.0, 90.0, 0.5),
            ],
            [
                of_plane(3.0, 2.0),
                of_plane(35.0, 10.0),
                of_plane(8.0, 28.0),
            ],
            [
                corner(-5.0, -5.0, 0.1),
                corner(90.0, -5.0, 0.1),
                corner(-5.0, 90.0, 0.1),
            ],
        ];
        for (id, triangle) in (1..).zip(&triangles) {
            fill(size, triangle, |row| {
                row.draw_as(id, size.width, &mut nears, &mut ids);
            });
        }
        let at = |x: usize, y: usize| y * size.width + x;
        assert_eq!((ids[at(1, 1)], nears[at(1, 1)]), (1, 0.5));
        assert_eq!(ids[at(15, 12)], 2);
        let expected = plane(15.5, 12.5);
        assert!((nears[at(15, 12)] - expected).abs() < 1e-5);
        assert!(!ids.contains(&3), "the hidden triangle must not be drawn");
    }
}
