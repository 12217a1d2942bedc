//! Faults of the world: what happens to objects, gripper and joints, and when.

use regrasp_api::{ObjectId, ObjectJoint, Pose};
use regrasp_ground_truth::{Fault, WorldTruth};
use regrasp_sim::{Disturbance, When};

use super::error::{FaultError, place_of};
use crate::{Cell, SetupError};

/// How far an object has risen when it counts as carried, m: less than the usual lift.
const CARRIED_RISE_M: f64 = 0.08;

/// Brings a fault about that is one of the world.
pub(super) fn disturb(cell: &mut Cell, fault: &Fault, seed: u64) -> Result<(), SetupError> {
    let script = script(&cell.sim()?.truth.truth(), fault, seed)?;
    for (when, disturbance) in script {
        let scheduled = cell.sim()?.faults.disturb(when, disturbance);
        scheduled.map_err(FaultError::from)?;
    }
    if matches!(fault, Fault::ObstacleAppears { .. }) {
        // The eyes would see it until the next step of the world.
        cell.robot.wait(1e-3).map(drop).ok();
    }
    Ok(())
}

/// What happens to the world, and when, if a fault begins now; nothing if it is none of the
/// world's.
pub fn script(
    now: &WorldTruth,
    fault: &Fault,
    seed: u64,
) -> Result<Vec<(When, Disturbance)>, FaultError> {
    let at = |secs: f64| When::At {
        time_secs: now.time_secs + secs,
    };
    let at_or_closing =
        |secs: &Option<f64>| secs.map_or(When::AfterClosing { delay_secs: 0.0 }, at);
    let for_a_while = |when: &dyn Fn(f64) -> When, for_secs: &Option<f64>, disturbance, end| {
        let end = for_secs.map(|secs| (when(secs), end));
        [(when(0.0), disturbance)].into_iter().chain(end).collect()
    };
    let script = match fault {
        Fault::SlipAtLift {
            factor,
            delay_secs,
            for_secs,
        } => {
            let when = |secs: f64| When::AfterGrasp {
                delay_secs: delay_secs + secs,
            };
            for_a_while(&when, for_secs, slippery(*factor), slippery(1.0))
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
            for_a_while(&when, for_secs, slippery(*factor), slippery(1.0))
        }
        Fault::Nudged {
            object,
            distance_m,
            at_secs,
        } => vec![(
            at_or_closing(at_secs),
            Disturbance::NudgeObject {
                object: object.clone(),
                distance_m: *distance_m,
                turn_rad: 0.0,
                seed,
            },
        )],
        Fault::Moved {
            object,
            by_m: [x, y],
            at_secs,
        } => {
            let world_from_object = place_of(now, object)?;
            let moved = Disturbance::MoveObject {
                object: object.clone(),
                world_from_object: Pose::translation(*x, *y, 0.0) * world_from_object,
            };
            vec![(at_or_closing(at_secs), moved)]
        }
        Fault::Removed { object, at_secs } => {
            let object = object.clone();
            vec![(at_or_closing(at_secs), Disturbance::RemoveObject { object })]
        }
        Fault::ObstacleAppears {
            object,
            xy: [x, y],
            at_secs,
        } => {
            let z = place_of(now, object)?.translation.z;
            let there = Disturbance::MoveObject {
                object: object.clone(),
                world_from_object: Pose::translation(*x, *y, z),
            };
            let object = object.clone();
            vec![
                (at(*at_secs), there),
                (When::Now, Disturbance::RemoveObject { object }),
            ]
        }
        Fault::GripperStuck { for_secs } => {
            let when = |secs: f64| When::AfterClosing { delay_secs: secs };
            let stuck = Disturbance::StuckGripper;
            for_a_while(&when, for_secs, stuck, Disturbance::Repair)
        }
        Fault::GripperWeak { factor, for_secs } => {
            let weak = |factor| Disturbance::WeakGripper { factor };
            for_a_while(&at, for_secs, weak(*factor), weak(1.0))
        }
        Fault::JointSlow {
            joint,
            max_speed,
            at_secs,
            for_secs,
        } => {
            let slow = Disturbance::SlowJoint {
                joint: joint.clone(),
                max_speed: *max_speed,
            };
            let when = |secs: f64| at(at_secs + secs);
            for_a_while(&when, for_secs, slow, Disturbance::Repair)
        }
        Fault::JointBlocked {
            joint,
            at_secs,
            for_secs,
        } => {
            let joint = joint.clone();
            let when = |secs: f64| at(at_secs + secs);
            let blocked = Disturbance::BlockJoint { joint };
            for_a_while(&when, for_secs, blocked, Disturbance::Repair)
        }
        Fault::DrawerJams {
            object,
            at_secs,
            for_secs,
        } => {
            let joints = &now.joints;
            let slides = joints.iter().find(|joint| &joint.child == object);
            let Some(joint) = slides.map(|joint| joint.id.clone()) else {
                return Err(no_drawer(object, joints));
            };
            let when = |secs: f64| at(at_secs + secs);
            let jammed = Disturbance::JamJoint { joint };
            for_a_while(&when, for_secs, jammed, Disturbance::Repair)
        }
        Fault::Diverges { object, at_secs } => {
            let object = object.clone();
            vec![(at(*at_secs), Disturbance::PoisonObject { object })]
        }
        _ => vec![],
    };
    Ok(script)
}

fn slippery(factor: f64) -> Disturbance {
    Disturbance::SlipperyPads { factor }
}

fn no_drawer(object: &ObjectId, joints: &[ObjectJoint]) -> FaultError {
    FaultError::NothingSlides {
        object: object.clone(),
        sliding: joints.iter().map(|joint| joint.child.to_string()).collect(),
    }
}
