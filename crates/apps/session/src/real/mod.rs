//! A real arm: connection, perception, recordings, and the backend of a session.

mod backend;
mod connection;
mod error;
mod eyes;
mod hardware;
mod recording;
mod show;

pub use backend::{CELL, RealBackend, RealOptions};
pub use connection::{ArmAddress, Connection, approved, robot_of};
pub use error::RealArmError;
pub use eyes::{EyeSource, Eyes};
pub use recording::Recording;
