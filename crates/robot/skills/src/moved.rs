//! Verification of pushes and pulls, and diagnosis of their failures.

use nalgebra::Vector3;
use regrasp_api::{Failure, PerceivedObject, Phase, Pose, Reason, Success};
use regrasp_robot::{Result, Robot};
use serde_json::{Value, json};

use crate::aim::{Aim, first_met};
use crate::faces::rolls;
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
    check_upright(&aim.object, &rests.object, how)?;
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

/// Checks that an object has not fallen over since it was seen `before`.
pub(crate) fn check_upright(
    before: &PerceivedObject,
    after: &PerceivedObject,
    how: &str,
) -> Result<()> {
    let tilt_rad = fall_rad(before, &after.world_from_object);
    if tilt_rad <= FALLEN_RAD {
        return Ok(());
    }
    let id = &before.id;
    let text = format!("{id} fell over while it was {how}: it is tilted by {tilt_rad:.2} rad");
    Err(Failure::new(Reason::PlacementUnstable, text)
        .about([id.clone()])
        .measured("lean", tilt_rad, Some(FALLEN_RAD), "rad"))
}

/// Angle by which an object is tilted at another pose, rad; 0 if it only rolled.
pub(crate) fn fall_rad(before: &PerceivedObject, after: &Pose) -> f64 {
    let from = &before.world_from_object;
    // Direction in World, at the first pose, of the object's axis that points up afterwards.
    let next_up = from.rotation * (after.rotation.inverse() * Vector3::z());
    let axis = next_up.cross(&Vector3::z()).try_normalize(1e-6);
    match axis.is_some_and(|axis| rolls(before, &axis)) {
        true => 0.0,
        false => tilt_rad(from, after),
    }
}

/// Arguments that name the goal as a point, so that a retry moves no further.
pub(crate) fn to_point(aim: &Aim) -> Value {
    json!({
        "x": aim.goal.x, "y": aim.goal.y,
        "direction": null, "towards": null, "beside": null, "side": null, "aside": false,
        "distance_m": null,
    })
}

/// Explains why a motion was stopped: by an obstacle ahead of the object, or by its resistance.
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
        "{id} moved {moved_m:.3} m of {wanted_m:.3} m; {what}: {}",
        failure.detail
    );
    let explained = Failure::new(reason, text)
        .about(blocker)
        .about([id.clone()])
        .measured("moved", moved_m, Some(wanted_m), "m");
    sight::explained_by(explained, failure)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;
    use nalgebra::UnitQuaternion;
    use regrasp_api::{Pose, Shape};
    use regrasp_testkit::{cuboid, cylinder};

    fn placed(shape: &Shape, turn: Vector3<f64>) -> PerceivedObject {
        PerceivedObject {
            shape: shape.clone(),
            world_from_object: Pose::new(Vector3::new(0.5, -0.3, 0.1), turn),
            ..regrasp_testkit::cube("thing", 0.03, [0.0; 3])
        }
    }

    #[test]
    fn a_retry_towards_a_point_has_no_other_goal() {
        let aim = Aim {
            object: placed(&cuboid([0.03; 3]), Vector3::zeros()),
            goal: [0.4, 0.1].into(),
            support: None,
            least_m: None,
        };
        let mut args = json!({ "object": "thing", "aside": true });
        args = regrasp_api::merged_args(&args, &to_point(&aim));
        let args: crate::aim::SlideArgs = serde_json::from_value(args).unwrap();
        assert_eq!((args.x, args.y, args.aside), (Some(0.4), Some(0.1), false));
    }

    #[test]
    fn what_stood_has_fallen_and_what_rolls_has_not() {
        let can = cylinder(0.03, 0.06);
        let [x, y] = [Vector3::x(), Vector3::y()];
        let fallen = |shape: &Shape, from: Vector3<f64>, turn: Vector3<f64>| {
            let before = placed(shape, from);
            let mut after = before.clone();
            let rotation = &mut after.world_from_object.rotation;
            *rotation = UnitQuaternion::new(turn) * *rotation;
            check_upright(&before, &after, "pushed").is_err()
        };
        let heading = Vector3::z() * 0.7;
        assert!(fallen(&can, heading, y * FRAC_PI_2));
        assert!(
            fallen(&can, heading, x * 0.4),
            "a tilt of 0.4 rad is a fall"
        );
        assert!(!fallen(&can, heading, x * 0.2));
        assert!(fallen(&cuboid([0.03; 3]), heading, x * FRAC_PI_2));
        // The can lies along x. A rotation about x rolls it, and one about y lifts an end.
        assert!(!fallen(&can, y * FRAC_PI_2, x * 2.0));
        assert!(fallen(&can, y * FRAC_PI_2, y * 0.5));
        let ball = Shape::Sphere { radius: 0.03 };
        assert!(!fallen(&ball, heading, y * 2.5));
    }
}
