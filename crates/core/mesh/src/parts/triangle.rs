//! Triangles as three points, and their intersection with planes across an axis.

pub(super) type Triangle = [[f64; 3]; 3];

/// Normal of a triangle, with twice its area as length.
pub(super) fn normal([a, b, c]: &Triangle) -> [f64; 3] {
    let [u, v] = [b, c].map(|p| [0, 1, 2].map(|i| p[i] - a[i]));
    [
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ]
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

/// Part of a triangle below a plane (`side` 1), or above it (-1).
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
