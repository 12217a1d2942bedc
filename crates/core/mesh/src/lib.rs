//! Triangle meshes: read from files, repaired, split into convex parts, simplified.
//!
//! **What it does.** [`read()`] turns a file of any format into a [`Mesh`], and nothing else in
//! the workspace reads triangles. [`solid()`] makes of a mesh what an object touches (convex parts)
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
//! - `mesh-loader` 0.1 reads STL (binary and text), OBJ and COLLADA without C++, and comes from
//!   the same group as `k` and `urdf-rs`; `tobj` and `stl_io` would be two. What it gets wrong
//!   about COLLADA scenes is corrected or refused in `read::collada` (with `roxmltree`, which it
//!   parses XML with anyway). Like ROS it ignores the up axis that a COLLADA file names.
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

pub use body::MeshBody;
pub use form::{Form, form};
pub use hull::{convex_hull, hull};
pub use mapping::Mapping;
pub use parts::MOST_OUTSIDE;
pub use points::{MAX_POINTS, check_points, read_points, read_rows};
pub use read::{Format, read, read_bytes, read_surface};
pub use report::MeshReport;
pub use simplify::{Level, levels};
pub use size::{FURTHEST_M, LONGEST_M, check_size};
pub use solid::{decomposition, hull_of, solid};
pub use surface::Surface;
pub use triangles::{MAX_TRIANGLES, Mesh, ReadError};
