//! Places beside something.

use nalgebra::Vector3;
use regrasp_api::{Failure, Held, PerceivedObject, Percept, Pose, Reason, Side};
use regrasp_relations::stands_on;

use super::grid::first_free;
use super::ground::Ground;
use super::placement::Spot;

/// Space between the two, m: a finger and its way to open fit in between.
const GAPS_M: [f64; 4] = [0.03, 0.045, 0.06, 0.08];
/// How far to the side of the straight direction, m, nearest first.
const ASIDE_M: [f64; 5] = [0.0, 0.015, -0.015, 0.03, -0.03];

/// The nearest free place beside `target`, on what that stands on; on any side if none
/// is given, then the one nearest to where the object is now.
///
/// # Errors
///
/// `target_occupied` with what is in the way, or `placement_unstable` if there is no
/// surface.
pub(crate) fn beside(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    target: &PerceivedObject,
    side: Option<Side>,
) -> Result<Spot, Failure> {
    let mut others = percept.objects.iter();
    let Some(support) = others.find(|o| stands_on(target, o)) else {
        let text = format!("{} stands on nothing that is seen", target.id);
        return Err(Failure::new(Reason::PlacementUnstable, text).about([target.id.clone()]));
    };
    let ground = Ground::new(percept, held, world_from_held);
    let center = target.aabb_in_world().center().coords;
    let from = world_from_held.translation.vector;
    let mut sides = side.map_or(Side::ALL.to_vec(), |side| vec![side]);
    sides.sort_by(|a, b| {
        let toward = |side: &Side| side.direction().dot(&(from - center));
        toward(b).total_cmp(&toward(a))
    });
    let points = GAPS_M.iter().flat_map(|gap_m| {
        let ground = &ground;
        sides.iter().flat_map(move |side| {
            let out = side.direction();
            let along = Vector3::new(-out.y, out.x, 0.0);
            let away_m = reach_m(target, &center, &out) + ground.reach_m(&-out) + gap_m;
            ASIDE_M.map(|aside_m| {
                let at = center + out * away_m + along * aside_m;
                [at.x, at.y]
            })
        })
    });
    let place = side.map_or("beside".to_owned(), |side| side.to_string());
    first_free(
        &ground,
        support,
        points.collect(),
        &format!("{place} {}", target.id),
    )
}

/// How far an object reaches from a point along a direction of World, m.
pub(super) fn reach_m(
    object: &PerceivedObject,
    from: &Vector3<f64>,
    direction: &Vector3<f64>,
) -> f64 {
    let pose = &object.world_from_object;
    let in_object = pose.rotation.inverse() * direction;
    object.shape.support(&in_object) + (pose.translation.vector - from).dot(direction)
}
