//! Integration tests of the crate, in one binary.

mod arm;
mod bodies;
mod build_errors;
mod common;
mod compliance;
mod faults;
mod grip_force;
mod monitors;
mod more_faults;
mod other_arm;
mod panda_grasp;
mod plug;
mod snapshots;
mod watch;
