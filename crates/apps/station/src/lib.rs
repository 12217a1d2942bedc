//! Robots, worlds and planners for interactive sessions.
//!
//! [`LiveWorkshop`] builds what a [`Session`](regrasp_session::Session) commands: one robot,
//! put into simulated scenes one after the other. It opens no socket and draws no picture.

mod disturb;
mod judge;
mod options;
mod workshop;

pub use options::{LiveOptions, PlannerMaker, SkillMaker, StartScene};
pub use workshop::LiveWorkshop;
