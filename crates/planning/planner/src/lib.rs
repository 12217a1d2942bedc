//! Offline planners, from text to skill calls and goals, without network, clock or randomness.
//!
//! Entry points:
//!
//! - `interpret.rs` converts a task to a goal with `regrasp-language`, before anything moves.
//! - [`StubPlanner`] has one fixed recipe per intent and ignores failures.
//! - [`FeedbackPlanner`] plans the rest of a task from the current percept, and uses the reasons of
//!   failures.
//! - `search/` finds an order for goals that leave it open, from the skills' declarations
//!   ([`regrasp_api::Operator`]).
//!
//! The planners move nothing and perceive nothing themselves. The skills declare which call
//! achieves a goal. By name, the planners call only `push`, `pull` and `turn` for relative motions,
//! and `pick` and `look` for objects that are not seen. They also know the failures of `place_on`,
//! `place_beside` and `pick`, and that `wait_until`, which declares no effect, has none.
//!
//! Invariants: no text and no percept makes a planner panic; the same requests in the same order
//! give the same plans.

mod ablated;
mod calls;
mod feedback;
mod goals;
mod interpret;
mod needed;
mod search;
mod stub;

pub use ablated::{AblatedPlanner, FeedbackLevel};
pub use feedback::{FeedbackPlanner, Remedy, remedy_for};
pub use needed::{needed_skills, plan_for, read_task};
pub use stub::StubPlanner;
