//! Robots, worlds and planners for interactive sessions.

mod disturb;
mod options;
mod workshop;

pub use options::{LiveOptions, PlannerMaker, StartScene};
pub use workshop::LiveWorkshop;
