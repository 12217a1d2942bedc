//! Collision-checked paths and jerk-limited timing.
//!
//! **What it does.** [`ArmPlanner`] answers [`regrasp_api::MotionPlanner`]: inverse
//! kinematics towards a goal, a path that touches nothing, and timing within the
//! arm's velocity, acceleration and jerk limits. [`surface_height`] looks straight
//! down on a shape, and a [`Body`] measures distances between shapes.
//!
//! A path is the straight line in joint space; or one that rises above everything,
//! crosses and descends; or one that RRT-Connect finds ([`search`]), with the robot as
//! spheres and eight configurations at a time. What none of them can pass is
//! `path_blocked`.
//!
//! **What it does not do.** Straight lines and detours are not checked for collision of
//! the arm with itself; searched paths are, before the curve that the arm follows
//! rounds their corners. Path constraints (such as "keep it upright") are not known.
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
//! - `wide` 1.7 computes eight configurations at once on stable Rust, with a portable
//!   fallback where the processor's vectors are shorter.
//! - `rsruckig` 3 times a motion along its path: pure Rust, maintained, and
//!   time-optimal for jerk-limited motion of one degree of freedom.

mod arm;
mod body;
mod collision;
mod inverse;
mod limits;
mod path;
mod route;
pub mod search;
mod shapes;
mod spheres;
mod surface;
mod timing;

pub use arm::{ArmPlanner, ArmPlannerError};
pub use body::{Body, RayHit};
pub use limits::JointLimits;
pub use surface::surface_height;
