//! Triangle meshes: read from files, repaired, split into convex parts, simplified.
//!
//! **What it does.** [`read()`] turns a file of any format into a [`Mesh`], and nothing else in the
//! workspace reads triangles; [`xml_text`] turns almost valid XML into strict XML, and
//! [`xml_document`] parses it. [`solid()`] makes from a mesh the convex parts for contact and the
//! mass distribution ([`MeshBody`]); [`decomposition`] and [`hull_of`] need no closed surface.
//! [`sweep`] makes the same from cross-sections. A [`Surface`] is a mesh to be drawn, with normals
//! and texture coordinates; [`levels`] reduces its triangles. [`read_points`] reads point clouds.
//!
//! **What it does not do.** It knows no scene, robot or image: the caller provides a file's path
//! and units and adds line numbers to errors.
//!
//! # Invariants
//!
//! - No file causes a panic: a panic inside a library becomes a [`ReadError`].
//! - A mesh that was read has between one and [`MAX_TRIANGLES`] triangles; all their vertices exist
//!   and have finite coordinates.
//! - The same triangles are repaired, split and simplified in the same way on every machine.
//!
//! # Dependencies
//!
//! - `roxmltree` parses the XML of COLLADA; `read::collada` traverses the scene itself. OBJ and STL
//!   are read here, not by `mesh-loader` 0.1: that library is stricter than other programs
//!   (comments, continued lines, a UTF-8 byte order mark), its errors give neither line nor number,
//!   and it takes binary STL for text.
//! - `gltf` reads glTF and GLB: it is the only complete, validating reader. Its image decoding is
//!   switched off. `percent-encoding` decodes the addresses of its buffers; the HTTP clients depend
//!   on it anyway.
//! - `ply-rs-bw` 4 reads PLY files, text and binary: maintained, and its errors name the line.
//! - `parry` computes hulls, as the simulator does, and distances from points to triangles. Its
//!   V-HACD is not used: `parts` gives the reason.

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
mod simplify;
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
pub use read::{Format, file_bytes, read, read_bytes, read_surface, read_text};
pub use simplify::{Level, levels};
pub use solid::{FURTHEST_M, LONGEST_M, MeshReport, check_size, decomposition, hull_of, solid};
pub use surface::Surface;
pub use triangles::{MAX_TRIANGLES, Mesh, ReadError, Up};
pub use xml::{check_xml_depth, xml_document, xml_text};
