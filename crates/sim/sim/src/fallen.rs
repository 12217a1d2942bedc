//! Objects that fall off the table.
//!
//! A scene does not define the room's floor. Without one, a bead that rolls off the table falls for
//! ever: after five seconds it is fast enough to count as diverged physics, and an otherwise
//! successful episode fails. So there is a floor below everything in the scene, deeper than the arm
//! reaches. It is a depth, not a shape: an object below it stays where it is and is no longer
//! simulated. A world in which nothing falls is not affected.

use rapier3d_f64::prelude::PhysicsWorld;
use regrasp_geometry_parry::from_parry;
use regrasp_scene::Scene;

use crate::layout::Layout;

/// Distance of the floor below the lowest object of the scene, m: more than an arm with a reach of
/// a metre gets to beside the table that it stands on.
const BELOW_M: f64 = 2.0;

/// Height of the floor in World, m.
pub(crate) fn floor_z(scene: &Scene) -> f64 {
    let objects = scene.objects.iter();
    let bottoms = objects.map(|o| o.shape.aabb(&o.world_from_object).min[2]);
    let base = scene.world_from_base.translation.z;
    bottoms.fold(base, f64::min) - BELOW_M
}

/// Stops all objects that have fallen to the floor. Objects on joints cannot fall, and an object
/// that carries another one by a joint is left alone.
pub(crate) fn rest_fallen(physics: &mut PhysicsWorld, layout: &Layout) {
    for object in &layout.objects {
        let joints = &physics.multibody_joints;
        let Some(body) = physics.bodies.get(object.body) else {
            continue;
        };
        let is_above = from_parry(body.position()).translation.z > layout.floor_z;
        let is_free = body.is_dynamic() && body.is_enabled();
        if is_above || !is_free || joints.rigid_body_link(object.body).is_some() {
            continue;
        }
        if let Some(body) = physics.bodies.get_mut(object.body) {
            body.set_linvel(Default::default(), false);
            body.set_angvel(Default::default(), false);
            body.set_enabled(false);
        }
    }
}
