//! Where something can be put down.

mod against;
mod beside;
mod carrier;
mod covered;
mod ground;
mod heap;
mod leaning;
mod slope;
#[cfg(test)]
mod tests;
mod upright;

use std::f64::consts::FRAC_PI_2;

use nalgebra::Vector3;
use regrasp_api::{Failure, Held, ObjectId, PerceivedObject, Percept, Pose, Reason};

pub(crate) use against::{across, against};
pub(crate) use beside::beside;
pub(crate) use covered::Around;
use covered::covered_at;
use ground::Ground;
use leaning::leaning;
pub(crate) use upright::{standing, standing_as, upright};

/// A place to put an object down.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    /// What it will stand on.
    pub(crate) support: ObjectId,
    /// Where it will be once it stands: on the stable face that is lowest now, and
    /// otherwise turned as it is now.
    pub(crate) world_from_object: Pose,
    /// How it comes to rest there.
    pub(crate) rest: Rest,
    /// From there to where the straight way in from the side begins, m in World, if the hand
    /// does not come from above. Then it is turned as it is there and no other way.
    pub(crate) way_back: Option<Vector3<f64>>,
}

/// A given height may differ from where the object would stand by this, m.
const GIVEN_HEIGHT_TOL_M: f64 = 0.01;

impl Spot {
    /// Whether its origin is then at a height that was asked for, m in World.
    pub(crate) fn is_at_height(&self, z: f64) -> bool {
        (self.world_from_object.translation.z - z).abs() <= GIVEN_HEIGHT_TOL_M
    }

    /// Whether the hand comes in from the side.
    pub(crate) fn is_from_side(&self) -> bool {
        self.way_back.as_ref().is_some_and(is_level)
    }
}

/// Whether a way in is rather level than down.
pub(crate) fn is_level(way_back: &Vector3<f64>) -> bool {
    way_back.xy().norm() > way_back.z
}

/// How something comes to rest at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// It stands, turned about the vertical in any way.
    Stands,
    /// It is let go above a heap, so that nobody knows how it will come to lie: inside the
    /// support is then all that can be asked of it.
    Heaped,
    /// It lies on a slope or leans on a wall, as it is turned and no other way.
    Laid,
}

/// Distance between places tried on a surface, m, and on a small one where none of those is open
/// above: a drawer that is not open to its end leaves little room.
const GRID_M: f64 = 0.02;
const FINE_GRID_M: f64 = 0.005;
/// A surface with no more places than this is small.
const FEW_PLACES: usize = 150;

/// How far something may be shifted at its place, m: less than a thing that was placed may rest
/// beside it.
const SHIFTS_M: [f64; 3] = [0.004, 0.008, 0.013];

/// Places on something large that are offered at most, and how far they are apart, m.
const MOST_PLACES: usize = 6;
const APART_M: f64 = 0.05;

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

/// The first places that are some way apart.
fn spread(
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

/// The place at a point (x, y in World), on `target` or on whatever is highest there, turned as it
/// is now. What does not fit between the walls of a compartment so may fit along them, with its
/// middle at the point instead of its origin.
///
/// # Errors
///
/// `target_occupied` with what is in the way, or `placement_unstable` if what is
/// under it would not carry it.
pub(crate) fn at_point(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    point: [f64; 2],
    target: Option<&PerceivedObject>,
) -> Result<Spot, Failure> {
    let ground = || Ground::new(percept, held, world_from_held);
    let failure = match ground().at(point, target) {
        Err(failure) if failure.reason == Reason::PlacementUnstable => failure,
        outcome => return outcome,
    };
    let support = failure.entities.first().and_then(|id| percept.object(id));
    let Some(support) = support else {
        return Err(failure);
    };
    let along = || ground().facing(&(support.world_from_object.rotation * Vector3::x()));
    let across = along().turned(FRAC_PI_2);
    let turned = [ground(), along(), across];
    let spots = turned.iter().flat_map(|ground| {
        let middle = ground.origin_for_middle_at(point);
        [point, middle].map(|at| ground.at(at, Some(support)).ok())
    });
    let found = spots.flatten().next();
    found.ok_or(failure)
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

/// The first of several points on `support` that is free.
fn first_free(
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
fn grid(target: &PerceivedObject, near: [f64; 2], step_m: f64) -> Vec<[f64; 2]> {
    let center = target.aabb_in_world().center();
    let from = if target.movable {
        [center.x, center.y]
    } else {
        near
    };
    grid_from(target, from, step_m)
}

/// Points over the target's bounding box, nearest to one first.
fn grid_from(target: &PerceivedObject, from: [f64; 2], step_m: f64) -> Vec<[f64; 2]> {
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
