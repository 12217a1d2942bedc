//! Executes tasks: plan, execute, verify, decide and replan, with a given planner and given skills.
//!
//! ```text
//!              ┌──────────── budget left? ◄───────── trouble ◄──────────┐
//!              ▼                                                        │
//! look ─► ask the planner ─► goal holds? ─► step ─► decide ─► … ─► verify: goal holds?
//!   ▲          │   └─► infeasible   ▲        │        │                 └─► plan_complete
//!   │          └─► next round       │        │        ├─► continue, retry
//!   │                               └────────┴────────┤
//!   └──────────────────────────────────────────────── ┴─► substitute, replan, ask, abort
//! ```
//!
//! The next action of an episode is a value (`state`), so it can be saved after every step and
//! resumed by another process. Entry points are [`Agent::run`] and [`Agent::run_kept`]. A failed
//! step is handled by the rule for its reason ([`RuleTable`]) and by the evidence (`decide`).
//!
//! Robot, skills, planner, store, memory and the person who answers are injected. This crate names
//! no simulator, no model vendor, no database and no single skill.
//!
//! # Invariants
//!
//! - Success means that the goal holds in a fresh percept with all objects at rest. Finishing the
//!   steps is not enough, unless the plan names no goal.
//! - The goals are those of the first plan that names any, so that a later plan cannot weaken them.
//!   Phrases in them are resolved once, so "the cube on the left" stays the same cube after it was
//!   moved.
//! - Every failure that leads to another request to the planner counts against the replan budget,
//!   also one of the planner itself, unless a person answered. All requests count against the
//!   budget of rounds. So every episode ends.
//! - A failed call is refused in an unchanged world, unless the next percept may let it succeed.
//! - A planner that returns the world to an earlier state is told so. If it continues, another
//!   planner takes over, or the episode ends.
//! - In a stored run, each completed action is durable before the next one begins.
//! - No decision depends on the clock, except for configured wall-time limits and pauses after
//!   outages.
//! - Everything that happens is an event (`robot.emit`); nothing is printed here.
//!
//! # Libraries
//!
//! `tokio` (single-threaded runtime and timer only) polls planners, whose HTTP clients need it
//! anyway, and ends requests that take too long.

mod act;
mod active_episode;
mod agent;
mod answer;
mod approval;
mod ask;
mod decide;
mod deviation;
mod evaluate;
mod goals;
mod kept;
mod memory;
mod options;
mod reflect;
mod repeats;
mod run;
mod sight;
mod state;
mod steps;
mod table;

pub use agent::{Agent, Clock, SystemClock};
pub use approval::{approval_denied, approval_request, may_ask};
pub use evaluate::{Assessment, Criteria, Evaluator, Heuristics, StepOutcome};
pub use kept::RunError;
pub use options::{AgentOptions, Budgets, DeviationMode};
pub use table::{Rule, RuleTable};
