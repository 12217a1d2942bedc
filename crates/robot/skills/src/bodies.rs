//! Perceived objects as collision bodies, and the interior of upright containers.

use nalgebra::{Point3, Vector3};
use regrasp_api::{ObjectId, PerceivedObject, Percept, Pose, Shape};
use regrasp_motion::Body;

use crate::params::TILT_TOL_RAD;

pub(crate) fn body_of(object: &PerceivedObject) -> Option<Body> {
    Body::new(&object.shape, &object.world_from_object)
}

pub(crate) fn bodies(
    percept: &Percept,
    wanted: impl Fn(&PerceivedObject) -> bool,
) -> impl Iterator<Item = (&PerceivedObject, Body)> {
    let objects = percept.objects.iter().filter(move |o| wanted(o));
    objects.filter_map(|o| Some((o, body_of(o)?)))
}

/// The percept without movable objects other than those named.
pub(crate) fn cleared(percept: &Percept, named: &[&ObjectId]) -> Percept {
    let mut cleared = percept.clone();
    cleared
        .objects
        .retain(|o| !o.movable || named.contains(&&o.id));
    cleared
}

pub(crate) fn bodies_around(percept: &Percept, id: &ObjectId) -> Vec<Body> {
    let others = bodies(percept, |o| &o.id != id);
    others.map(|(_, body)| body).collect()
}

/// Returns true if each of the solids is more than `room_m` away from all of the other bodies.
pub(crate) fn keep_off<'b>(
    solids: &[Body],
    others: impl IntoIterator<Item = &'b Body>,
    room_m: f64,
) -> bool {
    let is_off = |other: &Body| solids.iter().all(|s| s.gap_m(other, room_m).is_none());
    others.into_iter().all(is_off)
}

pub(crate) fn near(percept: &Percept, object: &PerceivedObject, within_m: f64) -> Vec<ObjectId> {
    let own = body_of(object).into_iter().collect::<Vec<_>>();
    let others = bodies(percept, |o| o.id != object.id);
    let near = others.filter(|(_, body)| !keep_off(&own, [body], within_m));
    near.map(|(o, _)| o.id.clone()).collect()
}

/// Extent of a shape from a point in World along a direction, m.
pub(crate) fn reach_m(
    shape: &Shape,
    world_from_shape: &Pose,
    from: &Vector3<f64>,
    direction: &Vector3<f64>,
) -> f64 {
    let in_shape = world_from_shape.rotation.inverse() * direction;
    shape.support(&in_shape) + (world_from_shape.translation.vector - from).dot(direction)
}

pub(crate) fn extent_m(
    object: &PerceivedObject,
    from: &Vector3<f64>,
    direction: &Vector3<f64>,
) -> f64 {
    reach_m(&object.shape, &object.world_from_object, from, direction)
}

/// Least depth below the rim at which an object is released, m: it then falls inwards.
const BELOW_RIM_M: f64 = 0.005;
/// Step of the search for the lowest free height, m.
pub(crate) const STEP_M: f64 = 0.004;

/// Interior of an upright container, for objects that are dropped into it.
pub(crate) struct Opening {
    pub(crate) floor: Point3<f64>,
    /// Distance from the axis to the nearest wall at the rim, m.
    pub(crate) radius_m: f64,
    rim_z: f64,
}

impl Opening {
    pub(crate) fn of(shape: &Shape, world_from_object: &Pose) -> Option<Self> {
        let cavity = shape.cavity()?;
        let up_in_world = world_from_object.rotation * Vector3::z();
        let in_world = |z: f64| world_from_object * Point3::new(cavity.axis[0], cavity.axis[1], z);
        // In a container that leans further, objects slide.
        (up_in_world.angle(&Vector3::z()) < TILT_TOL_RAD).then(|| Self {
            floor: in_world(cavity.floor_z),
            radius_m: cavity.opening_m(),
            rim_z: in_world(cavity.rim_z).z,
        })
    }

    /// Largest height above the floor at which an object's lowest point may be when it is released,
    /// m; may be negative.
    pub(crate) fn most_m(&self) -> f64 {
        self.rim_z - BELOW_RIM_M - self.floor.z
    }
}
