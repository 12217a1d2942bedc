//! Complete episodes: built-in tasks, recovery, resuming, other worlds, policies, perception from
//! pixels.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

#[path = "../common/mod.rs"]
mod common;
mod determinism;
mod frames;
mod franka;
mod libero_servo;
mod other_world;
mod pixels;
mod policy;
mod recovery;
mod resume;
mod tasks;
