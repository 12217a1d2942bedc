//! Ground truth of the simulated world, and judgement of tasks by it.
//!
//! **What it does.** It defines [`GroundTruth`] and its [`GroundTruthSource`], frames of the
//! running simulation for drawing and recording ([`Frame`]), and success conditions for the end of
//! an episode ([`Success`], judged by [`Evidence`]).
//!
//! **What it does not do.** No code under test may see it: the crates of skills, planners, the
//! agent and perception from pixels do not depend on this crate, which
//! `tests/house/architecture.rs` checks.

mod condition;
mod episode;
mod frame;
mod known;
pub mod success;
mod truth;

pub use condition::{Condition, Evidence, Finding, Objects, Unmet};
pub use episode::Episode;
pub use frame::{
    FirstMet, Frame, FrameContact, FrameGripper, FrameJoints, FrameListener, FrameObject,
    FrameSink, LinkPose, Lookout,
};
pub use known::{Known, KnownJoint, Mistake, Step, Wrong};
pub use success::Success;
pub use truth::{
    GroundTruth, GroundTruthObject, GroundTruthSource, RobotContact, Toucher, stray_contacts, watch,
};
