//! Points over a surface, and which of them are free.

use regrasp_api::{Failure, ObjectId, PerceivedObject, Reason};

use super::ground::Ground;
use super::placement::Spot;

/// Distance between places that are offered, m.
const APART_M: f64 = 0.05;

/// The first places that are some way apart.
pub(super) fn spread(
    points: &[[f64; 2]],
    most: usize,
    mut place: impl FnMut([f64; 2]) -> Option<Spot>,
) -> Vec<Spot> {
    let mut places: Vec<Spot> = vec![];
    for [x, y] in points {
        let is_near = |spot: &Spot| {
            let at = spot.world_from_object.translation.vector;
            (at.x - x).hypot(at.y - y) < APART_M
        };
        if places.len() < most && !places.iter().any(is_near) {
            places.extend(place([*x, *y]));
        }
    }
    places
}

/// The first of several points on `support` that is free.
pub(super) fn first_free(
    ground: &Ground<'_>,
    support: &PerceivedObject,
    points: Vec<[f64; 2]>,
    place: &str,
) -> Result<Spot, Failure> {
    let held = &ground.held.id;
    let mut occupants: Vec<ObjectId> = vec![];
    for point in points {
        match ground.at(point, Some(support)) {
            Ok(spot) => return Ok(spot),
            Err(failure) if failure.reason == Reason::TargetOccupied => {
                occupants.extend(failure.entities);
            }
            Err(_) => {}
        }
    }
    occupants.sort();
    occupants.dedup();
    if occupants.is_empty() {
        let text = format!("nowhere {place} is flat and wide enough for {held}");
        return Err(Failure::new(Reason::PlacementUnstable, text).about([support.id.clone()]));
    }
    let names: Vec<_> = occupants.iter().map(ObjectId::as_str).collect();
    let text = format!(
        "there is no free place for {held} {place}: {} in the way",
        names.join(", ")
    );
    Err(Failure::new(Reason::TargetOccupied, text).about(occupants))
}

/// Points over the target's bounding box, nearest to `near` first; its centre counts
/// as nearest when the target is something that can itself be moved, since one puts
/// things in the middle of a plate but anywhere on a table.
pub(super) fn grid(target: &PerceivedObject, near: [f64; 2], step_m: f64) -> Vec<[f64; 2]> {
    let center = target.aabb_in_world().center();
    let from = if target.movable {
        [center.x, center.y]
    } else {
        near
    };
    grid_from(target, from, step_m)
}

/// Points over the target's bounding box, nearest to one first.
pub(super) fn grid_from(target: &PerceivedObject, from: [f64; 2], step_m: f64) -> Vec<[f64; 2]> {
    let aabb = target.aabb_in_world();
    let center = aabb.center();
    let steps = |axis: usize| {
        let half_m = 0.5 * aabb.size()[axis];
        let n = (half_m / step_m).floor() as i64;
        (-n..=n).map(move |i| center[axis] + i as f64 * step_m)
    };
    let mut points: Vec<[f64; 2]> = steps(0)
        .flat_map(|x| steps(1).map(move |y| [x, y]))
        .collect();
    let away = |p: &[f64; 2]| (p[0] - from[0]).hypot(p[1] - from[1]);
    points.sort_by(|a, b| away(a).total_cmp(&away(b)));
    points
}
