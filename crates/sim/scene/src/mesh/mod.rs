//! Objects whose shape is a mesh: read from a file, or swept by a cross-section.
//!
//! One file becomes two things that belong together: convex parts, which stand for the object
//! in every question about contact (as the parts of any compound do), and a
//! [`MeshBody`](regrasp_mesh::MeshBody), the surface that is drawn and where its mass is.

mod file;
mod swept;

pub(crate) use file::{decomposition, hull, object, up};
pub(crate) use swept::{extrusion, joined, lathe, torus};
