//! Collision-checked paths and jerk-limited timing.
//!
//! **What it does.** [`ArmPlanner`] implements [`regrasp_api::MotionPlanner`]: inverse kinematics
//! towards a goal, a collision-free path, and timing within the arm's velocity, acceleration and
//! jerk limits. A [`Body`] answers distance and ray queries between shapes.
//!
//! A path is the straight line in joint space or the time-optimal curve of the joints. If those
//! collide, the planner tries detours that rise above both ends, cross and descend, and then
//! searches with RRT-Connect ([`search`]), with the robot as spheres and eight configurations at a
//! time. If no path is found, the failure is `path_blocked`. Every path is checked against
//! obstacles and against the arm itself, including the held object: first by spheres, and where
//! these are hit by the exact shapes.
//!
//! **What it does not do.** The only path constraint is to keep a direction upright; the search for
//! such paths is slow.
//!
//! **Where to enter.** [`ArmPlanner::new`]; [`search::Search`] for paths alone.
//!
//! **Invariants.** The planner is immutable and deterministic: the same request gives the same
//! answer. A returned trajectory respects every limit, and was checked for collision along the
//! exact curve that it follows.
//!
//! # The libraries behind it
//!
//! - `parry3d-f64` measures distances between shapes. rapier uses it too, so planning and
//!   simulation agree about geometry.
//! - `pulp` 0.22 computes eight configurations at once on stable Rust without `unsafe`. It detects
//!   AVX2 at run time and has a portable fallback with bit-identical results.
//! - `smallvec` 1 keeps the poses of a check on the stack, so that the inner loop of a search does
//!   not allocate: widely used, and needs no upper bound on the number of bodies.
//! - `rsruckig` 3 times motions from rest to rest: pure Rust, maintained, and time-optimal for
//!   jerk-limited motion of one or all joints.
//! - `copp` 0.2 finds the highest speeds along a curved path within limits on velocity and
//!   acceleration, by reachability analysis (TOPP-RA): pure Rust, maintained, and ten times as fast
//!   as the Python original. Its solvers with jerk limits run a general-purpose cone solver per
//!   path, so jerk is bounded here.

mod arm;
mod body;
mod collision;
mod coverage;
mod error;
mod goals;
mod inverse;
mod limits;
mod line;
mod path;
mod plan;
mod route;
pub mod search;
mod spheres;
mod timing;
mod untimed;
mod upright;

pub use arm::ArmPlanner;
pub use body::{Body, Meeting, RayHit};
pub use collision::{AllowedContacts, Proximity};
pub use coverage::{COVERED_M, LinkCoverage, Uncovered, coverage};
pub use error::ArmPlannerError;
pub use limits::JointLimits;
