//! The world as it really is, and what goes wrong in it on purpose.
//!
//! **What it does.** [`WorldTruth`] and its [`TruthSource`], the world while it runs for whoever
//! draws or keeps it ([`Frame`]), and injected faults ([`Fault`]).
//!
//! **What it does not do.** Nothing under test may see it: the crates of skills, planners, the
//! agent and perception from pixels do not depend on this one, so the compiler keeps the truth
//! from them (`tests/architecture.rs`).

mod fault;
mod frame;
mod truth;

pub use fault::{Fault, PlannerTrouble, StoreTrouble};
pub use frame::{
    Frame, FrameContact, FrameGripper, FrameJoints, FrameListener, FrameObject, FrameSink,
};
pub use truth::{RobotContact, Toucher, TrueObject, TruthSource, WorldTruth};
