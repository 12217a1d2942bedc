//! Configurations without allocation.

use regrasp_kinematics::MAX_DOF;

/// Positions of an arm's joints, zero beyond its last.
pub(super) type Q = [f64; MAX_DOF];

/// Copies a configuration from a slice.
pub(super) fn q(positions: &[f64]) -> Q {
    let mut q = [0.0; MAX_DOF];
    for (to, from) in q.iter_mut().zip(positions) {
        *to = *from;
    }
    q
}

/// 2-norm of the difference of two configurations, rad.
pub(super) fn distance(a: &Q, b: &Q) -> f64 {
    let squares = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y));
    squares.sum::<f64>().sqrt()
}

/// The point at fraction `f` of the line from `a` to `b`.
pub(super) fn between(a: &Q, b: &Q, f: f64) -> Q {
    std::array::from_fn(|i| a[i] + f * (b[i] - a[i]))
}

/// Length of a path, 2-norm over joints, rad.
pub(super) fn length(path: &[Q]) -> f64 {
    path.windows(2).map(|w| distance(&w[0], &w[1])).sum()
}
