//! What skills command: one robot, and the skills that drive it.
//!
//! **What it does.** [`Robot`] puts a world, the senses and a motion planner together: it plans and
//! makes motions under the usual monitors, waits until things have come to rest, and explains why a
//! motion ended early. [`Skill`] is what a skill is, [`SkillSet`] is how calls find theirs.
//!
//! **What it does not do.** It implements no skill, knows no simulator and no truth.
//!
//! # Invariants
//!
//! - Every motion runs under monitors; a motion that ends early is a [`Failure`](regrasp_api::Failure)
//!   with a reason and figures.
//! - What the world cannot feel is not asked for: monitors are chosen by what it can.
//! - A skill's success is claimed only after the skill verified it with the robot's own senses.

mod carried;
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
pub use robot::{Robot, is_lasting};
pub use settling::Settled;
pub use skill::Skill;
pub use skill_set::{AnySkill, Dynamic, DynamicSkill, SkillSet};
pub use watching::UsualMonitors;
