//! Fault injection: the faults of an episode, and their implementation.
//!
//! **What it does.** A [`Fault`] is data, and [`KINDS`] lists the fields of each kind. [`script`]
//! turns a fault of the world into timed [`Disturbance`]s. Faults of perception, planner, skills
//! and store wrap the real ones: [`disturbed_perception`], [`troubled_planner`],
//! [`flaky_skills`], [`troubled_store`].
//!
//! **What it does not do.** It reads no files (`regrasp-scene` does, by [`KINDS`]) and knows no
//! simulator: `regrasp-sim` applies the disturbances. The agent does not learn of faults, and
//! nothing under test depends on this crate.

mod disturbance;
mod error;
mod fault;
mod fields;
mod perception;
mod planner;
mod script;
mod skills;
mod store;

pub use disturbance::{DisturbError, Disturbance, When};
pub use error::FaultError;
pub use fault::{Fault, PlannerTrouble, StoreTrouble};
pub use fields::{FieldKind, FieldSpec, KINDS};
pub use perception::{
    PerceptionDisturbance, PerceptionTrouble, disturbed_perception, perception_disturbance,
};
pub use planner::troubled_planner;
pub use script::script;
pub use skills::flaky_skills;
pub use store::{MemoryStore, troubled_store};
