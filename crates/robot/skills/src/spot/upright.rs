//! Places where something stands in a given way, such as upright.

use std::f64::consts::FRAC_PI_4;

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{Failure, Held, ObjectId, Percept, Pose, Reason, Shape, Upright};

use super::grid::spread;
use super::placement::Spot;
use super::point::at_point;

/// Distances from where it is that are tried, m, nearest first.
const AWAY_M: [f64; 5] = [0.0, 0.04, 0.08, 0.14, 0.2];
/// Directions in which they are tried.
const N_DIRECTIONS: usize = 8;
/// Places that are offered at most.
const MOST_PLACES: usize = 9;
/// What is turned by more has not come to stand as it should, rad.
const SAME_RAD: f64 = 0.1;

/// Which way up an object of this shape stands.
///
/// # Errors
///
/// `upright_unknown`, with what would have to be said.
pub(crate) fn upright(percept: &Percept, id: &ObjectId, shape: &Shape) -> Result<Upright, Failure> {
    percept.upright(id, shape).ok_or_else(|| {
        let text = format!(
            "which way up does {id} stand? Nothing declares it, and none of its axes is clearly the \
             longest"
        );
        Failure::new(Reason::UprightUnknown, text)
            .about([id.clone()])
            .hint("declare `upright` for it in the scene")
    })
}

/// Free places near where it is on which it stands upright, on the nearer end first.
///
/// # Errors
///
/// Those of [`upright`], and of [`standing_as`] for the nearer end.
pub(crate) fn standing(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
) -> Result<Vec<Spot>, Failure> {
    let upright = upright(percept, &held.id, &held.shape)?;
    let rotations = upright.rotations(&world_from_held.rotation);
    let mut ends = rotations
        .iter()
        .map(|wanted| standing_as(percept, held, world_from_held, wanted));
    let nearer = ends.next().unwrap_or_else(|| Ok(vec![]));
    match (nearer, ends.next()) {
        (Ok(mut spots), Some(Ok(others))) => {
            spots.extend(others);
            Ok(spots)
        }
        (Err(_), Some(Ok(others))) => Ok(others),
        (nearer, _) => nearer,
    }
}

/// Free places near where it is on which it stands turned as `wanted` says, nearest first;
/// there is at least one.
///
/// # Errors
///
/// `placement_unstable` if it does not stand so, or has nothing to stand on;
/// `target_occupied`.
pub(crate) fn standing_as(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    wanted: &UnitQuaternion<f64>,
) -> Result<Vec<Spot>, Failure> {
    let from = world_from_held.translation.vector;
    let turned = Pose::from_parts(from.into(), *wanted);
    let mut told = None;
    let places = spread(
        &around([from.x, from.y]),
        MOST_PLACES,
        |point| match at_point(percept, held, &turned, point, None) {
            Ok(spot) if is_turned(&spot, wanted) => {
                let text = format!("{} does not stand that way on {}", held.id, spot.support);
                let failure = Failure::new(Reason::PlacementUnstable, text);
                told.get_or_insert(failure.about([held.id.clone()]));
                None
            }
            Ok(spot) => Some(spot),
            Err(failure) => {
                told.get_or_insert(failure);
                None
            }
        },
    );
    match (places.is_empty(), told) {
        (true, Some(failure)) => Err(failure),
        (true, None) => Err(Failure::new(Reason::PlacementUnstable, "there is no place")),
        (false, _) => Ok(places),
    }
}

/// Points around one, nearest first.
fn around([x, y]: [f64; 2]) -> Vec<[f64; 2]> {
    let ring = |away_m: f64| {
        let n = if away_m > 0.0 { N_DIRECTIONS } else { 1 };
        let angles = (0..n).map(|i| i as f64 * FRAC_PI_4);
        angles.map(move |angle| [x + away_m * angle.cos(), y + away_m * angle.sin()])
    };
    AWAY_M.into_iter().flat_map(ring).collect()
}

/// Whether something else than wanted points up when it stands there.
fn is_turned(spot: &Spot, wanted: &UnitQuaternion<f64>) -> bool {
    let up_in_object = wanted.inverse() * Vector3::z();
    (spot.world_from_object.rotation * up_in_object).angle(&Vector3::z()) > SAME_RAD
}
