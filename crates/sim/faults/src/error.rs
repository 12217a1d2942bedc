//! Errors of injecting a fault.

use regrasp_api::{ObjectId, Pose};
use regrasp_ground_truth::GroundTruth;

use crate::disturbance::DisturbError;

/// A fault that cannot be injected.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "each message says what its fields are")]
pub enum FaultError {
    #[error(transparent)]
    Disturb(#[from] DisturbError),
    #[error("inject a fault: there is no object `{object}` (known objects: {})", known.join(", "))]
    UnknownObject {
        object: ObjectId,
        known: Vec<String>,
    },
    #[error(
        "inject a fault: `{object}` is on no joint (objects that are: {})",
        if sliding.is_empty() { "none".to_owned() } else { sliding.join(", ") }
    )]
    NothingSlides {
        object: ObjectId,
        sliding: Vec<String>,
    },
    #[error("inject a fault: there is no skill `{skill}` (known skills: {})", known.join(", "))]
    UnknownSkill { skill: String, known: Vec<String> },
    #[error("inject a store fault: the run has no store; name a store and a run key")]
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
