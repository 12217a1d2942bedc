//! What the robot sees: objects, shapes and poses.
//!
//! [`GroundTruthPerception`] is the one door through which the world's truth comes
//! to the robot, and it is a [`regrasp_api::Perception`] like any other: skills,
//! planners and the agent cannot tell it from a camera. Only a benchmark's judge
//! reads the truth besides it, and nothing under test sees the judge. So that the
//! door does not promise more than senses do, [`NoiseOptions`] adds seeded noise,
//! misses and latency.
//!
//! What this crate does not do: it knows no simulator (a
//! [`regrasp_ground_truth::GroundTruthSource`] is injected) and never changes the world.
//!
//! Invariant: the reports are a function of the truth, the options and the number
//! of looks so far.
//!
//! Why not one crate with `vision`: this one depends on the truth. What looks at pixels must not
//! be able to, and a crate boundary is what the compiler checks.

mod ground_truth;
mod noise;

pub use ground_truth::GroundTruthPerception;
pub use noise::{NoiseError, NoiseOptions};
