//! An object as perception reports it.

use serde::{Deserialize, Serialize};

use crate::{Aabb, ObjectId, Pose, Shape};

/// An object as perception reports it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerceivedObject {
    /// Stable while the object stays in view.
    pub id: ObjectId,
    /// What kind of thing it is (`cube`, `mug`, `table`).
    pub category: String,
    /// Its colour as a word.
    pub color: Option<String>,
    /// Its shape as far as it is known.
    pub shape: Shape,
    /// Where it is.
    pub world_from_object: Pose,
    /// Standard deviation of its position, m.
    pub position_std_m: f64,
    /// Whether it could be moved (a table is not).
    pub movable: bool,
}

impl PerceivedObject {
    /// The bounding box in World.
    pub fn aabb_in_world(&self) -> Aabb {
        self.shape.aabb(&self.world_from_object)
    }

    /// The origin in World.
    pub fn position(&self) -> nalgebra::Vector3<f64> {
        self.world_from_object.translation.vector
    }
}
