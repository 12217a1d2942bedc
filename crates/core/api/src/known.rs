//! Prior knowledge about objects.

use serde::{Deserialize, Serialize};

use crate::{KnownZone, ObjectId, Upright};

/// Prior knowledge about an object: from a catalogue, a label, a scene file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// Id of the object.
    pub object: ObjectId,
    /// Declared upright direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upright: Option<Upright>,
    /// Mass, kg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_kg: Option<f64>,
    /// Named places of the object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<KnownZone>,
    /// Object that this one is a part of, such as the cabinet of a drawer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<ObjectId>,
}
