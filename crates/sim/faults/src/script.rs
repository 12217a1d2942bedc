//! Faults of the world as timed disturbances of objects, gripper and joints.

use regrasp_api::Pose;
use regrasp_ground_truth::GroundTruth;

use crate::disturbance::{Disturbance, When};
use crate::error::{FaultError, place_of};
use crate::fault::Fault;

/// Rise from which an object counts as carried, m: less than the usual lift.
const CARRIED_RISE_M: f64 = 0.08;

type Script = Vec<(When, Disturbance)>;

/// Returns the timed disturbances of a fault that begins now; none if it is not a fault of the
/// world. The seed decides all random choices.
///
/// # Errors
///
/// [`FaultError`] if an object is unknown, or is on no joint but should be.
pub fn script(now: &GroundTruth, fault: &Fault, seed: u64) -> Result<Script, FaultError> {
    Ok(match of_object(now, fault, seed)? {
        Some(script) => script,
        None => of_robot_or_joint(now, fault)?,
    })
}

/// One-time faults of single objects.
fn of_object(now: &GroundTruth, fault: &Fault, seed: u64) -> Result<Option<Script>, FaultError> {
    let at_or_closing =
        |secs: &Option<f64>| secs.map_or(When::AfterClosing { delay_secs: 0.0 }, |s| at(now, s));
    Ok(Some(match fault.clone() {
        Fault::Nudged {
            object,
            distance_m,
            at_secs,
        } => {
            let nudged = Disturbance::NudgeObject {
                object,
                distance_m,
                turn_rad: 0.0,
                seed,
            };
            vec![(at_or_closing(&at_secs), nudged)]
        }
        Fault::Moved {
            object,
            by_m: [x, y],
            at_secs,
        } => {
            let world_from_object = Pose::translation(x, y, 0.0) * place_of(now, &object)?;
            let moved = Disturbance::MoveObject {
                object,
                world_from_object,
            };
            vec![(at_or_closing(&at_secs), moved)]
        }
        Fault::Removed { object, at_secs } => {
            let removed = Disturbance::RemoveObject { object };
            vec![(at_or_closing(&at_secs), removed)]
        }
        Fault::ObstacleAppears {
            object,
            xy: [x, y],
            at_secs,
        } => {
            let z = place_of(now, &object)?.translation.z;
            let there = Disturbance::MoveObject {
                object: object.clone(),
                world_from_object: Pose::translation(x, y, z),
            };
            let gone = Disturbance::RemoveObject { object };
            vec![(at(now, at_secs), there), (When::Now, gone)]
        }
        Fault::Diverges { object, at_secs } => {
            vec![(at(now, at_secs), Disturbance::PoisonObject { object })]
        }
        _ => return Ok(None),
    }))
}

/// Faults of gripper, arm and drawers, temporary or permanent.
fn of_robot_or_joint(now: &GroundTruth, fault: &Fault) -> Result<Script, FaultError> {
    let after = |at_secs: f64| move |secs: f64| at(now, at_secs + secs);
    let slippery = |factor| Disturbance::SlipperyPads { factor };
    Ok(match fault.clone() {
        Fault::SlipAtLift {
            factor,
            delay_secs,
            for_secs,
        } => {
            let when = |secs: f64| When::AfterGrasp {
                delay_secs: delay_secs + secs,
            };
            for_a_while(when, for_secs, slippery(factor))
        }
        Fault::SlipInTransport {
            object,
            factor,
            delay_secs,
            for_secs,
        } => {
            let when = |secs: f64| When::AfterRise {
                object: object.clone(),
                rise_m: CARRIED_RISE_M,
                delay_secs: delay_secs + secs,
            };
            for_a_while(when, for_secs, slippery(factor))
        }
        Fault::GripperStuck { for_secs } => {
            let when = |secs: f64| When::AfterClosing { delay_secs: secs };
            for_a_while(when, for_secs, Disturbance::StuckGripper)
        }
        Fault::GripperWeak { factor, for_secs } => {
            let weak = Disturbance::WeakGripper { factor };
            for_a_while(|secs| at(now, secs), for_secs, weak)
        }
        Fault::JointSlow {
            joint,
            max_speed,
            at_secs,
            for_secs,
        } => {
            let slow = Disturbance::SlowJoint { joint, max_speed };
            for_a_while(after(at_secs), for_secs, slow)
        }
        Fault::JointBlocked {
            joint,
            at_secs,
            for_secs,
        } => {
            let blocked = Disturbance::BlockJoint { joint };
            for_a_while(after(at_secs), for_secs, blocked)
        }
        Fault::DrawerJams {
            object,
            at_secs,
            for_secs,
        } => {
            let mut joints = now.joints.iter();
            let Some(joint) = joints.find(|joint| joint.child == object) else {
                let sliding = now.joints.iter().map(|joint| joint.child.to_string());
                let sliding = sliding.collect();
                return Err(FaultError::NothingSlides { object, sliding });
            };
            let joint = joint.id.clone();
            let jammed = Disturbance::JamJoint { joint };
            for_a_while(after(at_secs), for_secs, jammed)
        }
        _ => vec![],
    })
}

fn at(now: &GroundTruth, secs: f64) -> When {
    When::At {
        time_secs: now.time_secs + secs,
    }
}

/// A disturbance, and its end if it is temporary; `when` maps seconds after the start to a time.
fn for_a_while(
    when: impl Fn(f64) -> When,
    for_secs: Option<f64>,
    disturbance: Disturbance,
) -> Script {
    let end = for_secs.map(|secs| {
        let disturbance = Box::new(disturbance.clone());
        (when(secs), Disturbance::End { disturbance })
    });
    [(when(0.0), disturbance)].into_iter().chain(end).collect()
}
