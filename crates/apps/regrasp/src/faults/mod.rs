//! Bringing faults about: in the simulated world, before the eyes, in the skills, in the
//! planner or in the store. The agent is told nothing.
//!
//! What can be made to go wrong is the vocabulary of [`Fault`](regrasp_ground_truth::Fault);
//! `regrasp-scene` reads it from files and command lines, and
//! [`EpisodeOptions::with_faults`](crate::EpisodeOptions::with_faults) is the one place
//! that acts on it.

mod apply;
mod error;
mod sight;
mod skills;
mod store;
mod troubled_planner;
mod world;

pub use error::FaultError;
pub use sight::perception_disturbance;
pub use skills::FlakySkills;
pub use store::{MemoryStore, TroubledStore};
pub use troubled_planner::TroubledPlanner;
pub use world::script;
