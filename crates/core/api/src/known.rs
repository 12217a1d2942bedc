//! What is known of an object without looking.

use serde::{Deserialize, Serialize};

use crate::{KnownZone, ObjectId, Percept, Shape, Upright};

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

impl Percept {
    /// What is known of an object without looking.
    pub fn known(&self, id: &ObjectId) -> Option<&Known> {
        self.known.iter().find(|known| &known.object == id)
    }

    /// Of what an object is a part, if it is.
    pub fn whole_of(&self, id: &ObjectId) -> Option<&ObjectId> {
        self.known(id).and_then(|known| known.part_of.as_ref())
    }

    /// The parts of an object, in the order in which they are known.
    pub fn parts_of<'a>(&'a self, whole: &'a ObjectId) -> impl Iterator<Item = &'a ObjectId> {
        let parts = self.known.iter();
        parts
            .filter(move |known| known.part_of.as_ref() == Some(whole))
            .map(|known| &known.object)
    }

    /// Which way up an object of this shape stands: as declared, else as its shape tells.
    /// `None` where neither says anything.
    pub fn upright(&self, id: &ObjectId, shape: &Shape) -> Option<Upright> {
        let declared = self.known(id).and_then(|known| known.upright);
        declared.or_else(|| Upright::of_shape(shape))
    }
}
