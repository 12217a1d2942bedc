//! Collision-checked paths and jerk-limited timing.
//!
//! **What it does.** [`ArmPlanner`] answers [`regrasp_api::MotionPlanner`]: inverse
//! kinematics towards a goal, a path that touches nothing, and timing within the
//! arm's velocity, acceleration and jerk limits. [`surface_height`] looks straight
//! down on a shape.
//!
//! **What it does not do.** No search: a path is the straight line in joint space,
//! or one that rises above everything, crosses and descends. What neither of them
//! can pass is `path_blocked`. Self-collision is not checked. A sampling planner
//! fits behind [`ArmPlanner`] without a caller noticing.
//!
//! **Where to enter.** [`ArmPlanner::new`].
//!
//! **Invariants.** Nothing is mutated and nothing is random: the same request gets
//! the same answer. A trajectory that leaves this crate respects every limit it was
//! given, and was checked for collision along the very curve that it follows.
//!
//! # The libraries behind it
//!
//! - `parry3d-f64` measures distances between shapes; it is what rapier itself uses,
//!   so planning and simulation agree about geometry.
//! - `rsruckig` 3 times a motion along its path: pure Rust, maintained, and
//!   time-optimal for jerk-limited motion of one degree of freedom.

mod arm;
mod collision;
mod inverse;
mod limits;
mod path;
mod route;
mod shapes;
mod surface;
mod timing;

pub use arm::{ArmPlanner, ArmPlannerError};
pub use limits::JointLimits;
pub use surface::surface_height;
