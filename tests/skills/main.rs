//! Each skill in simulation, and the rules that all skills keep.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod claims;
#[path = "../common/mod.rs"]
mod common;
mod conformance;
mod drawer;
mod grasping;
mod hinges;
mod leaning;
mod levels;
mod look;
mod meshes;
mod other_robot;
mod over_peg;
mod pour;
mod precise;
mod pull;
mod push;
mod pushes;
mod reasons;
mod scans;
mod shapes;
mod standing;
mod tap;
mod under_roof;
mod upright;
mod wait_until;
