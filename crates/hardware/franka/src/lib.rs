//! A real Franka behind Regrasp's skills: [`FrankaArm`] is a [`regrasp_api::World`] that speaks the
//! arm's own protocol (Franka Control Interface), version 5 (Panda) and 10 (FR3). No other crate
//! knows that protocol.
//!
//! It follows timed trajectories at 1 kHz, commands the hand, stops, recovers from reflexes and
//! reconnects. It does not plan, see or know objects: motions come from a planner, objects from
//! perception.
//!
//! Enter at [`FrankaArm::connect`].
//!
//! # Invariants
//!
//! - Nothing moves while connecting and recovering, and the arm does not move before somebody
//!   [approved](Approval) the first motion, unless [`Safety`] disables that.
//! - Every motion is computed and checked as the arm will receive it, cycle by cycle, before the
//!   first cycle is sent: speed, acceleration, jerk, joint margins and the tool's workspace.
//! - The thread that talks to the arm waits for no other thread, and its cycle allocates nothing.
//! - Every end of a motion is reported as an outcome or as a [`regrasp_api::RobotError`] with
//!   figures.
//!
//! # What is absent
//!
//! - Compliance: the arm's own joint impedance follows every motion.
//! - Streams: a motion that [goes on](regrasp_api::Trajectory::goes_on) is brought to rest at its
//!   end, and the next begins from rest.
//! - Tactile pads. The hand only reports its width and that its fingers stopped.
//! - [`regrasp_api::Monitor::FingerBlocked`] never fires: the hand reports its width at some 60 Hz,
//!   but not the width that its controller commands. Fingers that stop early end the command as
//!   `stalled`.
//!
//! # The libraries behind it
//!
//! - `franka-rs` speaks the protocol, for both arms.
//! - `parking_lot` has locks without poisoning, whose `try_lock` never waits.

#![cfg(target_os = "linux")]

mod approval;
mod arm;
mod brake;
mod connect;
mod course;
mod cycle;
mod drive;
mod fit;
mod hand;
mod job;
mod limits;
mod link;
mod robot_errors;
mod safety;
mod state;
mod status;
mod wait;
mod world;

pub use approval::{Approval, FirstMotion};
pub use arm::FrankaArm;
pub(crate) use brake::{Brakes, CYCLE_SECS};
pub use connect::{ArmOptions, ConnectError, ConnectionReport, Realtime};
pub(crate) use job::{Abort, End, Job};
pub use limits::{ArmKind, N_JOINTS};
pub(crate) use limits::{ArmLimits, Joints};
pub(crate) use link::{Answer, Link, Order};
pub use link::{CycleCounts, Stop};
pub use safety::{CollisionThresholds, Safety, SafetyError};
pub(crate) use state::{ArmState, off};
pub use status::{ArmMode, ArmSample, ArmStatus, Glance, Watcher};
pub(crate) use wait::until;
