//! Perception that reports ground truth: objects, shapes and poses.
//!
//! [`GroundTruthPerception`] is the only way by which ground truth reaches the robot, and it is a
//! [`regrasp_api::Perception`] like any other: skills, planners and the agent cannot distinguish it
//! from a camera. No other code under test reads ground truth or has access to a benchmark's judge.
//! [`NoiseOptions`] adds seeded noise, misses and latency, for results closer to those of real
//! sensors.
//!
//! **Out of scope.** This crate depends on no simulator (a
//! [`regrasp_ground_truth::GroundTruthSource`] is injected) and never changes the world.
//!
//! Invariant: the reports are a function of the ground truth, the options and the number of looks
//! (calls of `perceive`) so far.
//!
//! It is a crate of its own because it depends on ground truth: the compiler then ensures that code
//! which processes images has no access to ground truth.

mod ground_truth;
mod noise;

pub use ground_truth::{GroundTruthPerception, exact_percept};
pub use noise::{NoiseError, NoiseOptions};
