//! Impulse between two colliders.

use rapier3d_f64::math::Vector;
use rapier3d_f64::prelude::ContactPair;

/// The impulse of the last step, from the first collider to the second, N s.
///
/// When two round objects part along the line between them, rapier keeps the points with the
/// impulses of their last contact. Only manifolds that were solved count.
pub(crate) fn impulse(pair: &ContactPair) -> Vector {
    let manifolds = pair.solver_manifolds().iter();
    let solved = manifolds.filter(|m| !m.data.solver_contacts.is_empty());
    let pressed = solved.map(|m| {
        let impulse: f64 = m.points.iter().map(|point| point.data.impulse).sum();
        impulse * m.data.normal
    });
    pressed.sum()
}
