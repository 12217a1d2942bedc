//! Robots, worlds and planners for interactive sessions.

mod disturb;
mod exports;
mod judge;
mod options;
mod workshop;

pub use exports::exports;
pub use options::{LiveOptions, PlannerMaker, StartScene};
pub use workshop::LiveWorkshop;
