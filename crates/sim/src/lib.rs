//! The simulated world on rapier.

mod actuate;
mod assembly;
mod build;
mod build_objects;
mod build_robot;
mod contacts;
mod convert;
mod disturb;
mod error;
mod faults;
mod follow;
mod gripping;
mod inner;
mod layout;
mod monitors;
mod options;
mod robot_checks;
mod self_contact;
mod shapes;
mod snapshot;
mod state;
mod truth;
mod world;

pub use error::SimError;
pub use faults::{DisturbError, Disturbance, When};
pub use options::SimOptions;
pub use truth::{SimFaults, SimTruth};
pub use world::SimWorld;
