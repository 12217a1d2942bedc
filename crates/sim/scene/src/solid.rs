//! A rigid body of a scene file.

use std::sync::Arc;

use regrasp_api::Shape;
use regrasp_mesh::{MeshBody, MeshReport};

/// A rigid body: its shape, and the mesh that it comes from.
#[derive(Debug, Clone)]
pub(crate) struct Solid {
    pub(crate) shape: Shape,
    pub(crate) mesh: Option<Arc<MeshBody>>,
    pub(crate) report: Option<Arc<MeshReport>>,
}

impl From<Shape> for Solid {
    fn from(shape: Shape) -> Self {
        Self {
            shape,
            mesh: None,
            report: None,
        }
    }
}
