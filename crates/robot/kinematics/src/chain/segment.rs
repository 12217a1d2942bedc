//! Segments of a chain.

use nalgebra::{Matrix3, Vector3};

/// One joint that moves. Frames are turned so that every joint moves about or along
/// its own z axis: then moving it costs twelve products instead of a rotation matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    /// From the previous joint's frame to this one's at position zero.
    pub(crate) fixed: Segment,
    pub(crate) is_prismatic: bool,
    /// Which entry of `q` moves it.
    pub(crate) q_idx: usize,
    /// Position = `multiplier * q[q_idx] + offset`.
    pub(crate) multiplier: f64,
    pub(crate) offset: f64,
}

/// A rigid transform as rotation matrix and translation, for speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Segment {
    pub(crate) rotation: Matrix3<f64>,
    pub(crate) translation: Vector3<f64>,
}
