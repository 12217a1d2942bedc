//! The things that are seen, as bodies that may be met.

use regrasp_api::{ObjectId, PerceivedObject, Percept};
use regrasp_motion::Body;

/// The body of a thing; none if it spans no volume.
pub(crate) fn body_of(object: &PerceivedObject) -> Option<Body> {
    Body::new(&object.shape, &object.world_from_object)
}

/// Everything that is seen and wanted, with its body.
pub(crate) fn bodies(
    percept: &Percept,
    wanted: impl Fn(&PerceivedObject) -> bool,
) -> impl Iterator<Item = (&PerceivedObject, Body)> {
    let objects = percept.objects.iter().filter(move |o| wanted(o));
    objects.filter_map(|o| Some((o, body_of(o)?)))
}

/// The others that are nearer to a thing than this, m.
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
