//! MuJoCo's model files (MJCF) as scenes.
//!
//! **What it does.** [`read`] reads a model file with all the files that it refers to, and returns
//! a plain [`Model`]: a tree of bodies with geoms, joints, sites and cameras, in which classes are
//! applied and meshes and images are read. Its [`Ledger`] lists everything in the files as read,
//! ignored or unsupported, with file and line. [`object`] and [`scene`] turn bodies into the
//! contents of a scene: objects, joints, visuals; [`write()`] makes a scene file of them.
//!
//! **What it does not do.** Of the contact parameters it reads only friction. Of the constraints it
//! reads only welds to the world and pairs of geared joints; it reports the others. It omits robots
//! in the model, which it recognises by their actuators: the arm is that of the robot file.
//!
//! **Where to enter.** [`read`], then [`object`] for one body with its descendants, or [`scene`].
//!
//! # Invariants
//!
//! - Reading any file returns a value or a [`SceneError`] with file and line, and never panics.
//! - Everything that the ledger does not list as ignored or unsupported is in the model.
//!
//! # Dependencies
//!
//! `roxmltree` parses the XML and knows the line of every element and attribute. `mjcf-rs` 0.36.1
//! does not suffice: its values have no lines; in 98 small files it silently drops the content of
//! `<replicate>` and `<attach>`, unknown attributes and cameras, and it rejects five that MuJoCo
//! reads. `rapier3d-mjcf` 0.36.1 adds bodies to a simulator, where this crate needs scenes and a
//! complete ledger, which cannot be added from outside.

mod assets;
mod bodies;
mod compiler;
mod copies;
mod couplings;
mod defaults;
mod draw;
mod error;
mod geoms;
mod ledger;
mod mass;
mod model;
mod pieces;
mod read;
mod values;
mod vocabulary;
mod write;
mod xml;

pub use draw::VisualSource;
pub(crate) use error::Result;
pub use error::SourceLine;
pub use ledger::{Entry, Fate, Ledger};
pub use model::{
    Body, Camera, Coupling, Gearing, Geom, GeomForm, InertiaFrom, Joint, Material, MeshAsset,
    MeshInertia, Model, Motion, Site, TextureAsset,
};
pub use pieces::{Options, PieceSite, Pieces, Sources, object, scene};
pub use read::{files, read};
pub(crate) use regrasp_scene::SceneError;
pub use write::{Written, write};
pub use xml::is_included;
