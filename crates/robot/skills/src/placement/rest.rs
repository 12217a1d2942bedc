//! Placement of an object.

use nalgebra::Vector3;
use regrasp_api::{ObjectId, Pose};

use crate::params::TOLERANCE_M;

#[derive(Clone, Debug)]
pub(crate) struct Placement {
    pub(crate) support: ObjectId,
    pub(crate) world_from_object: Pose,
    pub(crate) rest: Rest,
    /// Displacement from the place to the start of a straight approach from the side, m in World;
    /// `None` if the hand comes from above. If set, the rotation of the place is fixed.
    pub(crate) retreat: Option<Vector3<f64>>,
}

impl Placement {
    /// Returns true if the object's origin is at a requested height, m in World.
    pub(crate) fn is_at_height(&self, z: f64) -> bool {
        (self.world_from_object.translation.z - z).abs() <= TOLERANCE_M
    }

    /// Returns true if the hand approaches from the side: more horizontally than vertically.
    pub(crate) fn is_from_side(&self) -> bool {
        self.retreat
            .is_some_and(|retreat| retreat.xy().norm() > retreat.z)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// Standing, in any rotation about the vertical.
    Stands,
    /// Released above a pile, with an unknown final pose. Only its being inside the support can be
    /// verified.
    Inside,
    /// Lying on a slope or leaning on a wall, in a fixed rotation.
    Laid,
}
