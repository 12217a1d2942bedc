//! Objects with a mesh, read from a file or swept by a cross-section.
//!
//! One file becomes two things: convex parts, which represent the object in every contact query
//! (like the parts of any compound), and a [`MeshBody`](regrasp_mesh::MeshBody), the surface to
//! draw with its mass distribution.

mod file;
mod swept;

pub(crate) use file::{decomposition, hull, object, up};
pub(crate) use swept::{extrusion, joined, lathe, torus};
