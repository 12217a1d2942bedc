//! Policies: what drives the robot directly, instead of a planner that calls skills.
//!
//! **What it does.** [`drive`] runs one episode: at a fixed rate of simulated time it shows a
//! [`regrasp_api::Policy`] what the robot senses and steers towards what the policy answers,
//! within the joints' limits and under monitors. [`ProcessPolicy`] lets another process be the
//! policy, in any language: it speaks JSON, one object a line, over its standard input and
//! output. [`ReplayPolicy`] plays a recording again. [`Steering`] is the loop's hand on the robot,
//! for whoever has a loop of their own, and [`Pull`] the same for a tool that is driven by forces.
//!
//! **What it does not do.** It plans nothing and verifies nothing: a policy's "done" is a
//! claim, and a judge says what it is worth.
//!
//! **Where to enter.** [`drive`], [`ProcessPolicy`], and [`protocol`] for what is said to a
//! process and what it may answer.
//!
//! # Time
//!
//! The world waits for the policy, so how fast it answers changes nothing, as long as it
//! answers within its deadline. After that the robot goes on towards the targets before; this
//! alone depends on the real clock.
//!
//! # The libraries behind it
//!
//! - `parking_lot` has locks without poison.
//! - `shlex` splits a command line into words as a shell does, without running one.

mod drive;
mod end;
mod lines;
mod process;
pub mod protocol;
mod pull;
mod replay;
mod steering;
mod terms;

pub use drive::{Done, DriveOptions, drive};
pub use process::{ProcessOptions, ProcessPolicies, ProcessPolicy};
pub use pull::Pull;
pub use replay::ReplayPolicy;
pub use steering::{Reach, Steering};
pub use terms::PolicyTerms;
