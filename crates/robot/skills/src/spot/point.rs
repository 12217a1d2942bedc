//! The place at a point.

use std::f64::consts::FRAC_PI_2;

use nalgebra::Vector3;
use regrasp_api::{Failure, Held, PerceivedObject, Percept, Pose, Reason};

use super::ground::Ground;
use super::placement::Spot;

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
