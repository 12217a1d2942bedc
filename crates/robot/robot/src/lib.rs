//! The robot that skills command, and the skills' common interface.
//!
//! **What it does.** [`Robot`] combines a world, perception and a motion planner: it plans and
//! executes motions under the usual monitors, waits until objects have come to rest, and explains
//! why a motion ended early. [`Skill`] is the interface of a skill; [`SkillSet`] dispatches calls
//! by name.
//!
//! **What it does not do.** It implements no skill, and knows neither a simulator nor the ground
//! truth.
//!
//! # Invariants
//!
//! - Every planned motion runs under monitors. One that they end early is a
//!   [`Failure`](regrasp_api::Failure) with a reason and figures.
//! - Monitors are chosen by the world's capabilities: missing sensors are not used.
//! - A skill claims success only after verifying it by perception and the robot's own sensors.

mod commands;
mod explain;
mod looking;
mod motions;
mod robot;
mod settling;
mod skill;
mod skill_set;
mod watching;

pub use commands::{CARRY_SPEED, FREE_SPEED};
pub use motions::filled;
pub use robot::{Robot, is_lasting};
pub use settling::Settled;
pub use skill::Skill;
pub use skill_set::{AnySkill, DynamicSkill, SkillSet};
pub use watching::UsualMonitors;

/// Result of an action of the robot; the error is a [`Failure`](regrasp_api::Failure) by default.
pub type Result<T, E = regrasp_api::Failure> = std::result::Result<T, E>;
