//! Collision checks of configurations.

mod allowed;
mod contact;
mod excuses;
mod geometry;
mod own;
mod posed;
mod proximity;
mod surroundings;

pub use allowed::AllowedContacts;
pub(crate) use geometry::{LinkSolid, OwnPairs, RobotGeometry};
pub use proximity::Proximity;
pub(crate) use surroundings::Surroundings;
