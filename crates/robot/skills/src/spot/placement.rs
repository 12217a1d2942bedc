//! A place to put an object down.

use nalgebra::Vector3;
use regrasp_api::{ObjectId, Pose};

/// A given height may differ from where the object would stand by this, m.
pub(super) const GIVEN_HEIGHT_TOL_M: f64 = 0.01;

/// A place to put an object down.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    /// What it will stand on.
    pub(crate) support: ObjectId,
    /// Where it will be once it stands: on the stable face that is lowest now, and
    /// otherwise turned as it is now.
    pub(crate) world_from_object: Pose,
    /// How it comes to rest there.
    pub(crate) rest: Rest,
    /// From there to where the straight way in from the side begins, m in World, if the hand
    /// does not come from above. Then it is turned as it is there and no other way.
    pub(crate) way_back: Option<Vector3<f64>>,
}

impl Spot {
    /// Whether its origin is then at a height that was asked for, m in World.
    pub(crate) fn is_at_height(&self, z: f64) -> bool {
        (self.world_from_object.translation.z - z).abs() <= GIVEN_HEIGHT_TOL_M
    }

    /// Whether the hand comes in from the side.
    pub(crate) fn is_from_side(&self) -> bool {
        self.way_back.as_ref().is_some_and(is_level)
    }
}

/// Whether a way in is rather level than down.
pub(crate) fn is_level(way_back: &Vector3<f64>) -> bool {
    way_back.xy().norm() > way_back.z
}

/// How something comes to rest at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// It stands, turned about the vertical in any way.
    Stands,
    /// It is let go above a heap, so that nobody knows how it will come to lie: inside the
    /// support is then all that can be asked of it.
    Heaped,
    /// It lies on a slope or leans on a wall, as it is turned and no other way.
    Laid,
}
