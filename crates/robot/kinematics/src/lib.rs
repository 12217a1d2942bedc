//! URDF to forward kinematics, Jacobian and inverse kinematics.
//!
//! **What it does.** [`RobotModel`] reads a URDF, checks it and keeps it as plain data. [`Chain`]
//! is the path from one link to another with fixed joints merged; it computes tool poses and
//! Jacobians from joint positions. [`ik::solve`] computes the inverse, and [`ik::PandaIk`] does so
//! in closed form for a Franka Panda. [`RobotModel::with_sliding_fingers`] replaces a hand whose
//! fingers turn.
//!
//! **What it does not do.** No dynamics, no collisions, no robot file (`scene` reads that), no
//! state: every function takes the joint positions and returns a result. Joints with more than one
//! degree of freedom are rejected.
//!
//! **Where to enter.** [`RobotModel::load`], then [`RobotModel::chain`], then [`Chain::forward`],
//! [`Chain::jacobian`] and [`ik::solve`].
//!
//! **Conventions.** SI units and radians. A transform `a_from_b` maps coordinates in frame b to
//! coordinates in frame a. A Jacobian is 6 x n with rows `[v; w]`: linear velocity of the tip, then
//! angular velocity, both in the axes of the chain's base.
//!
//! **Invariants.** A loaded [`RobotModel`] is one tree: `links()[0]` is its root and
//! `links()[i + 1]` is the child of `joints()[i]`, parents before children. Every number in it is
//! finite except the limits of continuous joints. Bad input is a [`LoadError`], never a panic. The
//! inverse kinematics is deterministic: the same target, seed and options give the same answer.
//!
//! # XML parser
//!
//! `urdf-rs` 0.9 parses the XML; only this crate knows that library, and no public signature uses
//! its types. It is lenient (a missing `<limit>` becomes zeros, a missing `<inertial>` a mass of
//! zero), so `load` checks its result.

mod chain;
mod error;
mod geometry;
mod gripper;
pub mod ik;
mod linkage;
mod load;
mod model;
#[cfg(test)]
mod testing;

pub use chain::{Chain, Jacobian, MAX_DOF};
pub use error::{ChainError, LoadError};
pub use geometry::Geometry;
pub use gripper::{FingerGeometry, GripperError, GripperGeometry, GripperLinks};
pub use load::MeshSearch;
pub use model::{
    Collision, Inertial, Joint, JointDynamics, JointKind, JointLimits, Link, Linkage, Mimic,
    RobotModel, Visual,
};
