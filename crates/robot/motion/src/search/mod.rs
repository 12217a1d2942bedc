//! Search for a free path: RRT-Connect, then simplification.
//!
//! [`Search::new`] prepares a problem, [`Search::solve`] finds a path, [`Search::simplify`]
//! shortens it, [`Search::time`] turns it into a motion. Samples come from a Halton sequence and
//! budgets count them, so the same problem has the same answer everywhere, unless a time budget is
//! set ([`SearchBudget`]).
//!
//! The search uses spheres that cover the robot, eight configurations at a time (`edge`). The final
//! path is proven free along its whole length with spheres enlarged by the motion between two
//! checks. The exact shapes are used only where spheres cannot decide: at ends close to obstacles,
//! on edges that spheres cannot prove free, and when spheres alone find no path.

mod connect;
mod edge;
mod failure;
mod halton;
mod pairs;
mod prepared;
mod problem;
mod q;
mod simplify;
mod solve;
mod timed;
mod tree;
mod verify;

pub use failure::{Excess, SearchFailure};
pub(crate) use pairs::RobotSpheres;
pub use prepared::Search;
pub use problem::{RanOut, SearchBudget, SearchOptions, SearchProblem, Waypoints};
pub use timed::{TimedAlong, TimedPath};

pub use crate::path::path_length;
