//! Verification that an object came to rest at its place.

use nalgebra::{Point3, Vector3};
use regrasp_api::{Failure, Phase, Pose, Reason, Shape, Success};
use regrasp_relations::{is_inside, level_gap_m};
use regrasp_robot::Robot;

use super::task::{HEIGHT_TOL_M, PlaceTask};
use crate::grasp::mass_in_object;
use crate::params::{ON_TARGET_M, REST_SECS, TILT_TOL_RAD};
use crate::placement::{Placement, Rest, upright};
use crate::poses::tilt_rad;
use crate::sight;

/// Largest gap between an object and the one right beside which it was put, m.
const CLOSE_M: f64 = 0.01;

pub(crate) fn verify_placed(robot: &mut Robot, task: &PlaceTask) -> Result<Success, Failure> {
    let Placement { support, rest, .. } = task.placement();
    if *rest == Rest::Inside {
        return verify_inside(robot, task);
    }
    let (id, shape) = (&task.held.id, &task.held.shape);
    let settled = robot.settle(REST_SECS)?;
    settled.at_rest(&[id, support])?;
    let rests = sight::see_again(robot, id)?;
    let (goal, found) = (
        &task.placement().world_from_object,
        &rests.world_from_object,
    );
    let noise_m = 3.0 * rests.position_std_m;
    let (off_m, height_off_m, tilt_rad) = if *rest == Rest::Laid {
        // It may have rolled about its own axis.
        let length = upright(&settled.percept, id, shape)?.axis();
        let mass = Point3::from(mass_in_object(shape));
        let tilt_rad = (goal.rotation * length).angle(&(found.rotation * length));
        ((goal * mass - found * mass).norm(), 0.0, tilt_rad)
    } else {
        let off = rests.position() - goal.translation.vector;
        (off.xy().norm(), off.z.abs(), tilt(shape, goal, found))
    };
    let about = [id.clone(), support.clone()];
    if height_off_m > HEIGHT_TOL_M + noise_m || tilt_rad > TILT_TOL_RAD {
        let text = format!(
            "{id} did not stay on {support}: it is off its place by {height_off_m:.4} m in height \
             and {off_m:.4} m sideways, and tilted by {tilt_rad:.2} rad"
        );
        return Err(Failure::new(Reason::PlacementUnstable, text)
            .in_phase(Phase::Verify)
            .about(about)
            .measured("height_off", height_off_m, Some(HEIGHT_TOL_M), "m")
            .measured("tilt", tilt_rad, Some(TILT_TOL_RAD), "rad"));
    }
    if off_m > ON_TARGET_M + noise_m {
        let text = format!(
            "{id} rests {off_m:.4} m from its place on {support} (at most {ON_TARGET_M:.3} m)"
        );
        return Err(Failure::new(Reason::PlacedOffTarget, text)
            .about(about)
            .measured("off_target", off_m, Some(ON_TARGET_M), "m"));
    }
    let text = format!("{id} rests on {support}, {off_m:.4} m from its place");
    let success = Success::new(text).about(about);
    Ok(success.measured("off_target", off_m, Some(ON_TARGET_M), "m"))
}

/// Checks that the object came to rest inside its support, in any pose.
fn verify_inside(robot: &mut Robot, task: &PlaceTask) -> Result<Success, Failure> {
    let (id, into) = (&task.held.id, &task.placement().support);
    let settled = robot.settle(REST_SECS)?;
    settled.at_rest(&[id, into])?;
    sight::see_again(robot, id)?;
    let [inner, outer] = [id, into].map(|id| settled.percept.object(id));
    let lies_in = inner.zip(outer).is_some_and(|(a, b)| is_inside(a, b));
    if !lies_in {
        let text = format!("{id} fell out of {into}");
        return Err(Failure::new(Reason::PlacementUnstable, text)
            .in_phase(Phase::Verify)
            .about([id.clone(), into.clone()]));
    }
    let text = format!("{id} was dropped into {into} and lies in it");
    Ok(Success::new(text).about([id.clone(), into.clone()]))
}

/// Checks that the object is close enough to the one right beside which it was put.
pub(crate) fn verify_close(robot: &mut Robot, task: &PlaceTask) -> Result<(), Failure> {
    let Some(phrase) = &task.close_to else {
        return Ok(());
    };
    let (_, target) = sight::find(robot, phrase)?;
    let placed = sight::see_again(robot, &task.held.id)?;
    let gap_m = level_gap_m(&placed, &target);
    let limit_m = CLOSE_M + 3.0 * (placed.position_std_m + target.position_std_m);
    if gap_m <= limit_m {
        return Ok(());
    }
    let text = format!(
        "{} stands {gap_m:.4} m from {} (right beside it, at most {limit_m:.4} m)",
        placed.id, target.id
    );
    Err(Failure::new(Reason::PlacedOffTarget, text)
        .about([placed.id, target.id])
        .measured("gap", gap_m, Some(limit_m), "m"))
}

/// Tilt between the wanted and the actual vertical axis of an object, rad. Rotation about an axis
/// of symmetry is ignored: a lying can has not tilted when it rolls.
fn tilt(shape: &Shape, wanted: &Pose, found: &Pose) -> f64 {
    if let Shape::Cylinder { .. } | Shape::Capsule { .. } = shape {
        let rise = |pose: &Pose| (pose.rotation * Vector3::z()).angle(&Vector3::z());
        return (rise(wanted) - rise(found)).abs();
    }
    tilt_rad(wanted, found)
}
