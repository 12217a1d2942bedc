//! Solid shapes and rigid transforms.
//!
//! **What it does.** [`Shape`] describes an object's solid: its extents, support function, hollow
//! ([`Cavity`]) and upright direction ([`Upright`]). [`joint_position`] reads a joint's position
//! off the poses of the two solids that it connects.
//!
//! **What it does not do.** It knows no robot, no named object and no sensor. Relations of
//! perceived objects are in `regrasp-relations`.
//!
//! # Invariants
//!
//! - Metres and radians; every shape is in its own frame until a [`Pose`] places it.
//! - No shape causes a panic.

mod articulation;
mod height_field;
mod hollow;
mod shape;
pub mod solids;
mod upright;

pub use articulation::{JointKind, JointRole, joint_position};
pub use height_field::HeightField;
pub use hollow::Cavity;
pub use shape::{Aabb, Part, Rod, Shape};
pub use upright::{NoAxis, Upright};

/// Rigid transform. Every value is named `a_from_b`.
pub type Pose = nalgebra::Isometry3<f64>;
