//! Robots, worlds and planners for interactive sessions.
//!
//! A backend builds what a [`Session`](regrasp_session::Session) commands. [`SimBackend`] puts one
//! robot into simulated scenes, one after the other. With the feature `franka`, `real` has the
//! backend that connects to a real arm, and the parts of a single run with one: connection,
//! perception, recording. This crate serves no page, renders no picture and prints nothing. Its
//! locks are `parking_lot`'s, as the session's are.

mod options;
#[cfg(all(feature = "franka", target_os = "linux"))]
pub mod real;
mod run_store;
mod sim;
mod view;

pub use options::{PlannerMaker, SkillMaker, StartScene, StationOptions};
pub use sim::SimBackend;
