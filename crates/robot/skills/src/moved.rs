//! Verification of pushes and pulls, and diagnosis of their failures.

use regrasp_api::{Failure, PerceivedObject, Phase, Reason, Success};
use regrasp_robot::{Result, Robot};
use serde_json::{Value, json};

use crate::aim::{Aim, first_met};
use crate::params::{FALLEN_RAD, NEAR_M, REST_SECS, TOLERANCE_M};
use crate::poses::tilt_rad;
use crate::sight;

/// Displacement below which an object counts as not moved, m.
pub(crate) const STUCK_M: f64 = 0.005;

pub(crate) fn verify(robot: &mut Robot, aim: &Aim, how: &str) -> Result<Success> {
    let id = &aim.object.id;
    robot.settle(REST_SECS)?.at_rest(&[id])?;
    let rests = Aim {
        object: sight::see_again(robot, id)?,
        ..aim.clone()
    };
    let [before, after] = [aim, &rests].map(|aim| &aim.object.world_from_object);
    let lean_rad = tilt_rad(before, after);
    if lean_rad > FALLEN_RAD {
        let text = format!("{id} fell over while it was {how}: it is tilted by {lean_rad:.2} rad");
        return Err(Failure::new(Reason::PlacementUnstable, text)
            .about([id.clone()])
            .measured("lean", lean_rad, Some(FALLEN_RAD), "rad"));
    }
    let (off_m, limit_m) = (rests.displacement().norm(), TOLERANCE_M);
    let to = format!("x={:.3} y={:.3}", aim.goal.x, aim.goal.y);
    if !rests.is_there() {
        let text =
            format!("{id} was {how} but rests {off_m:.4} m from {to} (limit {limit_m:.4} m)");
        return Err(Failure::new(Reason::PushDeviated, text)
            .about([id.clone()])
            .measured("off_target", off_m, Some(limit_m), "m")
            .retry_with(to_point(aim)));
    }
    let text = format!("{id} was {how} to {to} and rests {off_m:.4} m from there");
    Ok(Success::new(text)
        .about([id.clone()])
        .measured("off_target", off_m, Some(limit_m), "m"))
}

/// Arguments that name the goal as a point, so that a retry moves no further.
pub(crate) fn to_point(aim: &Aim) -> Value {
    json!({
        "x": aim.goal.x, "y": aim.goal.y,
        "direction": null, "towards": null, "beside": null, "side": null, "distance_m": null,
    })
}

/// Diagnoses a failure: an obstacle in front of the object, too much resistance, or a lost object.
pub(crate) fn explain(
    robot: &mut Robot,
    aim: &Aim,
    from: &PerceivedObject,
    failure: Failure,
) -> Failure {
    let resisted = [Reason::PathBlocked, Reason::TrackingError];
    if !resisted.contains(&failure.reason) || failure.phase != Some(Phase::Execute) {
        return failure;
    }
    let Ok(percept) = robot.perceive() else {
        return failure;
    };
    let id = &aim.object.id;
    let now = percept.object(id).unwrap_or(from);
    let moved_m = (now.position() - from.position()).norm();
    let wanted_m = (aim.goal - from.position().xy()).norm();
    let ahead = (&aim.direction(), NEAR_M);
    let blocker = first_met(&percept, now, aim.support.as_ref(), ahead).map(|(_, o)| o.id.clone());
    let (reason, what) = match &blocker {
        Some(blocker) => (Reason::PathBlocked, format!("{blocker} was in its way")),
        None if moved_m < STUCK_M => (Reason::PushNoMotion, "it did not move".to_owned()),
        None => (Reason::PushDeviated, "it resisted".to_owned()),
    };
    let text = format!(
        "{id} moved {moved_m:.3} m of {wanted_m:.3} m, then {what}: {}",
        failure.detail
    );
    let explained = Failure::new(reason, text)
        .about(blocker)
        .about([id.clone()])
        .measured("moved", moved_m, Some(wanted_m), "m");
    sight::explained_by(explained, failure)
}
