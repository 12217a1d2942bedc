//! Places where something stands upright.

use std::f64::consts::{FRAC_PI_4, PI};

use nalgebra::{UnitQuaternion, Vector3};
use regrasp_api::{Failure, Held, Percept, Pose, Reason};

use super::{Spot, at_point};

/// Distances from where it is that are tried, m, nearest first.
const AWAY_M: [f64; 5] = [0.0, 0.04, 0.08, 0.14, 0.2];
/// Directions in which they are tried.
const N_DIRECTIONS: usize = 8;

/// The orientation nearest to the given one in which the object's z axis points up.
pub(crate) fn upright_rotation(rotation: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let up = rotation * Vector3::z();
    // Upside down, any level axis will do.
    let turn = UnitQuaternion::rotation_between(&up, &Vector3::z())
        .unwrap_or_else(|| UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI));
    turn * rotation
}

/// The free place nearest to where it is on which it stands upright, and which `reaches`.
///
/// # Errors
///
/// `placement_unstable` if it does not stand upright there, `target_occupied`,
/// `unreachable`.
pub(crate) fn upright(
    percept: &Percept,
    held: &Held,
    world_from_held: &Pose,
    reaches: impl Fn(&Spot) -> bool,
) -> Result<Spot, Failure> {
    let raised = Pose::from_parts(
        world_from_held.translation,
        upright_rotation(&world_from_held.rotation),
    );
    let from = world_from_held.translation.vector;
    let mut told = None;
    for away_m in AWAY_M {
        let n = if away_m > 0.0 { N_DIRECTIONS } else { 1 };
        for i in 0..n {
            let angle = i as f64 * FRAC_PI_4;
            let point = [from.x + away_m * angle.cos(), from.y + away_m * angle.sin()];
            match at_point(percept, held, &raised, point, None) {
                Ok(spot) if leans(&spot) => {
                    let text = format!("{} does not stand upright on {}", held.id, spot.support);
                    let failure = Failure::new(Reason::PlacementUnstable, text);
                    told.get_or_insert(failure.about([held.id.clone()]));
                }
                Ok(spot) if reaches(&spot) => return Ok(spot),
                Ok(spot) => {
                    let text = format!("{} cannot be held upright over {}", held.id, spot.support);
                    let failure = Failure::new(Reason::Unreachable, text);
                    told.get_or_insert(failure.about([held.id.clone()]));
                }
                Err(failure) => {
                    told.get_or_insert(failure);
                }
            }
        }
    }
    Err(told.unwrap_or_else(|| Failure::new(Reason::PlacementUnstable, "there is no place")))
}

/// Whether standing means something else than upright for it.
fn leans(spot: &Spot) -> bool {
    const UPRIGHT_RAD: f64 = 0.1;
    (spot.world_from_object.rotation * Vector3::z()).angle(&Vector3::z()) > UPRIGHT_RAD
}
