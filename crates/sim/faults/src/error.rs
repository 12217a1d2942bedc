//! Errors of injecting a fault.

use regrasp_api::{ObjectId, Pose};
use regrasp_ground_truth::GroundTruth;

use crate::disturbance::DisturbError;

/// A fault that cannot be injected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FaultError {
    /// The world does not allow the disturbance.
    #[error(transparent)]
    Disturb(#[from] DisturbError),
    /// The fault names an unknown object.
    #[error("inject a fault: there is no object `{object}` (known objects: {})", known.join(", "))]
    UnknownObject {
        /// Named object.
        object: ObjectId,
        /// Known objects.
        known: Vec<String>,
    },
    /// The fault needs an object that slides on a joint.
    #[error(
        "inject a fault: `{object}` is not on a sliding joint (objects that are: {})",
        if sliding.is_empty() { "none".to_owned() } else { sliding.join(", ") }
    )]
    NothingSlides {
        /// Named object.
        object: ObjectId,
        /// Objects that slide on a joint.
        sliding: Vec<String>,
    },
    /// The fault names an unknown skill.
    #[error("inject a fault: there is no skill `{skill}` (known skills: {})", known.join(", "))]
    UnknownSkill {
        /// Named skill.
        skill: String,
        /// Known skills.
        known: Vec<String>,
    },
    /// The fault needs a store, but the run has none.
    #[error("inject a store fault: the run is not stored; name a store and a run key")]
    NothingKept,
}

pub(crate) fn place_of(truth: &GroundTruth, id: &ObjectId) -> Result<Pose, FaultError> {
    match truth.object(id) {
        Some(object) => Ok(object.world_from_object),
        None => Err(FaultError::UnknownObject {
            object: id.clone(),
            known: truth.objects.iter().map(|o| o.id.to_string()).collect(),
        }),
    }
}
