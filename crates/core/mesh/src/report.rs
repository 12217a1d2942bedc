//! Report on reading a mesh file.

use serde::{Deserialize, Serialize};

use crate::parts::{MOST_OUTSIDE, Parts};

/// Content of a mesh file, its repairs, and the error of its convex parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeshReport {
    /// Number of triangles in the file, without degenerate ones.
    pub n_triangles: usize,
    /// True if the triangles enclose a solid, perhaps after repairs. Otherwise the solid is the
    /// space that cannot be reached from outside, plus a shell of one cell.
    pub is_closed: bool,
    /// Repairs, one sentence each.
    #[serde(rename = "mended")]
    pub repairs: Vec<String>,
    /// Volume of the solid, m³.
    pub volume_m3: f64,
    /// Number of convex parts that represent the mesh.
    pub n_parts: usize,
    /// Volume of the parts outside the solid, as a fraction of its volume.
    pub outside: f64,
    /// Volume of the solid outside the parts, as a fraction of its volume.
    pub missing: f64,
}

impl MeshReport {
    pub(crate) fn new(
        n_triangles: usize,
        is_closed: bool,
        repairs: Vec<String>,
        split: &Parts,
    ) -> Self {
        Self {
            n_triangles,
            is_closed,
            repairs,
            volume_m3: split.solid_m3,
            n_parts: split.parts.len(),
            outside: split.outside,
            missing: split.missing,
        }
    }

    /// Returns true if the parts are so inaccurate that the object will act larger than it is.
    pub fn is_far_off(&self) -> bool {
        self.outside > MOST_OUTSIDE
    }
}
