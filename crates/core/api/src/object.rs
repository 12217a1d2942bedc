//! Objects as perception reports them, groups of small ones, and prior knowledge about them.

use serde::{Deserialize, Serialize};

use crate::{Aabb, KnownZone, ObjectId, Pose, Shape, Upright};

/// Object as perception reports it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerceivedObject {
    /// Id, stable while the object stays in view.
    pub id: ObjectId,
    /// Category (`cube`, `mug`, `table`).
    pub category: String,
    /// Colour as a word.
    pub color: Option<String>,
    /// Shape as far as it is known.
    pub shape: Shape,
    /// Pose in World.
    pub world_from_object: Pose,
    /// Standard deviation of the position, m.
    pub position_std_m: f64,
    /// Set if the object can be moved, unlike a table.
    pub movable: bool,
}

impl PerceivedObject {
    /// Returns the bounding box in World.
    pub fn aabb_in_world(&self) -> Aabb {
        self.shape.aabb(&self.world_from_object)
    }

    /// Returns the origin in World.
    pub fn position(&self) -> nalgebra::Vector3<f64> {
        self.world_from_object.translation.vector
    }
}

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
    /// Returns a single object that stands for the group, so that a phrase can refer to it: a
    /// sphere at the position of the first member.
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
    /// Centre of mass in the object's frame, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_center: Option<[f64; 3]>,
    /// Named places of the object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub zones: Vec<KnownZone>,
    /// Object that this one is a part of, such as the cabinet of a drawer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<ObjectId>,
}
