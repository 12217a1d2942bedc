//! Perceived objects as collision bodies.

use nalgebra::Vector3;
use regrasp_api::{ObjectId, PerceivedObject, Percept, Pose, Shape};
use regrasp_motion::Body;

/// Returns the object's body, or `None` if its shape has no volume.
pub(crate) fn body_of(object: &PerceivedObject) -> Option<Body> {
    Body::new(&object.shape, &object.world_from_object)
}

/// Returns the perceived objects that pass a filter, with their bodies.
pub(crate) fn bodies(
    percept: &Percept,
    wanted: impl Fn(&PerceivedObject) -> bool,
) -> impl Iterator<Item = (&PerceivedObject, Body)> {
    let objects = percept.objects.iter().filter(move |o| wanted(o));
    objects.filter_map(|o| Some((o, body_of(o)?)))
}

/// Returns the bodies of all perceived objects except one.
pub(crate) fn bodies_around(percept: &Percept, id: &ObjectId) -> Vec<Body> {
    let others = bodies(percept, |o| &o.id != id);
    others.map(|(_, body)| body).collect()
}

/// Returns true if each of the solids keeps a distance from all of the others, m.
pub(crate) fn keep_off<'b>(
    solids: &[Body],
    others: impl IntoIterator<Item = &'b Body>,
    room_m: f64,
) -> bool {
    let is_off = |other: &Body| solids.iter().all(|s| s.gap_m(other, room_m).is_none());
    others.into_iter().all(is_off)
}

/// Returns the other objects within `within_m` of an object.
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

/// Extent of an object from a point in World along a direction, m.
pub(crate) fn extent_m(
    object: &PerceivedObject,
    from: &Vector3<f64>,
    direction: &Vector3<f64>,
) -> f64 {
    reach_m(&object.shape, &object.world_from_object, from, direction)
}
