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

/// Returns the other objects within `within_m` of an object.
pub(crate) fn near(percept: &Percept, object: &PerceivedObject, within_m: f64) -> Vec<ObjectId> {
    let own = body_of(object);
    let is_near = |body: &Body| {
        own.as_ref()
            .is_some_and(|o| o.gap_m(body, within_m).is_some())
    };
    let others = bodies(percept, |o| o.id != object.id);
    let near = others.filter(|(_, body)| is_near(body));
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
