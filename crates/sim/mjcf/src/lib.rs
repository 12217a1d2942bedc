//! MuJoCo's model files (MJCF) as scenes.
//!
//! **What it does.** [`read`] reads a model file with everything that it includes and names, and
//! gives a plain [`Model`]: a tree of bodies with geoms, joints, sites and cameras, in which
//! classes are applied and meshes and images are read. Its [`Ledger`] says of everything in
//! the files whether it was read, ignored or is unsupported, with file and line.
//! [`object`] and [`scene`] turn bodies into what a scene is made of: objects, joints between
//! them, what is drawn; [`write()`] makes a scene file of that.
//!
//! **What it does not do.** No contact parameters, no actuators, and of constraints only a body that is
//! welded to the world and joints that are geared to each other: the rest is told.
//! A robot in a model is left out, since the arm is that of the robot file.
//!
//! **Where to enter.** [`read`], then [`object`] for one body with what hangs on it, or
//! [`scene`] for a whole file.
//!
//! # Invariants
//!
//! - Whatever a file holds, reading it gives a value or an [`MjcfError`] with file and line,
//!   never a panic.
//! - What the ledger does not name as ignored or unsupported is in the model.
//!
//! # The libraries behind it
//!
//! `roxmltree` parses the XML and knows the line of every element and attribute. `mjcf-rs` 0.36.1,
//! weighed twice, gives values without places: of 98 small files it drops what `<replicate>` and
//! `<attach>` hold, unknown attributes and cameras without a word, and refuses five that MuJoCo
//! reads. `rapier3d-mjcf` 0.36.1 adds bodies to a simulator, where this crate needs scenes and an
//! account of everything, which cannot be added from outside.

mod assets;
mod bodies;
mod compiler;
mod copies;
mod couplings;
mod defaults;
mod draw;
mod error;
mod fit;
mod geoms;
mod ledger;
mod mass;
mod model;
mod pieces;
mod pose;
mod read;
mod reader;
mod values;
mod vocabulary;
mod write;
mod xml;

pub use draw::VisualSource;
pub use error::{MjcfError, SourceLine};
pub use ledger::{Entry, Fate, Ledger};
pub use model::{
    Body, Camera, Coupling, Gearing, Geom, GeomForm, InertiaFrom, Inertial, Joint, Material,
    MeshAsset, MeshInertia, Model, Motion, Site, TextureAsset,
};
pub use pieces::{Options, PieceSite, Pieces, Sources, object, scene};
pub use read::{files, read};
pub use write::{Written, write};
pub use xml::is_included;
