//! The world as it really is.
//!
//! **What it does.** [`GroundTruth`] and its [`GroundTruthSource`], the world while it runs for whoever
//! draws or keeps it ([`Frame`]), and what must be true at the end
//! ([`Success`], judged by what a judge has [`Evidence`]).
//!
//! **What it does not do.** Nothing under test may see it: the crates of skills, planners, the
//! agent and perception from pixels do not depend on this one, so the compiler keeps the truth
//! from them (`tests/house/architecture.rs`).

mod condition;
mod contacts;
mod first_met;
mod frame;
mod known;
pub mod success;
mod truth;

pub use condition::{Condition, Evidence, Finding, Objects, Unmet};
pub use contacts::stray_contacts;
pub use first_met::{FirstMet, Lookout};
pub use frame::{
    Frame, FrameContact, FrameGripper, FrameJoints, FrameListener, FrameObject, FrameSink,
};
pub use known::{Known, KnownJoint, Mistake, Step, Wrong};
pub use success::Success;
pub use truth::{GroundTruth, GroundTruthObject, GroundTruthSource, RobotContact, Toucher};
