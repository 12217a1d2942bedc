//! Groups of small objects that are counted, not handled one by one.

use serde::{Deserialize, Serialize};

use crate::{ObjectId, PerceivedObject, Shape};

/// Many similar small round objects, such as beads. No skill plans around a single one, and no
/// phrase refers to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerceivedGroup {
    /// Name of the group.
    pub id: ObjectId,
    /// Category of the group's members (`beads`).
    pub category: String,
    /// Colour as a word.
    pub color: Option<String>,
    /// Radius of each member, m.
    pub radius_m: f64,
    /// Position of each member in World, m, in a fixed order.
    pub positions: Vec<[f64; 3]>,
}

impl PerceivedGroup {
    /// Returns one object in place of the group, which a phrase can refer to.
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
