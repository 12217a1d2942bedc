//! Collision-checked paths and jerk-limited timing.
//!
//! **What it does.** [`ArmPlanner`] answers [`regrasp_api::MotionPlanner`]: inverse
//! kinematics towards a goal, a path that touches nothing, and timing within the
//! arm's velocity, acceleration and jerk limits. A [`Body`] measures distances between shapes,
//! and looks at them along rays.
//!
//! A path is the straight line in joint space, or the curve on which the joints are
//! fastest; or one that rises above everything, crosses and descends; or one that
//! RRT-Connect finds ([`search`]), with the robot as spheres and eight configurations at a
//! time. What none of them can pass is `path_blocked`. Every path is checked against
//! obstacles and against the arm itself, what it holds included: first by spheres, and
//! where these are hit by exact shapes.
//!
//! **What it does not do.** The one path constraint is to keep a direction upright; the
//! search for such paths is slow.
//!
//! **Where to enter.** [`ArmPlanner::new`]; [`search::Search`] for paths alone.
//!
//! **Invariants.** Nothing is mutated and nothing is random: the same request gets
//! the same answer. A trajectory that leaves this crate respects every limit it was
//! given, and was checked for collision along the very curve that it follows.
//!
//! # The libraries behind it
//!
//! - `parry3d-f64` measures distances between shapes; it is what rapier itself uses,
//!   so planning and simulation agree about geometry.
//! - `pulp` 0.22 computes eight configurations at once on stable Rust without `unsafe`:
//!   it finds out at run time whether the processor has AVX2, and has a portable
//!   fallback that gives the same bits.
//! - `rsruckig` 3 times motions from rest to rest: pure Rust, maintained, and
//!   time-optimal for jerk-limited motion of one or all joints.
//! - `copp` 0.2 finds the fastest speeds along a bent path within limits on velocity and
//!   acceleration, by reachability analysis (TOPP-RA): pure Rust, maintained, and ten
//!   times as fast as the Python original. Its solvers with jerk limits take a
//!   general-purpose cone solver per path, so jerk is bounded here.

mod arm;
mod body;
mod cause;
mod collision;
mod coverage;
mod error;
mod goals;
mod guided;
mod inverse;
mod limits;
mod line;
mod path;
mod plan;
mod route;
pub mod search;
mod spheres;
mod straight;
mod timing;
mod untimed;
mod upright;

pub use arm::ArmPlanner;
pub use body::{Body, Meeting, RayHit};
pub use collision::{AllowedContacts, Proximity};
pub use coverage::{COVERED_M, LinkCoverage, Uncovered, coverage};
pub use error::ArmPlannerError;
pub use limits::JointLimits;
