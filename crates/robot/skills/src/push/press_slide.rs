//! Contacts on top of a flat object, from which it is pressed and slid along.

use nalgebra::{Translation3, Vector3};
use regrasp_api::Pose;
use regrasp_motion::Body;

use crate::aim::Aim;
use crate::bodies::{extent_m, keep_off};
use crate::grasp::{Hand, leaning};
use crate::params::TOUCH_GAP_M;

/// Ratio of height to narrower side from which an object is not flat: it would tip, not slide.
const FLAT: f64 = 0.5;
/// Largest distance of the contact ahead of the middle, as a fraction of the object's extent. An
/// object that is held in front of its middle follows and does not turn away.
const AHEAD: f64 = 0.5;
/// Step of the search for a contact ahead of the middle, m.
const AHEAD_STEP_M: f64 = 0.004;
/// Change of the surface height that counts as a rim, m.
const LEVEL_M: f64 = 0.002;
/// Step in which the fingers are lowered until contact, m.
pub(super) const DOWN_STEP_M: f64 = 0.001;

/// Tool poses just above a flat object from which the upright hand presses on it, best first.
pub(super) fn places(hand: &Hand, aim: &Aim) -> Vec<Pose> {
    let size = aim.object.aabb_in_world().size();
    if size.z > FLAT * size.x.min(size.y) {
        return vec![];
    }
    let direction = aim.direction();
    let yaw = direction.y.atan2(direction.x);
    let quarter = std::f64::consts::FRAC_PI_2;
    let turns = [1.0, -1.0, 0.0, 2.0].map(|n| leaning(yaw + n * quarter, 0.0));
    let place = |turn| furthest(hand, aim, &Pose::from_parts(Vector3::zeros().into(), turn));
    turns.into_iter().filter_map(place).collect()
}

/// Tool pose above the level surface, furthest ahead of the object's middle, up to [`AHEAD`].
fn furthest(hand: &Hand, aim: &Aim, turned: &Pose) -> Option<Pose> {
    let object = &aim.object;
    let body = Body::new(&object.shape, &object.world_from_object)?;
    let bounds = object.aabb_in_world();
    let direction = aim.direction();
    let touching = |ahead_m: f64| {
        let middle = bounds.center().coords + direction * ahead_m;
        let at_height = |z: f64| Translation3::new(middle.x, middle.y, z) * turned;
        let top = bounds.max[2] + hand.depth_m(&turned.rotation) + DOWN_STEP_M;
        let n_steps = (bounds.size().z / DOWN_STEP_M).ceil() as usize + 1;
        let mut heights = (0..=n_steps).map(|i| top - i as f64 * DOWN_STEP_M);
        let touches = |z: &f64| {
            let fingers = hand.at(&at_height(*z), 0.0).fingers;
            !keep_off(&fingers, [&body], DOWN_STEP_M)
        };
        heights.find(touches).map(at_height)
    };
    let first = touching(0.0)?;
    let most_m = AHEAD * extent_m(object, &object.position(), &direction);
    let n_steps = (most_m / AHEAD_STEP_M) as usize;
    let rise_m = |at: &Pose| at.translation.z - first.translation.z;
    let ahead = (1..=n_steps).map_while(|i| {
        let next = touching(i as f64 * AHEAD_STEP_M)?;
        (rise_m(&next).abs() <= LEVEL_M).then_some(next)
    });
    let at = ahead.last().unwrap_or(first);
    Some(Translation3::new(0.0, 0.0, TOUCH_GAP_M) * at)
}
