//! Selects the plane that best cuts a piece of a solid in two.
//!
//! Of several planes across the coordinate axes, the best is the one whose two sides have the
//! smallest hulls. A hull is estimated from its extreme points in a few directions, which a single
//! sweep along an axis gives for all planes: thousands of exact hulls would take a minute.

use std::panic::{AssertUnwindSafe, catch_unwind};

use parry3d_f64::math::Vector;
use parry3d_f64::transformation::try_convex_hull;

use super::columns::Columns;
use super::piece::{Cut, Piece};
use super::triangle::{crossings, faces_up, normal, ordered};

/// Number of directions for the estimate of hulls, spread over a sphere.
const N_SPREAD: usize = 42;
/// Number of planes at equal distances along an axis.
const N_EVEN: usize = 7;
/// Largest number of planes across an axis that lie in faces: those of the largest faces.
const N_FACES: usize = 6;
/// Number of slices along an axis; the areas of faces across it are summed in each slice.
const N_SLICES: usize = 64;
/// Least component of a face's unit normal along an axis for the face to count as across that axis.
const ACROSS: f64 = 0.97;
/// Smallest area of a face in which a cut may lie, as a fraction of the area of all faces.
const LEAST_FACE: f64 = 0.01;
/// Smallest distance of a cut in a face from either end of the piece, as a fraction of its length.
const THINNEST: f64 = 0.03;
/// Cost of a cut that leaves nothing on one side, as a fraction of the volume of the piece's hull.
/// It favours cuts in the middle, after which later cuts gain more.
const UNEVEN: f64 = 0.04;

fn directions() -> Vec<[f64; 3]> {
    let golden = std::f64::consts::PI * (5f64.sqrt() - 1.0);
    let spread = (0..N_SPREAD).map(|i| {
        let z = 1.0 - 2.0 * (i as f64 + 0.5) / N_SPREAD as f64;
        let (sin, cos) = (golden * i as f64).sin_cos();
        let r = (1.0 - z * z).sqrt();
        [r * cos, r * sin, z]
    });
    let axes = (0..6).map(|i| [0, 1, 2].map(|axis| f64::from(axis == i / 2) * [1.0, -1.0][i % 2]));
    spread.chain(axes).collect()
}

/// The extreme points in each direction.
#[derive(Clone)]
struct Furthest(Vec<(f64, [f64; 3])>);

impl Furthest {
    fn none(n: usize) -> Self {
        Self(vec![(f64::NEG_INFINITY, [0.0; 3]); n])
    }

    fn take(&mut self, p: [f64; 3], directions: &[[f64; 3]]) {
        for (best, d) in self.0.iter_mut().zip(directions) {
            let reach = p[0] * d[0] + p[1] * d[1] + p[2] * d[2];
            if reach > best.0 {
                *best = (reach, p);
            }
        }
    }

    fn join(&mut self, other: &Self) {
        for (best, new) in self.0.iter_mut().zip(&other.0) {
            if new.0 > best.0 {
                *best = *new;
            }
        }
    }

    fn volume(&self) -> f64 {
        let known = self.0.iter().filter(|(reach, _)| reach.is_finite());
        hull_volume_of(known.map(|(_, p)| *p).collect())
    }
}

impl Piece {
    /// Computes the volumes and the best cut.
    pub(super) fn weighed(mut self, columns: &Columns) -> Self {
        self.corners = self.box_corners(columns);
        self.hull_m3 = estimate(&self);
        self.solid_m3 = columns.volume_in_m3(self.min, self.max);
        self.best = best(&self, columns);
        self
    }

    /// Returns both sides of the best cut, evaluated on two threads; `None` if one is empty.
    pub(super) fn halves(&self, columns: &Columns) -> Option<[Self; 2]> {
        let [below, above] = self.sides(self.best?)?;
        Some(std::thread::scope(|scope| {
            let other = scope.spawn(|| above.weighed(columns));
            let below = below.weighed(columns);
            match other.join() {
                Ok(above) => [below, above],
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }))
    }
}

fn best(piece: &Piece, columns: &Columns) -> Option<Cut> {
    let all = (0..3).flat_map(|axis| along(piece, columns, axis));
    all.min_by(|a, b| a.cost.total_cmp(&b.cost))
}

fn estimate(piece: &Piece) -> f64 {
    let directions = scaled(piece.bounds());
    let mut furthest = Furthest::none(directions.len());
    let points = piece.triangles.iter().flatten().chain(&piece.corners);
    points.for_each(|p| furthest.take(*p, &directions));
    furthest.volume()
}

/// Directions spread evenly after scaling the box to a cube.
fn scaled([low, high]: [[f64; 3]; 2]) -> Vec<[f64; 3]> {
    let scale = [0, 1, 2].map(|i| 1.0 / (high[i] - low[i]).max(1e-9));
    let all = directions().into_iter();
    all.map(|d| [0, 1, 2].map(|i| d[i] * scale[i])).collect()
}

fn along(piece: &Piece, columns: &Columns, axis: usize) -> Vec<Cut> {
    let planes = planes(piece, axis);
    let n = planes.len();
    let directions = scaled(piece.bounds());
    let none = Furthest::none(directions.len());
    // After the joins below, `from[i]` has the extreme points of the triangles wholly below plane
    // i, `up_to[i + 1]` those of the triangles wholly above it, and `beside[i]` those of the
    // triangles that it cuts, below and above it.
    let mut from = vec![none.clone(); n + 1];
    let mut up_to = vec![none.clone(); n + 1];
    let mut beside = vec![[none.clone(), none.clone()]; n];
    let thin = piece.thin_m();
    for triangle in &piece.triangles {
        let [bottom, top] = ordered(triangle.map(|p| p[axis]));
        let first_above = planes.partition_point(|at| *at < top - thin);
        let n_below = planes.partition_point(|at| *at <= bottom + thin);
        let lies_in = (first_above..n_below).next();
        // A face in a plane belongs to the side where the solid is.
        let (first, last) = match lies_in {
            Some(i) if faces_up(triangle, axis) => (i, i),
            Some(i) => (i + 1, i + 1),
            None => (first_above, n_below),
        };
        for p in triangle {
            from[first].take(*p, &directions);
            up_to[last].take(*p, &directions);
        }
        for i in n_below..first_above {
            for p in triangle {
                beside[i][usize::from(p[axis] > planes[i])].take(*p, &directions);
            }
            for p in crossings(triangle, axis, planes[i]) {
                beside[i]
                    .iter_mut()
                    .for_each(|side| side.take(p, &directions));
            }
        }
    }
    for i in 1..=n {
        let before = from[i - 1].clone();
        from[i].join(&before);
    }
    for i in (0..n).rev() {
        let after = up_to[i + 1].clone();
        up_to[i].join(&after);
    }
    let whole = columns.volume_in_m3(piece.min, piece.max).max(1e-15);
    let cut = |(i, at): (usize, &f64)| {
        let mut below = from[i].clone();
        let mut above = up_to[i + 1].clone();
        below.join(&beside[i][0]);
        above.join(&beside[i][1]);
        for (side, points) in [&mut below, &mut above]
            .into_iter()
            .zip(piece.corners_at(axis, *at, columns))
        {
            points.iter().for_each(|p| side.take(*p, &directions));
        }
        let mut end = piece.max;
        end[axis] = *at;
        let share = columns.volume_in_m3(piece.min, end) / whole;
        let hulls = below.volume() + above.volume();
        let cost = hulls + UNEVEN * piece.hull_m3 * (2.0 * share - 1.0).abs();
        (hulls > 0.0).then_some(Cut {
            axis,
            at: *at,
            cost,
        })
    };
    planes.iter().enumerate().filter_map(cut).collect()
}

/// Positions at which a piece may be cut across an axis, ascending.
fn planes(piece: &Piece, axis: usize) -> Vec<f64> {
    let [low, high] = piece.bounds().map(|p| p[axis]);
    let long = high - low;
    if long < 1e-4 {
        return Vec::new();
    }
    let mut slices = [[0.0f64; 2]; N_SLICES];
    let mut all = 0.0;
    for [a, b, c] in &piece.triangles {
        let normal = normal(&[*a, *b, *c]);
        let area = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
        all += area;
        if normal[axis].abs() > ACROSS * area {
            let middle = (a[axis] + b[axis] + c[axis]) / 3.0;
            let slice = ((middle - low) / long * N_SLICES as f64).floor().max(0.0) as usize;
            let slice = &mut slices[slice.min(N_SLICES - 1)];
            slice[0] += area;
            slice[1] += area * middle;
        }
    }
    let mut faces: Vec<[f64; 2]> = slices
        .into_iter()
        .filter(|s| s[0] > LEAST_FACE * all)
        .collect();
    faces.sort_by(|a, b| b[0].total_cmp(&a[0]));
    let faces = faces.iter().map(|[area, moment]| moment / area);
    let is_inside = |at: &f64| (*at - low).min(high - at) > THINNEST * long;
    let mut planes: Vec<f64> = faces.filter(is_inside).take(N_FACES).collect();
    let spread = (1..=N_EVEN).map(|i| low + long * i as f64 / (N_EVEN + 1) as f64);
    let near_face = |at: f64| planes.iter().any(|face| (face - at).abs() < 0.02 * long);
    let spread: Vec<f64> = spread.filter(|at| !near_face(*at)).collect();
    planes.extend(spread);
    planes.sort_by(f64::total_cmp);
    planes
}

/// Volume of the hull of a few points; 0 if there is none.
fn hull_volume_of(mut points: Vec<[f64; 3]>) -> f64 {
    points.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    points.dedup();
    if points.len() < 4 {
        return 0.0;
    }
    let points: Vec<Vector> = points.into_iter().map(Vector::from).collect();
    // Parry asserts in some degenerate cases.
    let hull = catch_unwind(AssertUnwindSafe(|| try_convex_hull(&points)));
    let Ok(Ok((corners, triangles))) = hull else {
        return 0.0;
    };
    let Some(&first) = corners.first() else {
        return 0.0;
    };
    let six = triangles.iter().map(|t| {
        let [a, b, c] = t.map(|i| corners[i as usize] - first);
        a.dot(b.cross(c))
    });
    six.sum::<f64>().abs() / 6.0
}
