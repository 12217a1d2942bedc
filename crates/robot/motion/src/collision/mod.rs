//! Collision checks of configurations.

mod checks;
mod geometry;
mod posed;
mod surroundings;

pub use checks::Proximity;
pub(crate) use geometry::{LinkSolid, OwnPairs, RobotGeometry};
pub(crate) use posed::{ShapeAt, gap_m};
pub use surroundings::AllowedContacts;
pub(crate) use surroundings::{CARRY_MARGIN_M, HAND_MARGIN_M, Surroundings};
