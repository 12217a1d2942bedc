//! What became of a mesh file.

use serde::{Deserialize, Serialize};

use crate::parts::{MOST_OUTSIDE, Parts};

/// What a mesh file holds, what was mended of it, and how far its convex parts are off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeshReport {
    /// Triangles in the file, without those that are points or lines.
    pub n_triangles: usize,
    /// True if they enclose a solid, perhaps after mending. If not, it is what cannot be reached
    /// from outside, and a shell of one cell.
    pub is_closed: bool,
    /// What was mended, one sentence each.
    pub mended: Vec<String>,
    /// Volume of the solid, m³.
    pub volume_m3: f64,
    /// Convex parts that stand for it.
    pub n_parts: usize,
    /// What they fill outside of the solid, as a part of its volume.
    pub outside: f64,
    /// What of the solid they leave out, as a part of its volume.
    pub missing: f64,
}

impl MeshReport {
    pub(crate) fn new(
        n_triangles: usize,
        is_closed: bool,
        mended: Vec<String>,
        split: &Parts,
    ) -> Self {
        Self {
            n_triangles,
            is_closed,
            mended,
            volume_m3: split.solid_m3,
            n_parts: split.parts.len(),
            outside: split.outside,
            missing: split.missing,
        }
    }

    /// Returns true if the parts are so far off that the object will act larger than it is.
    pub fn is_far_off(&self) -> bool {
        self.outside > MOST_OUTSIDE
    }
}
