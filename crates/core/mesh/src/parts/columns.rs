//! A solid sampled in parallel columns, for comparison with its parts.

use nalgebra::{Matrix3, Vector3};

use super::triangle::Triangle;
use crate::body::Moments;

type Corners = Vec<[f64; 3]>;
/// Planes of a solid's faces: a normal, and the plane's offset along it.
type Planes = Vec<[f64; 4]>;

/// Approximate number of columns of a closed solid.
const N_COLUMNS: f64 = 16_000.0;
/// Largest number of columns along a side: limits long and thin solids.
const MOST_ALONG: usize = 512;
/// Position of a column in its cell, as fractions: slightly off the middle, so that columns do not
/// meet vertices and edges at round coordinates.
const OFFSET: [f64; 2] = [0.500_13, 0.500_37];
/// Number of cells along the longest side of the bounding box of an open surface.
const VOXELS: f64 = 96.0;

/// Columns along the x axis, each with its intervals inside the solid.
pub(super) struct Columns {
    min: [f64; 3],
    /// Distance between columns along y and z, m.
    apart_m: [f64; 2],
    n: [usize; 2],
    /// Triangles that each column may meet; `None` for an open surface.
    near: Option<Vec<Vec<Triangle>>>,
    inside: Vec<Vec<[f64; 2]>>,
}

impl Columns {
    /// Samples a closed surface that faces outwards, by its winding number.
    pub(super) fn of_closed(triangles: &[Triangle], min: [f64; 3], max: [f64; 3]) -> Self {
        let [across, up] = [max[1] - min[1], max[2] - min[2]];
        let cell_m = (across * up / N_COLUMNS).sqrt();
        let cell_m = cell_m.max(across.max(up) / MOST_ALONG as f64);
        let mut columns = Self::empty(min, max, cell_m);
        let mut near = vec![Vec::new(); columns.inside.len()];
        for triangle in triangles {
            let [low, high] = columns.range(triangle);
            for k in low[1]..=high[1] {
                for j in low[0]..=high[0] {
                    near[k * columns.n[0] + j].push(*triangle);
                }
            }
        }
        for (at, near) in near.iter().enumerate() {
            columns.inside[at] = wound(near, columns.stands(at));
        }
        columns.near = Some(near);
        columns
    }

    /// Samples any triangles. The inside is the space that cannot be reached from outside, and the
    /// surface itself, which is one cell thick.
    pub(super) fn of_open(triangles: &[Triangle], min: [f64; 3], max: [f64; 3]) -> Self {
        let longest = (0..3).map(|i| max[i] - min[i]).fold(1e-6, f64::max);
        let cell_m = longest / VOXELS;
        let mut columns = Self::empty(min, max, cell_m);
        let n_x = ((max[0] - min[0]) / cell_m).ceil().max(1.0) as usize;
        let [y, z] = columns.apart_m;
        let x = (max[0] - min[0]) / n_x as f64;
        let is_outside = outside(triangles, min, [x, y, z], [n_x, columns.n[0], columns.n[1]]);
        for (at, inside) in columns.inside.iter_mut().enumerate() {
            let row = &is_outside[at * n_x..(at + 1) * n_x];
            let mut from = None;
            for i in 0..=n_x {
                let is_in = row.get(i).is_some_and(|out| !out);
                let x = min[0] + i as f64 * x;
                match (is_in, from) {
                    (true, None) => from = Some(x),
                    (false, Some(start)) => {
                        inside.push([start, x]);
                        from = None;
                    }
                    _ => {}
                }
            }
        }
        columns
    }

    fn empty(min: [f64; 3], max: [f64; 3], cell_m: f64) -> Self {
        let along = |i: usize| ((max[i] - min[i]) / cell_m).ceil().max(1.0) as usize;
        let n = [along(1), along(2)];
        Self {
            min,
            apart_m: [0, 1].map(|i| (max[i + 1] - min[i + 1]) / n[i] as f64),
            n,
            near: None,
            inside: vec![Vec::new(); n[0] * n[1]],
        }
    }

    /// Returns y and z of a column, m.
    fn stands(&self, at: usize) -> [f64; 2] {
        let [j, k] = [at % self.n[0], at / self.n[0]];
        [
            self.min[1] + (j as f64 + OFFSET[0]) * self.apart_m[0],
            self.min[2] + (k as f64 + OFFSET[1]) * self.apart_m[1],
        ]
    }

    /// Returns the first and the last cell, each along y and z, of the points' bounding box.
    fn range(&self, points: &[[f64; 3]]) -> [[usize; 2]; 2] {
        let cell = |i: usize, x: f64| {
            let cell = ((x - self.min[i + 1]) / self.apart_m[i]).floor().max(0.0) as usize;
            cell.min(self.n[i] - 1)
        };
        let ends = |i: usize| {
            let along = || points.iter().map(|p| p[i + 1]);
            [
                cell(i, along().fold(f64::INFINITY, f64::min)),
                cell(i, along().fold(f64::NEG_INFINITY, f64::max)),
            ]
        };
        let [y, z] = [ends(0), ends(1)];
        [[y[0], z[0]], [y[1], z[1]]]
    }

    pub(super) fn volume_m3(&self) -> f64 {
        let length: f64 = self.inside.iter().flatten().map(|[a, b]| b - a).sum();
        length * self.apart_m[0] * self.apart_m[1]
    }

    /// Returns the mass distribution of the solid. Space inside several shells counts once.
    pub(super) fn moments(&self) -> Moments {
        let (mut volume, mut first, mut second) = (0.0, Vector3::zeros(), Matrix3::zeros());
        let [across, up] = self.apart_m;
        for (at, inside) in self.inside.iter().enumerate() {
            let [y, z] = self.stands(at);
            for [a, b] in inside {
                let middle = Vector3::new(0.5 * (a + b), y, z);
                let size = Vector3::new(b - a, across, up);
                let own = Matrix3::from_diagonal(&size.component_mul(&size)) / 12.0;
                volume += size.product();
                first += middle * size.product();
                second += (middle * middle.transpose() + own) * size.product();
            }
        }
        Moments::of(volume, first, second)
    }

    pub(super) fn volume_in_m3(&self, min: [f64; 3], max: [f64; 3]) -> f64 {
        let [low, high] = self.range(&[min, max]);
        let share = |i: usize, cell: usize| {
            let from = self.min[i + 1] + cell as f64 * self.apart_m[i];
            let to = (from + self.apart_m[i]).min(max[i + 1]);
            (to - from.max(min[i + 1])).max(0.0)
        };
        let mut sum = 0.0;
        for k in low[1]..=high[1] {
            let mut row = 0.0;
            for j in low[0]..=high[0] {
                let inside = self.inside[k * self.n[0] + j].iter();
                let length: f64 = inside
                    .map(|[a, b]| (b.min(max[0]) - a.max(min[0])).max(0.0))
                    .sum();
                row += length * share(0, j);
            }
            sum += row * share(1, k);
        }
        sum
    }

    pub(super) fn holds(&self, p: [f64; 3]) -> bool {
        let [[j, k], _] = self.range(&[p]);
        let at = k * self.n[0] + j;
        let is_in = |inside: &[[f64; 2]]| inside.iter().any(|[a, b]| (*a..=*b).contains(&p[0]));
        match &self.near {
            Some(near) => is_in(&wound(&near[at], [p[1], p[2]])),
            None => is_in(&self.inside[at]),
        }
    }

    /// Returns two volumes, m³: of the convex parts outside the solid, and of the solid outside the
    /// parts. A part is given by its vertices and its face planes.
    pub(super) fn differ_m3(&self, parts: &[(Corners, Planes)]) -> [f64; 2] {
        let mut filled: Vec<Vec<[f64; 2]>> = vec![Vec::new(); self.inside.len()];
        for (corners, planes) in parts {
            let [low, high] = self.range(corners);
            for k in low[1]..=high[1] {
                for j in low[0]..=high[0] {
                    let at = k * self.n[0] + j;
                    filled[at].extend(through(planes, self.stands(at)));
                }
            }
        }
        let [mut outside, mut missing] = [0.0; 2];
        for (filled, inside) in filled.into_iter().zip(&self.inside) {
            let filled = united(filled);
            let length = |list: &[[f64; 2]]| list.iter().map(|[a, b]| b - a).sum::<f64>();
            let pairs = filled
                .iter()
                .flat_map(|a| inside.iter().map(move |b| (a, b)));
            let common: f64 = pairs
                .map(|(a, b)| (a[1].min(b[1]) - a[0].max(b[0])).max(0.0))
                .sum();
            outside += length(&filled) - common;
            missing += length(inside) - common;
        }
        [outside, missing].map(|length| length.max(0.0) * self.apart_m[0] * self.apart_m[1])
    }
}

/// Intervals in which the line along x at [y, z] is inside closed triangles.
fn wound(triangles: &[Triangle], at: [f64; 2]) -> Vec<[f64; 2]> {
    let mut crossings: Vec<(f64, i32)> = triangles.iter().filter_map(|t| crossing(t, at)).collect();
    crossings.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    let (mut inside, mut turns) = (Vec::new(), 0);
    for pair in crossings.windows(2) {
        turns += pair[0].1;
        if turns > 0 && pair[1].0 > pair[0].0 {
            inside.push([pair[0].0, pair[1].0]);
        }
    }
    inside
}

/// Intersection of a line along x with a triangle: its x, and 1 on entry or -1 on exit.
fn crossing([a, b, c]: &Triangle, [y, z]: [f64; 2]) -> Option<(f64, i32)> {
    // Twice the areas of the triangles that the line forms with two vertices each.
    let side = |p: &[f64; 3], q: &[f64; 3]| (p[1] - y) * (q[2] - z) - (p[2] - z) * (q[1] - y);
    let areas = [side(b, c), side(c, a), side(a, b)];
    let is_left = areas.iter().all(|s| *s >= 0.0);
    let is_right = areas.iter().all(|s| *s <= 0.0);
    let sum: f64 = areas.iter().sum();
    if !(is_left || is_right) || sum == 0.0 {
        return None;
    }
    let x = (areas[0] * a[0] + areas[1] * b[0] + areas[2] * c[0]) / sum;
    // Counter-clockwise seen from +x: the normal points along x, so the line leaves.
    Some((x, if is_left { -1 } else { 1 }))
}

/// Interval in which the line along x at [y, z] is behind all planes.
fn through(planes: &[[f64; 4]], [y, z]: [f64; 2]) -> Option<[f64; 2]> {
    let [mut low, mut high] = [f64::NEG_INFINITY, f64::INFINITY];
    for [nx, ny, nz, d] in planes {
        let left = d - ny * y - nz * z;
        if *nx > 1e-9 {
            high = high.min(left / nx);
        } else if *nx < -1e-9 {
            low = low.max(left / nx);
        } else if left < 0.0 {
            return None;
        }
    }
    (low < high && low.is_finite() && high.is_finite()).then_some([low, high])
}

fn united(mut list: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    list.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut apart: Vec<[f64; 2]> = Vec::with_capacity(list.len());
    for [a, b] in list {
        match apart.last_mut() {
            Some(last) if a <= last[1] => last[1] = last[1].max(b),
            _ => apart.push([a, b]),
        }
    }
    apart
}

/// Cells that can be reached from outside without crossing a triangle, row by row along x.
fn outside(triangles: &[Triangle], min: [f64; 3], cell_m: [f64; 3], n: [usize; 3]) -> Vec<bool> {
    let index = |[i, j, k]: [usize; 3]| (k * n[1] + j) * n[0] + i;
    let mut is_wall = vec![false; n[0] * n[1] * n[2]];
    for [a, b, c] in triangles {
        let span =
            |p: &[f64; 3], q: &[f64; 3]| (0..3).map(|i| (p[i] - q[i]).abs()).fold(0.0, f64::max);
        let longest = span(a, b).max(span(b, c)).max(span(c, a));
        // Points are at most half a cell apart, so that the wall of cells has no gaps.
        let least = cell_m.into_iter().fold(f64::INFINITY, f64::min);
        let steps = (2.0 * longest / least).ceil().max(1.0) as usize;
        for u in 0..=steps {
            for v in 0..=steps - u {
                let [u, v] = [u, v].map(|x| x as f64 / steps as f64);
                let p = [0, 1, 2].map(|i| a[i] + u * (b[i] - a[i]) + v * (c[i] - a[i]));
                let cell = [0, 1, 2].map(|i| {
                    let cell = ((p[i] - min[i]) / cell_m[i]).floor().max(0.0) as usize;
                    cell.min(n[i] - 1)
                });
                is_wall[index(cell)] = true;
            }
        }
    }
    let mut is_outside = vec![false; is_wall.len()];
    let mut left: Vec<[usize; 3]> = Vec::new();
    let on_rim = |cell: [usize; 3]| (0..3).any(|i| cell[i] == 0 || cell[i] + 1 == n[i]);
    for k in 0..n[2] {
        for j in 0..n[1] {
            left.extend((0..n[0]).map(|i| [i, j, k]).filter(|cell| on_rim(*cell)));
        }
    }
    while let Some(cell) = left.pop() {
        let at = index(cell);
        if is_wall[at] || std::mem::replace(&mut is_outside[at], true) {
            continue;
        }
        for axis in 0..3 {
            let mut next = cell;
            if cell[axis] > 0 {
                next[axis] = cell[axis] - 1;
                left.push(next);
            }
            if cell[axis] + 1 < n[axis] {
                next[axis] = cell[axis] + 1;
                left.push(next);
            }
        }
    }
    is_outside
}
