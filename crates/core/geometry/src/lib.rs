//! Solid shapes and rigid transforms, and what follows from them alone.
//!
//! **What it does.** [`Shape`] is what an object is made of; extents, supports, hollows
//! ([`Cavity`]), the way it stands ([`Upright`]) and the position of a joint between two solids
//! are computed here, once, for everyone.
//!
//! **What it does not do.** It knows no robot, no object with a name and no sense: what stands on
//! what is seen in `regrasp-relations`.
//!
//! # Invariants
//!
//! - Metres and radians; every shape is in its own frame until a [`Pose`] says where it is.
//! - No shape makes it panic.

mod articulation;
mod height_field;
mod hollow;
mod shape;
pub mod solids;
mod upright;

pub use articulation::{JointKind, JointRole, joint_position};
pub use height_field::HeightField;
pub use hollow::Cavity;
pub use shape::{Aabb, Part, Shape};
pub use upright::{NoAxis, Upright};

/// A rigid transform. Name every value `a_from_b`.
pub type Pose = nalgebra::Isometry3<f64>;
