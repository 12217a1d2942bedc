//! What is known of an object without looking.

use serde::{Deserialize, Serialize};

use crate::{KnownZone, ObjectId, Upright};

/// What is known of an object without looking at it: from a catalogue, a label, a scene file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// Of which object.
    pub object: ObjectId,
    /// Which way up it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upright: Option<Upright>,
    /// Its mass, kg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_kg: Option<f64>,
    /// Places of it that have a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<KnownZone>,
    /// Of what it is a part: of a cabinet, if it is one of its drawers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<ObjectId>,
}
