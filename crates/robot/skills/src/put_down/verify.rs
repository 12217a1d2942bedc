//! Looking whether what was put down came to rest where it should.

use nalgebra::{Point3, Vector3};
use regrasp_api::{Failure, Phase, Pose, Reason, Shape, Success};
use regrasp_relations::is_inside;
use regrasp_robot::Robot;

use super::work::{HEIGHT_TOL_M, ON_TARGET_M, PlaceWork};
use crate::grasp::mass_in_object;
use crate::release::TILT_TOL_RAD;
use crate::sight;
use crate::spot::{Rest, upright};

/// Time for the world to come to rest before it is judged, s.
const REST_SECS: f64 = 2.0;

/// Whether it rests where it should.
pub(crate) fn verify_placed(robot: &mut Robot, work: &PlaceWork) -> Result<Success, Failure> {
    match work.rest {
        Rest::Heaped => return verify_heaped(robot, work),
        Rest::Laid => return verify_laid(robot, work),
        Rest::Stands => {}
    }
    let id = &work.held.id;
    robot.settle(REST_SECS)?.at_rest(&[id, &work.support])?;
    let rests = sight::see_again(robot, id)?;
    let goal = &work.world_from_object;
    let noise_m = 3.0 * rests.position_std_m;
    let off = rests.position() - goal.translation.vector;
    let (off_m, height_off_m) = (off.xy().norm(), off.z.abs());
    let tilt_rad = tilt(&work.held.shape, goal, &rests.world_from_object);
    if height_off_m > HEIGHT_TOL_M + noise_m || tilt_rad > TILT_TOL_RAD {
        let text = format!(
            "{id} did not stay on {}: it rests {height_off_m:.4} m above or below its place, \
             {off_m:.4} m beside it, tilted by {tilt_rad:.2} rad",
            work.support
        );
        return Err(Failure::new(Reason::PlacementUnstable, text)
            .in_phase(Phase::Verify)
            .about([id.clone(), work.support.clone()])
            .measured("height_off", height_off_m, Some(HEIGHT_TOL_M), "m")
            .measured("tilt", tilt_rad, Some(TILT_TOL_RAD), "rad"));
    }
    if off_m > ON_TARGET_M + noise_m {
        let text = format!(
            "{id} rests {off_m:.4} m from its place on {} (at most {ON_TARGET_M:.3} m)",
            work.support
        );
        return Err(Failure::new(Reason::PlacedOffTarget, text)
            .about([id.clone(), work.support.clone()])
            .measured("off_target", off_m, Some(ON_TARGET_M), "m"));
    }
    let text = format!(
        "{id} rests on {}, {off_m:.4} m from its place",
        work.support
    );
    Ok(Success::new(text)
        .about([id.clone(), work.support.clone()])
        .measured("off_target", off_m, Some(ON_TARGET_M), "m"))
}

/// Whether it came to rest inside its support, however it lies there.
fn verify_heaped(robot: &mut Robot, work: &PlaceWork) -> Result<Success, Failure> {
    let (id, into) = (&work.held.id, &work.support);
    let settled = robot.settle(REST_SECS)?;
    settled.at_rest(&[id, into])?;
    sight::see_again(robot, id)?;
    let [inner, outer] = [id, into].map(|id| settled.percept.object(id));
    let lies_in = inner.zip(outer).is_some_and(|(a, b)| is_inside(a, b));
    if !lies_in {
        let text = format!("{id} did not stay in {into}: it fell out");
        return Err(Failure::new(Reason::PlacementUnstable, text)
            .in_phase(Phase::Verify)
            .about([id.clone(), into.clone()]));
    }
    let text = format!("{id} lies in {into}, where it was let fall");
    Ok(Success::new(text).about([id.clone(), into.clone()]))
}

/// Whether it lies or leans as it was laid there; about its own length it may have rolled.
fn verify_laid(robot: &mut Robot, work: &PlaceWork) -> Result<Success, Failure> {
    let (id, on, shape) = (&work.held.id, &work.support, &work.held.shape);
    let settled = robot.settle(REST_SECS)?;
    settled.at_rest(&[id, on])?;
    let rests = sight::see_again(robot, id)?;
    let length = upright(&settled.percept, id, shape)?.axis();
    let mass = Point3::from(mass_in_object(shape));
    let (goal, found) = (&work.world_from_object, &rests.world_from_object);
    let off_m = (goal * mass - found * mass).norm();
    let tilt_rad = (goal.rotation * length).angle(&(found.rotation * length));
    let limit_m = ON_TARGET_M + 3.0 * rests.position_std_m;
    if off_m > limit_m || tilt_rad > TILT_TOL_RAD {
        let text = format!(
            "{id} did not stay as it was laid on {on}: it rests {off_m:.4} m from its place, \
             turned by {tilt_rad:.2} rad"
        );
        return Err(Failure::new(Reason::PlacementUnstable, text)
            .in_phase(Phase::Verify)
            .about([id.clone(), on.clone()])
            .measured("off_target", off_m, Some(limit_m), "m")
            .measured("tilt", tilt_rad, Some(TILT_TOL_RAD), "rad"));
    }
    let text = format!("{id} lies on {on} as it was laid, {off_m:.4} m from its place");
    Ok(Success::new(text).about([id.clone(), on.clone()]).measured(
        "off_target",
        off_m,
        Some(limit_m),
        "m",
    ))
}

/// Angle between where an object's vertical pointed and where it points, rad. What has an
/// axis may turn about it: a can that lies has not tilted when it rolls.
fn tilt(shape: &Shape, wanted: &Pose, found: &Pose) -> f64 {
    if let Shape::Cylinder { .. } | Shape::Capsule { .. } = shape {
        let rise = |pose: &Pose| (pose.rotation * Vector3::z()).angle(&Vector3::z());
        return (rise(wanted) - rise(found)).abs();
    }
    let up_in_object = wanted.rotation.inverse() * Vector3::z();
    (found.rotation * up_in_object).angle(&Vector3::z())
}
