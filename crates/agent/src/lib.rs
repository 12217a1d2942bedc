//! Plan, execute, verify, replan: the loop around a planner and its skills.
//!
//! ```text
//!          ┌─────────────── budget left? ◄── trouble ──┐
//!          ▼                                           │
//! look ─► PLAN ─► goal holds? ─► EXECUTE steps ─► look, goal holds? ─► plan_complete
//!          │           └─► already_done
//!          └─► infeasible, unrecognized_prompt, vlm_transport
//! ```
//!
//! Where to enter: [`Agent::run`]. Robot, skills and planner are injected; this
//! crate names no simulator, no model vendor and no single skill.
//!
//! # Invariants
//!
//! - Success means that the goal holds in a fresh look at a world at rest. That the
//!   list of steps was finished is never enough, unless the plan names no goal.
//! - The goals are those of the first plan that names any: a later plan cannot make
//!   its life easier. Phrases in them are grounded once, so "the cube on the left"
//!   stays the same cube after it was moved.
//! - Every round that ends in trouble spends the budget of replans, also when the
//!   trouble is the planner's own: whatever fails, an episode ends after at most
//!   `1 + max_replans` calls of the planner.
//! - Everything that happens is an event (`robot.emit`); nothing is printed here.

mod agent;
mod episode;
mod goals;
mod stop;

pub use agent::{Agent, AgentOptions};
