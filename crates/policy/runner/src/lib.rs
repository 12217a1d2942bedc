//! Policies: control of the robot without a planner and skills.
//!
//! **Purpose.** [`drive`] runs one episode: at a fixed rate of simulated time, it sends
//! observations to a [`regrasp_api::Policy`] and moves towards the targets that the policy returns,
//! within the joints' limits and with monitors. [`ProcessPolicy`] runs a policy as a separate
//! process in any language, which exchanges JSON over its standard input and output, one object per
//! line. [`ReplayPolicy`] replays a recording. [`Steering`] moves the robot towards changing
//! targets, for custom control loops, and [`ServoGoal`] does so for a tool with operational-space
//! control.
//!
//! **Out of scope.** Planning and verification: a policy's "done" is a claim for a judge to verify.
//!
//! **Entry points.** [`drive`], [`ProcessPolicy`], and [`protocol`] for the messages.
//!
//! # Time
//!
//! The world waits for the policy, so that its computing time changes nothing as long as it meets
//! its deadline. If it misses the deadline, the robot continues towards the previous targets; only
//! this depends on the real clock.
//!
//! # Dependencies
//!
//! - `parking_lot` provides locks without poisoning.
//! - `shlex` splits a command line into words as a shell does, without running one.

mod drive;
mod end;
mod lines;
mod process;
pub mod protocol;
mod replay;
mod servo_goal;
mod steering;
mod terms;

pub use drive::{Done, DriveOptions, drive};
pub use process::{ProcessPolicies, ProcessPolicy};
pub use replay::ReplayPolicy;
pub use servo_goal::ServoGoal;
pub use steering::{Reach, Steering};
pub use terms::PolicyTerms;
