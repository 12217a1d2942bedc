//! Faults that cannot be brought about.

use regrasp_api::{ObjectId, Pose};
use regrasp_ground_truth::GroundTruth;

use crate::disturbance::DisturbError;

/// A fault that cannot be brought about.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FaultError {
    /// The world cannot be disturbed so.
    #[error(transparent)]
    Disturb(#[from] DisturbError),
    /// It is about an object that is not there.
    #[error("bring a fault about: there is no object `{object}` (known objects: {})", known.join(", "))]
    UnknownObject {
        /// The object.
        object: ObjectId,
        /// Known ones.
        known: Vec<String>,
    },
    /// It is about something that does not slide on a joint.
    #[error(
        "bring a fault about: `{object}` slides on no joint (what does: {})",
        if sliding.is_empty() { "nothing here".to_owned() } else { sliding.join(", ") }
    )]
    NothingSlides {
        /// The object.
        object: ObjectId,
        /// Objects that do.
        sliding: Vec<String>,
    },
    /// It is about a skill that there is not.
    #[error("bring a fault about: there is no skill `{skill}` (known skills: {})", known.join(", "))]
    UnknownSkill {
        /// The skill.
        skill: String,
        /// Known ones.
        known: Vec<String>,
    },
    /// It is about a store, and nothing is kept.
    #[error("bring a fault of the store about: the run is not kept; name a store and a run key")]
    NothingKept,
}

/// The true pose of an object.
pub(crate) fn place_of(truth: &GroundTruth, id: &ObjectId) -> Result<Pose, FaultError> {
    match truth.object(id) {
        Some(object) => Ok(object.world_from_object),
        None => Err(FaultError::UnknownObject {
            object: id.clone(),
            known: truth.objects.iter().map(|o| o.id.to_string()).collect(),
        }),
    }
}
