//! Where something can be put down.

mod against;
mod beside;
mod carrier;
mod covered;
mod grid;
mod ground;
mod heap;
mod leaning;
mod placement;
mod point;
mod slope;
#[cfg(test)]
mod tests;
mod upright;

use nalgebra::Vector3;
use regrasp_api::{Failure, Held, PerceivedObject, Percept, Pose, Reason};

pub(crate) use against::{across, against};
pub(crate) use beside::beside;
pub(crate) use covered::Around;
use covered::covered_at;
use grid::{first_free, grid, grid_from, spread};
use ground::Ground;
use leaning::leaning;
pub(crate) use placement::{Rest, Spot, is_level};
pub(crate) use point::at_point;
pub(crate) use upright::{standing, standing_as, upright};

/// Distance between places tried on a surface, m, and on a small one where none of those is open
/// above: a drawer that is not open to its end leaves little room.
const GRID_M: f64 = 0.02;
const FINE_GRID_M: f64 = 0.005;
/// A surface with no more places than this is small.
const FEW_PLACES: usize = 150;

/// How far something may be shifted at its place, m: less than a thing that was placed may rest
/// beside it.
const SHIFTS_M: [f64; 3] = [0.004, 0.008, 0.013];

/// Places on something large that are offered at most.
const MOST_PLACES: usize = 6;

/// The place on `target` (or in it, if it is a container) that is nearest to `near`
/// (x, y in World), turned as it is now or, if it fits nowhere then, along the target's edges; and on what cannot be moved some others, if the arm does not get there.
/// What is long and finds nothing level lies along a slope, with its foot at a stop.
/// What finds no free place in a container goes on top of what lies in it, as long as that is
/// below the rim. There is at least one place.
///
/// # Errors
///
/// `target_occupied` with what is in the way, or `placement_unstable` if nowhere on
/// it is flat and wide enough.
pub(crate) fn on_object(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    target: &PerceivedObject,
    near: [f64; 2],
) -> Result<Vec<Spot>, Failure> {
    let ground = || Ground::new(percept, held, world_from_held);
    // What fits in no other way may fit along the edges of a tray.
    let along = |axis: Vector3<f64>| ground().facing(&(target.world_from_object.rotation * axis));
    let grounds = [ground(), along(Vector3::x()), along(Vector3::y())];
    let points = grid(target, near, GRID_M);
    let most = if target.movable { 1 } else { MOST_PLACES };
    // Where nothing hangs over it, such as the drawer above, and the walls of a container leave
    // room for the fingers too, if anywhere; else where it gets in aslant.
    let places = |points: &[[f64; 2]], needs_sky: bool, needs_room: bool| {
        let on = grounds.iter().map(|ground| {
            spread(points, most, |point| {
                let spot = ground.at(point, Some(target)).ok()?;
                let has_room = !needs_room || ground.has_room_for_fingers(target, &spot);
                let has_sky = !needs_sky || ground.is_open_above(target, &spot);
                (has_room && has_sky).then_some(spot)
            })
        });
        on.into_iter().find(|places| !places.is_empty())
    };
    let fine = match points.len() <= FEW_PLACES {
        true => grid(target, near, FINE_GRID_M),
        false => vec![],
    };
    let open_above = [&points, &fine]
        .into_iter()
        .find_map(|points| places(points, true, true).or_else(|| places(points, true, false)));
    let mut aslant = match open_above.is_some() {
        true => vec![],
        false => covered::slanted(percept, held, &grounds, &fine, target),
    };
    let found = open_above
        .or_else(|| places(&points, false, true))
        .or_else(|| places(&points, false, false));
    // Where the hand has no room to come aslant, it may yet find a way straight down.
    aslant.extend(found.into_iter().flatten());
    if !aslant.is_empty() {
        return Ok(aslant);
    }
    // A rack is small: away from its ends it carries best.
    let center = target.aabb_in_world().center();
    let from_middle = grid_from(target, [center.x, center.y], GRID_M);
    let laid = slope::laid(percept, held, world_from_held, target, &from_middle);
    if !laid.is_empty() {
        return Ok(laid);
    }
    let heaped: Vec<Spot> = grounds
        .iter()
        .filter_map(|ground| ground.heaped(&points, target))
        .collect();
    if !heaped.is_empty() {
        return Ok(heaped);
    }
    let [ground, ..] = &grounds;
    first_free(ground, target, points, &format!("on {}", target.id)).map(|spot| vec![spot])
}

/// The places at a point (x, y in World) at which its origin comes to be at a height in World, m:
/// on whatever is highest there, else under a roof, else leaning on a wall.
///
/// # Errors
///
/// What [`at_point`] fails with, or `placement_unstable` with the height at which it would stand.
pub(crate) fn at_height(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    [x, y]: [f64; 2],
    z: f64,
) -> Result<Vec<Spot>, Failure> {
    let on_top = at_point(percept, held, world_from_held, [x, y], None);
    if let Ok(spot) = &on_top
        && spot.is_at_height(z)
    {
        return Ok(vec![spot.clone()]);
    }
    let ways = [covered_at, leaning];
    let places = ways.map(|places| places(percept, held, world_from_held, [x, y, z]));
    if let Some(places) = places.into_iter().find(|places| !places.is_empty()) {
        return Ok(places);
    }
    let spot = on_top?;
    let stands_m = spot.world_from_object.translation.z;
    let text = format!(
        "{} would stand at z={stands_m:.3} on {}, not at z={z:.3}",
        held.id, spot.support
    );
    Err(Failure::new(Reason::PlacementUnstable, text)
        .about([spot.support])
        .measured("height", z, Some(stands_m), "m"))
}

/// The place itself, and, where walls leave fingers no room, the same shifted towards each of them
/// as far as that is still the same place: a finger then fits on the other side.
pub(crate) fn between_walls(percept: &Percept, held: &Held, spot: Spot) -> Vec<Spot> {
    let Some(support) = percept.object(&spot.support) else {
        return vec![spot];
    };
    let ground = Ground::new(percept, held, &spot.world_from_object);
    if ground.has_room_for_fingers(support, &spot) {
        return vec![spot];
    }
    let at = spot.world_from_object.translation.vector;
    let ways = [Vector3::x(), -Vector3::x(), Vector3::y(), -Vector3::y()];
    let ways = ways.map(|way| support.world_from_object.rotation * way);
    let shifts = SHIFTS_M.iter().flat_map(|m| ways.map(|way| at + way * *m));
    let shifted = shifts.filter_map(|to| ground.at([to.x, to.y], Some(support)).ok());
    let shifted: Vec<Spot> = shifted.collect();
    std::iter::once(spot).chain(shifted).collect()
}
