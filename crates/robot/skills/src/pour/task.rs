//! State of a pour.

use nalgebra::Vector3;
use regrasp_api::{Held, ObjectId, Pose};

use super::contents::Contents;

/// State of a call of [`Pour`](crate::Pour).
#[derive(Clone, Debug)]
pub struct PourTask {
    pub(super) held: Held,
    pub(super) target: ObjectId,
    pub(super) target_lean_rad: f64,
    pub(super) before: Contents,
    /// Fraction that has to arrive.
    pub(super) at_least: f64,
}

/// Tilt below which an object counts as upright, rad.
pub(super) const UPRIGHT_RAD: f64 = 0.03;

/// Angle of an object's up direction from the vertical, rad.
pub(super) fn lean_rad(world_from_object: &Pose) -> f64 {
    (world_from_object.rotation * Vector3::z()).angle(&Vector3::z())
}
