//! Rigid segments between the joints of a chain.

use nalgebra::{Isometry3, IsometryMatrix3};

/// A moving joint. Frames are rotated so that every joint moves about or along its own z axis;
/// moving it then costs twelve products instead of a rotation matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    /// Transform from the previous joint's frame to this one's at position zero.
    pub(crate) fixed: Segment,
    pub(crate) is_prismatic: bool,
    /// Index of the joint's entry in `q`.
    pub(crate) q_idx: usize,
    /// Position = `multiplier * q[q_idx] + offset`.
    pub(crate) multiplier: f64,
    pub(crate) offset: f64,
}

/// A rigid transform as rotation matrix and translation, for speed.
pub(crate) type Segment = IsometryMatrix3<f64>;

pub(crate) fn segment(transform: &Isometry3<f64>) -> Segment {
    let rotation = transform.rotation.to_rotation_matrix();
    Segment::from_parts(transform.translation, rotation)
}
