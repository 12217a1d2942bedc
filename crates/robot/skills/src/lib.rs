//! Skills for picking, placing, carrying, inserting, pouring, opening, pushing, looking and
//! waiting: each planned, monitored and verified.
//!
//! **What it does.** Every skill checks whether it may start, plans around perceived obstacles,
//! moves under monitors, and looks at the world again before it claims success. Every failure has a
//! [`regrasp_api::Reason`].
//!
//! **What it does not do.** It never sees a simulator or the ground truth, only
//! [`regrasp_robot::Robot`]: sensors, perception and planned motion. Nothing is specific to one
//! object or table: widths, heights and rotations come from the perceived shape.
//!
//! **Where to enter.** [`standard`] is the whole set. To write a skill, see [`Home`], the shortest
//! one, and `examples/custom_skill.rs`.
//!
//! **Invariants.** A skill that fails before its `run` moved nothing. After any skill, `robot.held`
//! is the robot's best knowledge of what is in the hand.

mod aim;
mod arm;
mod articulated;
mod bodies;
mod candidates;
mod carry_to;
mod faces;
#[cfg(test)]
mod fixtures;
mod grasp;
mod grasp_selection;
mod hold;
mod home;
mod insert;
mod look_at;
mod lookahead;
mod moved;
mod params;
mod pick;
mod place;
mod placement;
mod poses;
mod pour;
mod pull;
mod push;
mod put_down;
mod regrasp;
mod sight;
mod stroke;
mod wait_until;

pub use aim::{Aim, SlideArgs};
pub use articulated::{
    Close, CloseArgs, JointTask, Open, OpenArgs, Press, PressArgs, Turn, TurnArgs,
};
pub use carry_to::{CarryTask, CarryTo};
pub use grasp::{Grasp, grasps};
pub use home::{Home, HomeArgs};
pub use insert::{Insert, InsertTask};
pub use look_at::{Look, LookArgs, LookTask};
pub use lookahead::{
    CarryToArgs, InsertArgs, NextCall, PlaceAsideArgs, PlaceAtArgs, PlaceBesideArgs, PlaceOnArgs,
    PourArgs, ReorientArgs, StatedGoal,
};
pub use pick::{Pick, PickArgs, PickTask, grasp_phases};
pub use place::{PlaceAside, PlaceAt, PlaceBeside, PlaceOn, Put, Reorient};
pub use pour::{Pour, PourTask};
pub use pull::Pull;
pub use push::Push;
pub use put_down::PlaceTask;
pub use wait_until::{WaitTask, WaitUntil, WaitUntilArgs};

use regrasp_robot::SkillSet;

/// Returns all skills of this crate.
pub fn standard() -> SkillSet {
    SkillSet::new()
        .with(Pick)
        .with(PlaceOn::default())
        .with(PlaceAt::default())
        .with(PlaceBeside::default())
        .with(PlaceAside::default())
        .with(CarryTo)
        .with(Open)
        .with(Close)
        .with(Turn)
        .with(Home)
        .with(Insert)
        .with(Reorient::default())
        .with(Push)
        .with(Pull)
        .with(Press)
        .with(WaitUntil)
        .with(Look)
        .with(Pour)
}
