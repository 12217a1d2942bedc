//! ROS 2 without an installation of ROS. No other crate depends on the ROS libraries.
//!
//! **What it does.** [`serve`] offers a robot to ROS programs: joint states, transforms, the robot
//! description, time, cameras and objects as topics; `FollowJointTrajectory`, `GripperCommand` and
//! commands as text as actions. [`RosArm`] is the other direction: an arm behind such controllers
//! as a [`regrasp_api::World`].
//!
//! **What it does not do.** It plans nothing, and it has no access control: DDS has none without
//! its security plugins. By default it uses only the loopback interface.
//!
//! **Where to enter.** [`serve`] and [`OfferedRobot`], or [`RosArm::connect`]; inside, `node` (the
//! network), `messages` (definitions), `trajectory` (conversion and checks), `publisher` and
//! `actions` (the offered robot), `client` and `world` (the arm).
//!
//! # Invariants
//!
//! - A goal that the arm cannot follow within its limits is rejected before anything moves.
//! - When a goal is cancelled or pre-empted, or a tolerance is violated, the arm stops and holds
//!   its position.
//! - Only one order runs at a time, whoever gave it; others are rejected.
//! - Nothing moves while connecting, and the arm does not move before somebody approved the first
//!   motion, unless [`ArmSettings`] disables that.
//! - A joint state that is too old ends a motion. A controller that does not answer, or rejects or
//!   ends a motion, is a [`regrasp_api::RobotError`] that says so.
//!
//! # The libraries behind it
//!
//! - `ros2-client` speaks ROS 2's conventions on RustDDS, in Rust alone. It works with nodes of
//!   Humble to Kilted without any of their libraries; alternatives (`r2r`, `rclrs`) need an
//!   installation of ROS to build.
//! - `tokio` runs the tasks on one thread; `tracing` reports rejected goals.

mod actions;
mod arm_settings;
mod client;
#[cfg(test)]
mod loopback_tests;
mod messages;
mod node;
mod offered;
mod publisher;
mod server;
mod trajectory;
mod world;

pub use arm_settings::{ArmSettings, ArmSettingsError};
pub use node::{Middleware, NodeError, NodeSettings};
pub use offered::{
    Body, FingerJoints, OfferedRobot, Order, Outcome, Pending, RobotFacts, RosFrame, Snapshot,
};
pub use server::{ServerSettings, serve};
pub use trajectory::ArmJoint;
pub use world::{Approve, ConnectError, RosArm, ToolInBase};
