//! Offline planners: text in, skill calls and goals out. No network, no clock, no
//! randomness.
//!
//! Where to enter:
//! - `interpret.rs`: a task as a goal, by `regrasp-language`, before anything moves;
//! - [`StubPlanner`]: one fixed recipe per intent; ignores failures;
//! - [`FeedbackPlanner`]: plans what is left from what is seen now, and reads the
//!   reasons of failures;
//! - `search/`: an order for goals that leave it open, by what skills declare
//!   ([`regrasp_api::Operator`]).
//!
//! What this crate does not do: it moves nothing and looks at nothing itself. Which call brings a goal
//! about is what the skills declare. By name it knows only `push`, `pull` and `turn`, which shift and
//! turn by so much, `open`, which may open further, and `pick` and `look`, for what is not seen.
//!
//! Invariants: no text and no percept makes a planner panic; the same requests in
//! the same order give the same plans.

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
