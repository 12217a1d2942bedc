//! Triangles as three points: their intersection with planes across an axis, and their yaw.

use nalgebra::Vector3;

pub(super) type Triangle = [[f64; 3]; 3];

/// Normal of a triangle, with twice its area as length.
pub(super) fn normal([a, b, c]: &Triangle) -> [f64; 3] {
    let [u, v] = [b, c].map(|p| Vector3::from(*p) - Vector3::from(*a));
    u.cross(&v).into()
}

pub(super) fn faces_up(triangle: &Triangle, axis: usize) -> bool {
    normal(triangle)[axis] > 0.0
}

fn between(p: &[f64; 3], q: &[f64; 3], axis: usize, at: f64) -> [f64; 3] {
    let share = (at - p[axis]) / (q[axis] - p[axis]);
    let mut there = [0, 1, 2].map(|i| p[i] + share * (q[i] - p[i]));
    there[axis] = at;
    there
}

/// Points at which the edges of a triangle cross a plane.
pub(super) fn crossings(
    triangle: &Triangle,
    axis: usize,
    at: f64,
) -> impl Iterator<Item = [f64; 3]> {
    let [a, b, c] = *triangle;
    let edges = [[a, b], [b, c], [c, a]].into_iter();
    edges
        .filter(move |[p, q]| (p[axis] < at) != (q[axis] < at))
        .map(move |[p, q]| between(&p, &q, axis, at))
}

/// Triangles of the part of a triangle below a plane (`side` 1), or above it (`side` -1).
pub(super) fn clipped(triangle: &Triangle, axis: usize, at: f64, side: f64) -> Vec<Triangle> {
    let mut corners: Vec<[f64; 3]> = Vec::with_capacity(4);
    for i in 0..3 {
        let (p, q) = (triangle[i], triangle[(i + 1) % 3]);
        if side * (at - p[axis]) >= 0.0 {
            corners.push(p);
        }
        if (p[axis] - at) * (q[axis] - at) < 0.0 {
            corners.push(between(&p, &q, axis, at));
        }
    }
    let fan = 1..corners.len().saturating_sub(1);
    fan.map(|i| [corners[0], corners[i], corners[i + 1]])
        .collect()
}

pub(super) fn ordered([a, b, c]: [f64; 3]) -> [f64; 2] {
    [a.min(b).min(c), a.max(b).max(c)]
}

/// Number of equal steps into which a quarter turn is divided, to try the angles between them.
const N_TURNS: usize = 18;
/// Least improvement, as a factor, for which a solid is turned.
const WORTH: f64 = 1.05;

/// Rotation about z, rad, with which the most face area is parallel to the axes; 0 if it improves
/// little.
pub(super) fn yaw(triangles: &[Triangle]) -> f64 {
    let normals: Vec<[f64; 3]> = triangles.iter().map(normal).collect();
    let along = |yaw: f64| -> f64 {
        let of = |n: &[f64; 3]| {
            let area = n.iter().map(|x| x * x).sum::<f64>().sqrt();
            let [x, y, _] = turned(*n, -yaw).map(|x| x.abs() / area.max(1e-30));
            area * x.max(y).powi(12)
        };
        normals.iter().map(of).sum()
    };
    let step = std::f64::consts::FRAC_PI_2 / N_TURNS as f64;
    let tried = (1..N_TURNS).map(|i| i as f64 * step);
    let best = tried
        .map(|yaw| (along(yaw), yaw))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((_, near)) = best else { return 0.0 };
    let (mut low, mut high) = (near - step, near + step);
    while high - low > 1e-5 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if along(a) > along(b) {
            high = b;
        } else {
            low = a;
        }
    }
    let found = 0.5 * (low + high);
    if along(found) > WORTH * along(0.0) {
        found
    } else {
        0.0
    }
}

pub(super) fn turned([x, y, z]: [f64; 3], yaw: f64) -> [f64; 3] {
    if yaw == 0.0 {
        return [x, y, z];
    }
    let (sin, cos) = yaw.sin_cos();
    [x * cos - y * sin, x * sin + y * cos, z]
}
