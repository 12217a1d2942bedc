//! Spinning and rolling friction of round objects.
//!
//! rapier's contacts are points without extent. A ball touches a pad at one point, so nothing would
//! prevent it from spinning about the line between two pads, and nothing would stop a rolling ball.
//! Real contacts are patches. With a radius `a` under a load `N`, uniformly pressed, a patch
//! resists spinning about its normal with up to `2/3 mu N a` (the soft-finger contact; Murray, Li
//! and Sastry, A Mathematical Introduction to Robotic Manipulation, 1994, section 5.2.1), and
//! rolling with up to `N b`, where `b` is the distance of the load ahead of the centre.
//!
//! Within these limits a proportional-integral controller brings the object's angular velocity to
//! that of the touching body, so that a steady load is held without creeping. The moment takes
//! effect in the step after the contact force. Flat objects need none of this: the several contact
//! points of a face do it.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};
use rapier3d_f64::prelude::{ContactPair, PhysicsWorld, RigidBody, RigidBodyHandle};
use regrasp_api::Shape;
use regrasp_geometry_parry::{from_vector, to_vector};

use crate::contacts::{impulse, other_of, pressing_point};
use crate::layout::{Layout, Owner};
use crate::substeps;

/// Radius of the contact patch of a rubber pad, m: a sphere with a radius of 3 cm that sinks in by
/// 0.3 mm has that patch.
const PAD_PATCH_M: f64 = 4e-3;
/// Radius of the contact patch between hard bodies, m.
const HARD_PATCH_M: f64 = 1e-3;
/// Distance of the load ahead of the centre of a rolling contact, m. For a radius of 3 cm it gives
/// a coefficient of rolling friction of 0.007, that of a hard ball on wood.
const ROLLING_ARM_M: f64 = 2e-4;
/// Share of the momentum that a step removes, and share added to the lasting moment. The loop is
/// critically damped: each step halves the remainder.
const PROPORTIONAL: f64 = 1.0;
const INTEGRAL: f64 = 0.25;

/// Returns true if the shape has a curved part, which touches a flat surface in a point or along a
/// line.
pub(crate) fn is_round(shape: &Shape) -> bool {
    match shape {
        Shape::Sphere { .. } | Shape::Cylinder(_) | Shape::Capsule(_) => true,
        Shape::Box { .. }
        | Shape::Convex { .. }
        | Shape::HeightField(_)
        | Shape::PointCloud { .. } => false,
        Shape::Compound { parts } => parts.iter().any(|part| is_round(&part.shape)),
    }
}

/// Number of corners above which a convex part counts as an approximation of a curved shape, such
/// as the parts of a decomposed mesh. A soft pad touches its facets in a patch, as it would touch
/// the curved shape.
const CURVED_CORNERS: usize = 30;

/// Returns true if a pad touches the shape in a patch that its contact points do not represent: a
/// round shape, or facets that approximate a curved one.
pub(crate) fn is_curved(shape: &Shape) -> bool {
    match shape {
        Shape::Convex { points } => points.len() > CURVED_CORNERS,
        Shape::Compound { parts } => parts.iter().any(|part| is_curved(&part.shape)),
        _ => is_round(shape),
    }
}

/// Sum of the contacts of one object: the moment that they can bear, and the rotation of the
/// touching bodies.
#[derive(Default)]
struct Bearing {
    /// Maps a direction to the largest moment about it, N m.
    limit: Matrix3<f64>,
    load_n: f64,
    /// Sum of the touching bodies' angular velocities times their loads, N rad/s.
    turning: Vector3<f64>,
}

impl Bearing {
    fn add(&mut self, normal: &Vector3<f64>, load_n: f64, patch: [f64; 2], turning: Vector3<f64>) {
        let [spinning_m, rolling_m] = patch;
        let about_normal = normal * normal.transpose();
        let across = Matrix3::identity() - about_normal;
        self.limit += load_n * (spinning_m * about_normal + rolling_m * across);
        self.load_n += load_n;
        self.turning += load_n * turning;
    }

    /// The moment, scaled down to the limit.
    fn bound(&self, moment: Vector3<f64>) -> Vector3<f64> {
        let Some(inverse) = self.limit.try_inverse() else {
            return Vector3::zeros();
        };
        moment / (inverse * moment).norm().max(1.0)
    }
}

/// Applies the moments of its contacts to every round object in the next step. Divides that step if
/// a round or compound object is light and pressed hard.
pub(crate) fn resist_turning(
    physics: &mut PhysicsWorld,
    layout: &Layout,
    lasting: &mut [[f64; 3]],
    dt_secs: f64,
) {
    let mut n_parts = parts_for_pieces(physics, layout, dt_secs);
    for (&object_idx, lasting) in layout.round.iter().zip(lasting) {
        let handle = layout.objects[object_idx].body;
        let bearing = bearing_of(physics, layout, handle, dt_secs);
        let Some(body) = physics.bodies.get_mut(handle) else {
            continue;
        };
        body.reset_torques(false);
        if bearing.load_n <= 0.0 {
            *lasting = [0.0; 3];
            continue;
        }
        let turning = from_vector(body.angvel()) - bearing.turning / bearing.load_n;
        let inertia = least_inertia(body);
        let needed = substeps::needed(body, inertia, (bearing.load_n, 0.0), dt_secs);
        n_parts = n_parts.max(needed);
        let stop = turning * (inertia / dt_secs);
        let held = Vector3::from(*lasting);
        *lasting = bearing.bound(held - INTEGRAL * stop).into();
        let moment = bearing.bound(held - PROPORTIONAL * stop);
        body.add_torque(to_vector(&moment), false);
    }
    physics.integration_parameters.num_solver_iterations = n_parts;
}

/// Number of substeps for compound objects under the pads. On a wall made of plates, a pad bears on
/// the edges between them and rolls over the edges as over a round object.
fn parts_for_pieces(physics: &PhysicsWorld, layout: &Layout, dt_secs: f64) -> usize {
    let pads = layout.robot.pads.iter();
    let pairs = pads.flat_map(|(_, pad)| {
        let pairs = physics.narrow_phase.contact_pairs_with(*pad);
        pairs.map(|pair| (other_of(pair, *pad), pair))
    });
    // Total load, and the load-weighted sum of the pressing points in World.
    let mut loads: BTreeMap<usize, (f64, Vector3<f64>)> = BTreeMap::new();
    for (other, pair) in pairs {
        if let Some(Owner::Object(object_idx)) = layout.owners.get(other)
            && let Some(point) = pressing_point(physics, pair)
        {
            let load_n = impulse(pair).length() / dt_secs;
            let load = loads.entry(object_idx).or_default();
            load.0 += load_n;
            load.1 += from_vector(point) * load_n;
        }
    }
    let parts = loads
        .into_iter()
        .filter_map(|(object_idx, (load_n, moment))| {
            let object = &layout.objects[object_idx];
            let shape = &object.scene.shape;
            let is_pieced = matches!(shape, Shape::Compound { .. }) && !is_round(shape);
            let is_free = object.scene.is_movable() && !object.jointed;
            let body = physics.bodies.get(object.body);
            let body = body.filter(|_| is_pieced && is_free)?;
            let middle = moment / load_n.max(f64::MIN_POSITIVE);
            let lever_m = (middle - from_vector(body.center_of_mass())).norm();
            let load = (load_n, lever_m);
            Some(substeps::needed(body, least_inertia(body), load, dt_secs))
        });
    parts.max().unwrap_or(1)
}

fn bearing_of(
    physics: &PhysicsWorld,
    layout: &Layout,
    handle: RigidBodyHandle,
    dt_secs: f64,
) -> Bearing {
    let mut bearing = Bearing::default();
    let body = physics.bodies.get(handle);
    let colliders = body.map_or(&[][..], RigidBody::colliders);
    for collider in colliders {
        for pair in physics.narrow_phase.contact_pairs_with(*collider) {
            let other = other_of(pair, *collider);
            let is_pad = matches!(layout.owners.get(other), Some(Owner::Link(link))
                if layout.robot.finger_of_link[link].is_some());
            let patch_m = if is_pad { PAD_PATCH_M } else { HARD_PATCH_M };
            let touching = physics.colliders.get(other).and_then(|c| c.parent());
            let touching = touching.and_then(|handle| physics.bodies.get(handle));
            let turning = touching.map_or(Vector3::zeros(), |b| from_vector(b.angvel()));
            press(&mut bearing, pair, [patch_m, dt_secs], turning);
        }
    }
    bearing
}

fn press(
    bearing: &mut Bearing,
    pair: &ContactPair,
    [patch_m, dt_secs]: [f64; 2],
    turning: Vector3<f64>,
) {
    for manifold in pair.solver_manifolds() {
        let impulse: f64 = manifold.points.iter().map(|p| p.data.impulse).sum();
        if impulse <= 0.0 {
            continue;
        }
        let spinning_m = 2.0 / 3.0 * manifold.data.friction * patch_m;
        let normal = from_vector(manifold.data.normal);
        let load_n = impulse / dt_secs;
        bearing.add(&normal, load_n, [spinning_m, ROLLING_ARM_M], turning);
    }
}

/// Smallest principal moment of inertia, kg m². With it, a step never removes more angular momentum
/// than there is.
fn least_inertia(body: &RigidBody) -> f64 {
    let inertia = body.mass_properties().local_mprops.principal_inertia();
    inertia.x.min(inertia.y).min(inertia.z)
}
