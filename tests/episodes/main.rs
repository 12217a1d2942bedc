//! Whole episodes: tasks, recovery, kills and resumes, other worlds, policies, pixels.

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
