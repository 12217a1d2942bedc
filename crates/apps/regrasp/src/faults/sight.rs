//! Faults of the eyes.

use regrasp_ground_truth::{Fault, WorldTruth};
use regrasp_ground_truth_perception::{PerceptionDisturbance, PerceptionTrouble};

use super::error::{FaultError, place_of};

/// What a fault does to the eyes, if it is one of theirs.
pub fn perception_disturbance(
    now: &WorldTruth,
    fault: &Fault,
) -> Result<Option<PerceptionDisturbance>, FaultError> {
    let start_secs = now.time_secs;
    let (object, trouble, from_secs, for_secs) = match fault {
        Fault::SightMisses {
            object,
            from_secs,
            for_secs,
        } => (object, PerceptionTrouble::Missed, from_secs, for_secs),
        Fault::SightMislabels {
            object,
            other,
            from_secs,
            for_secs,
        } => {
            place_of(now, other)?;
            let other = other.clone();
            (
                object,
                PerceptionTrouble::TakenFor { other },
                from_secs,
                for_secs,
            )
        }
        Fault::SightIsOff {
            object,
            offset_m,
            from_secs,
            for_secs,
        } => {
            let offset_m = *offset_m;
            (
                object,
                PerceptionTrouble::Off { offset_m },
                from_secs,
                for_secs,
            )
        }
        _ => return Ok(None),
    };
    place_of(now, object)?;
    let from_secs = start_secs + from_secs;
    Ok(Some(PerceptionDisturbance {
        object: object.clone(),
        trouble,
        from_secs,
        until_secs: for_secs.map(|secs| from_secs + secs),
    }))
}
