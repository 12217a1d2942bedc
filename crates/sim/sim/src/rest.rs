//! Settling of a scene before the clock starts.

use std::fmt;

use nalgebra::Vector2;
use rapier3d_f64::prelude::{PhysicsWorld, RigidBodyHandle};
use regrasp_api::{JointKind, ObjectId, Pose};
use regrasp_geometry_parry::{from_parry, from_vector};

use crate::layout::{Layout, ObjectLayout};
use crate::simulation::Simulation;
use crate::{Result, SimError};

/// Linear and angular speed below which an object is at rest.
const REST_M_PER_S: f64 = 1e-3;
const REST_RAD_PER_S: f64 = 1e-2;
/// Time without motion after which a scene counts as settled, s.
const REST_SECS: f64 = 0.04;
/// Last part of the settling time, whose largest speeds are reported, s: a trembling object is slow
/// at some instants.
const LAST_SECS: f64 = 1.0;
/// Time for which objects that may tip over are watched, s: an unstable balance that is off by 1e-8
/// rad is lost within it.
const WATCH_SECS: f64 = 2.0;
/// Displacement and rotation from which a watched object counts as moved.
const MOVED_M: f64 = 1e-3;
const TURNED_RAD: f64 = 0.02;
/// Distance by which the point below the centre of mass must be inside the support polygon, m;
/// otherwise the object may tip over.
const INSIDE_M: f64 = 1.5e-3;
/// Number of directions in which the support polygon is checked.
const N_DIRECTIONS: usize = 16;
/// Gap below which a surface supports another one, m.
const BEARS_M: f64 = 1e-3;
/// Smallest vertical component of a supporting contact normal.
const UPWARDS: f64 = 0.3;

/// Objects that did not come to rest within the settling time.
#[derive(Clone, Debug, PartialEq)]
pub struct Unrest {
    /// Settling time, simulated s.
    pub after_secs: f64,
    /// Moving objects with the largest speed of their centre of mass, m/s, and angular speed, rad/s,
    /// in the last second; the fastest first.
    pub moving: Vec<(ObjectId, f64, f64)>,
}

impl fmt::Display for Unrest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { after_secs, moving } = self;
        write!(f, "the scene has not come to rest after {after_secs} s: ")?;
        for (i, (id, m_per_s, rad_per_s)) in moving.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(
                f,
                "{comma}`{id}` moves at {m_per_s:.3} m/s and {rad_per_s:.2} rad/s"
            )?;
        }
        Ok(())
    }
}

/// Advances the world until nothing moves and nothing is about to tip over. Returns the moving
/// objects if the settling time is over before that.
pub(crate) fn come_to_rest(world: &mut Simulation) -> Result<Option<Unrest>> {
    let most = world.options.steps(world.options.settle_max_secs);
    let enough = world.options.steps(REST_SECS);
    let mut still = 0;
    let mut n_steps = 0;
    let last = most.saturating_sub(world.options.steps(LAST_SECS));
    let mut fastest = vec![[0.0f64; 2]; world.layout.objects.len()];
    while n_steps < most {
        world.step()?;
        n_steps += 1;
        if n_steps > last {
            for (most, object) in fastest.iter_mut().zip(&world.layout.objects) {
                let now = speeds(&world.physics, object.body);
                *most = [most[0].max(now[0]), most[1].max(now[1])];
            }
        }
        still = if objects_rest(&world.physics, &world.layout) {
            still + 1
        } else {
            0
        };
        if still >= enough {
            match tips_over(world)? {
                None => return Ok(None),
                Some(took) => n_steps += took,
            }
            still = 0;
        }
    }
    if most == 0 {
        return Ok(None);
    }
    let unrest = what_moves(world, &fastest);
    tracing::warn!("{unrest}");
    Ok(Some(unrest))
}

fn objects_rest(physics: &PhysicsWorld, layout: &Layout) -> bool {
    let mut speeds = layout.objects.iter().map(|o| speeds(physics, o.body));
    speeds.all(|[linear, angular]| linear < REST_M_PER_S && angular < REST_RAD_PER_S)
}

/// Speed of a body's centre of mass and angular speed, m/s and rad/s.
fn speeds(physics: &PhysicsWorld, body: RigidBodyHandle) -> [f64; 2] {
    let body = physics.bodies.get(body);
    body.map_or([0.0; 2], |b| [b.linvel().length(), b.angvel().length()])
}

fn what_moves(world: &Simulation, fastest: &[[f64; 2]]) -> Unrest {
    let objects = world.layout.objects.iter().zip(fastest);
    let mut moving: Vec<_> = objects
        .map(|(object, fastest)| (object.scene.id.clone(), fastest))
        .filter(|(_, [linear, angular])| *linear >= REST_M_PER_S || *angular >= REST_RAD_PER_S)
        .map(|(id, [linear, angular])| (id, *linear, *angular))
        .collect();
    moving.sort_by(|a, b| b.1.total_cmp(&a.1));
    Unrest {
        after_secs: world.options.settle_max_secs,
        moving,
    }
}

/// Watches the objects that may tip over. Returns the number of steps until one of them has moved.
/// If none has moved, the world is restored.
fn tips_over(world: &mut Simulation) -> Result<Option<u64>> {
    let objects = world.layout.objects.iter();
    let watched: Vec<_> = objects
        .filter(|object| may_tip(&world.physics, &world.layout, object))
        .map(|object| (object.body, pose(&world.physics, object.body)))
        .collect();
    if watched.is_empty() {
        return Ok(None);
    }
    let before = world.snapshot().map_err(SimError::encode)?;
    let n_steps = world.options.steps(WATCH_SECS);
    for n in 1..=n_steps {
        world.step()?;
        let has_moved = |(body, then): &(RigidBodyHandle, Pose)| {
            let now = pose(&world.physics, *body);
            let moved = now.translation.vector - then.translation.vector;
            moved.norm() > MOVED_M || now.rotation.angle_to(&then.rotation) > TURNED_RAD
        };
        if watched.iter().any(has_moved) {
            return Ok(Some(n));
        }
    }
    world.restore(&before).map_err(SimError::encode)?;
    Ok(None)
}

fn pose(physics: &PhysicsWorld, body: RigidBodyHandle) -> Pose {
    let body = physics.bodies.get(body);
    body.map_or_else(Pose::identity, |body| from_parry(body.position()))
}

/// Returns true if an object may move by itself: its centre of mass is not well over its support,
/// or it is on a revolute joint. Members of a group of small objects are excluded: they rest
/// against each other.
fn may_tip(physics: &PhysicsWorld, layout: &Layout, object: &ObjectLayout) -> bool {
    if !object.scene.is_movable() || object.scene.group.is_some() {
        return false;
    }
    if object.jointed {
        let mut joints = layout.joints.iter();
        return joints.any(|j| j.child == object.body && j.scene.kind == JointKind::Revolute);
    }
    let Some(body) = physics.bodies.get(object.body) else {
        return false;
    };
    let middle = from_vector(body.center_of_mass()).xy();
    let bearing = bearing_points(physics, object.body);
    (0..N_DIRECTIONS).any(|i| {
        let angle = std::f64::consts::TAU * i as f64 / N_DIRECTIONS as f64;
        let direction = Vector2::new(angle.cos(), angle.sin());
        let reach = |point: &Vector2<f64>| (point - middle).dot(&direction);
        bearing.iter().map(reach).fold(f64::NEG_INFINITY, f64::max) < INSIDE_M
    })
}

/// The points on which a body stands, seen from above.
fn bearing_points(physics: &PhysicsWorld, handle: RigidBodyHandle) -> Vec<Vector2<f64>> {
    let Some(body) = physics.bodies.get(handle) else {
        return vec![];
    };
    let colliders = &physics.colliders;
    let mut points = vec![];
    for &own in body.colliders() {
        for pair in physics.narrow_phase.contact_pairs_with(own) {
            let Some(first) = colliders.get(pair.collider1) else {
                continue;
            };
            // The normal points from the first shape to the second.
            let up = if pair.collider1 == own { -1.0 } else { 1.0 };
            for manifold in pair.solver_manifolds() {
                if up * manifold.data.normal.z < UPWARDS {
                    continue;
                }
                let near = manifold.points.iter().filter(|p| p.dist < BEARS_M);
                let part = manifold.subshape_pos1();
                let at = part.map_or(*first.position(), |part| *first.position() * *part);
                let world = near.map(|p| at.transform_point(p.local_p1));
                points.extend(world.map(|p| from_vector(p).xy()));
            }
        }
    }
    points
}
