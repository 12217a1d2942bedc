//! Many small things that are counted, not handled one by one.

use serde::{Deserialize, Serialize};

use crate::{ObjectId, PerceivedObject, Shape};

/// Many small round things alike, such as beads. They are no objects: nothing plans around
/// them, and no phrase for an object finds them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerceivedGroup {
    /// The name of all of them together.
    pub id: ObjectId,
    /// What kind of things they are (`beads`).
    pub category: String,
    /// Their colour as a word.
    pub color: Option<String>,
    /// Radius of each, m.
    pub radius_m: f64,
    /// Where each is, in World, m; always in the same order.
    pub positions: Vec<[f64; 3]>,
}

impl PerceivedGroup {
    /// A single thing in place of all of them, to be found by a phrase.
    pub fn as_object(&self) -> PerceivedObject {
        let first = self.positions.first().copied().unwrap_or_default();
        PerceivedObject {
            id: self.id.clone(),
            category: self.category.clone(),
            color: self.color.clone(),
            shape: Shape::Sphere {
                radius: self.radius_m,
            },
            world_from_object: crate::Pose::translation(first[0], first[1], first[2]),
            position_std_m: 0.0,
            movable: true,
        }
    }
}
