//! Pick, place, carry, pour, push, press, wait: each planned, watched and verified.
//!
//! **What it does.** Every skill checks whether it may start, plans around what is
//! seen, moves under monitors, and looks at the world afterwards before it claims
//! anything. What goes wrong has a [`regrasp_api::Reason`] of its own.
//!
//! **What it does not do.** It never sees a simulator or the truth: only
//! [`regrasp_robot::Robot`], that is sensors, perception and planned motion. Nothing is
//! made for one object or one table: widths, heights and turns come from the
//! perceived shape.
//!
//! **Where to enter.** [`standard`] is the whole set. To write one of your own, see
//! [`Home`], the shortest, and `examples/custom_skill.rs`.
//!
//! **Invariants.** A skill that fails before its `run` moved nothing. After any
//! skill, `robot.held` says what is in the hand as far as the robot can tell.

mod aim;
mod articulated;
mod bodies;
mod call;
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
mod opening;
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

pub use aim::SlideArgs;
pub use articulated::{Close, CloseArgs, JointTask, Open, OpenArgs, Tap, TapArgs, Turn, TurnArgs};
pub use call::{Call, Standard, Task};
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
pub use place::{PlaceAside, PlaceAt, PlaceBeside, PlaceOn, Reorient};
pub use pour::{Pour, PourTask};
pub use pull::{Pull, PullTask};
pub use push::{Push, PushTask};
pub use put_down::PlaceTask;
pub use wait_until::{WaitTask, WaitUntil, WaitUntilArgs};

use regrasp_robot::SkillSet;

/// All skills of this crate.
pub fn standard() -> SkillSet {
    SkillSet::new()
        .with(Pick::default())
        .with(PlaceOn::default())
        .with(PlaceAt::default())
        .with(PlaceBeside::default())
        .with(PlaceAside::default())
        .with(CarryTo::default())
        .with(Open::default())
        .with(Close::default())
        .with(Turn::default())
        .with(Home)
        .with(Insert::default())
        .with(Reorient::default())
        .with(Push)
        .with(Pull)
        .with(Tap::default())
        .with(WaitUntil::default())
        .with(Look::default())
        .with(Pour::default())
}
