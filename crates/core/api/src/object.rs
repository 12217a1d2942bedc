//! Objects as perception reports them.

use serde::{Deserialize, Serialize};

use crate::{Aabb, ObjectId, Pose, Shape};

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
