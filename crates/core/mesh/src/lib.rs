//! Triangle meshes: read from files, repaired, split into convex parts, simplified.
//!
//! **What it does.** [`read()`] turns a file of any format into a [`Mesh`], and nothing else in
//! the workspace reads triangles; [`xml_text`] makes strict XML of what is not quite that. [`solid()`] makes of a mesh what an object touches (convex parts)
//! and where its mass is ([`MeshBody`]); [`decomposition`] and [`hull_of`] need no closed surface.
//! [`sweep`] makes the same of cross-sections. A [`Surface`] is a mesh that is drawn, with normals
//! and texture coordinates; [`levels`] gives it with fewer triangles. [`read_points`] reads clouds.
//!
//! **What it does not do.** It knows no scene, no robot and no picture: who calls says where a
//! file is, what its lengths mean, and which line an error belongs to.
//!
//! # Invariants
//!
//! - No file makes it panic: whatever a library does with it becomes a [`ReadError`].
//! - A mesh that was read has triangles, no more than [`MAX_TRIANGLES`], all of whose corners
//!   exist and have finite coordinates.
//! - The same triangles are repaired, split and simplified in the same way on every machine.
//!
//! # The libraries behind it
//!
//! This is the only crate that knows them, parry excepted.
//!
//! - `roxmltree` parses the XML of COLLADA, whose scene `read::collada` walks itself. `mesh-loader`
//!   0.1 was used for OBJ before: it is strict where other programs are not (comments, lines that
//!   go on, a mark of UTF-8), names neither line nor number, and takes binary STL for text.
//! - `gltf` reads glTF and GLB: the one complete and validating reader; without its `import`,
//!   which would decode textures.
//! - `ply-rs-bw` 4 reads PLY files, text and binary: the maintained one of its kind, and its
//!   errors name the line.
//! - `parry` finds hulls, as the simulator does, and distances of points from triangles. Its
//!   V-HACD is not used: `parts` says why.

mod body;
mod closed;
mod crease;
mod form;
mod hull;
mod mapping;
mod parts;
mod points;
mod read;
mod repair;
mod report;
mod simplify;
mod size;
mod solid;
mod surface;
pub mod sweep;
mod triangles;
mod xml;

pub use body::MeshBody;
pub use form::{cuboid, cylinder, ellipsoid, plane, primitive};
pub use hull::{convex_hull, hull, hull_mesh};
pub use mapping::Mapping;
pub use parts::MOST_OUTSIDE;
pub use points::{MAX_POINTS, check_points, read_points, read_rows};
pub use read::{Format, read, read_bytes, read_surface};
pub use report::MeshReport;
pub use simplify::{Level, levels};
pub use size::{FURTHEST_M, LONGEST_M, check_size};
pub use solid::{decomposition, hull_of, solid};
pub use surface::Surface;
pub use triangles::{MAX_TRIANGLES, Mesh, ReadError, Up};
pub use xml::{xml_flaw, xml_text};
