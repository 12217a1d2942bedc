//! A place to put an object down.

use nalgebra::Vector3;
use regrasp_api::{ObjectId, Pose};

use crate::params::TOLERANCE_M;

/// A place to put an object down.
#[derive(Clone, Debug)]
pub(crate) struct Placement {
    /// The object on which it will rest.
    pub(crate) support: ObjectId,
    /// Its pose at rest.
    pub(crate) world_from_object: Pose,
    /// The manner in which it rests there.
    pub(crate) rest: Rest,
    /// From there to where the straight way in from the side begins, m in World, if the hand
    /// does not come from above. Then it is turned as it is there and no other way.
    pub(crate) way_back: Option<Vector3<f64>>,
}

impl Placement {
    /// Returns true if its origin is then at a height that was asked for, m in World.
    pub(crate) fn is_at_height(&self, z: f64) -> bool {
        (self.world_from_object.translation.z - z).abs() <= TOLERANCE_M
    }

    /// Returns true if the hand comes in from the side: rather level than down.
    pub(crate) fn is_from_side(&self) -> bool {
        self.way_back.is_some_and(|way| way.xy().norm() > way.z)
    }
}

/// The manner in which something rests at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// It stands, turned about the vertical in any way.
    Stands,
    /// It is let go above a heap, and its final pose is not known: inside the support is then all
    /// that can be asked of it.
    Inside,
    /// It lies on a slope or leans on a wall, as it is turned and no other way.
    Laid,
}
