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
//! - A skill's success is claimed only after the skill verified it with the robot's own senses.

mod carried;
mod explain;
mod motions;
mod robot;
mod settling;
mod skill;
mod skill_set;
mod watching;

pub use robot::{CARRY_SPEED, FREE_SPEED, Robot};
pub use settling::Settled;
pub use skill::Skill;
pub use skill_set::{AnySkill, SkillSet};
pub use watching::{usual_arm_monitors, usual_finger_monitor, usual_grip_monitors};
