//! Configurations without allocation.

use regrasp_kinematics::MAX_DOF;

/// Positions of an arm's joints, zero beyond the last joint.
pub(super) type Q = [f64; MAX_DOF];

pub(super) fn q(positions: &[f64]) -> Q {
    let mut q = [0.0; MAX_DOF];
    for (to, from) in q.iter_mut().zip(positions) {
        *to = *from;
    }
    q
}

/// The point at fraction `f` of the line from `a` to `b`.
pub(super) fn between(a: &Q, b: &Q, f: f64) -> Q {
    std::array::from_fn(|i| a[i] + f * (b[i] - a[i]))
}
