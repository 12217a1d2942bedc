//! Plan, execute, verify, decide, replan: the engine around a planner and its skills.
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
//! What an episode does next is a value (`state`), so that it can be kept after every
//! step and taken up by another process. Where to enter: [`Agent::run`] and
//! [`Agent::run_kept`]; the decision about a failed step is [`RuleTable`] (which reason
//! means what) and `decide` (what the evidence makes of it).
//!
//! Robot, skills, planner, store, memory and the person who is asked are injected; this
//! crate names no simulator, no model vendor, no database and no single skill.
//!
//! # Invariants
//!
//! - Success means that the goal holds in a fresh look at a world at rest. That the
//!   list of steps was finished is never enough, unless the plan names no goal.
//! - The goals are those of the first plan that names any: a later plan cannot make
//!   its life easier. Phrases in them are grounded once, so "the cube on the left"
//!   stays the same cube after it was moved.
//! - Every trouble that leads to another question to the planner spends the budget of
//!   replans, also when the trouble is the planner's own; rounds without trouble spend
//!   the budget of rounds. Whatever fails, an episode ends.
//! - A call that failed is not made again in an unchanged world.
//! - A planner that leads the world back to where it was is told so, and not followed for long.
//! - What finished is durable before the next thing begins, if the run is kept.
//! - Nothing decides by the clock, except real-time limits that somebody set and pauses
//!   after trouble outside.
//! - Everything that happens is an event (`robot.emit`); nothing is printed here.
//!
//! # The libraries behind it
//!
//! `tokio` (single-threaded runtime and timer only) polls planners, whose HTTP clients
//! need it anyway, and ends a question that takes too long.

mod act;
mod active_episode;
mod agent;
mod ahead;
mod answer;
mod approval;
mod ask;
mod clock;
mod consent;
mod decide;
mod deviation;
mod evaluate;
mod goals;
mod kept;
mod memory;
mod options;
mod progress;
mod reflect;
mod repeats;
mod run;
mod sight;
mod state;
mod steps;
mod table;
mod view;

pub use agent::Agent;
pub use approval::{approval_denied, approval_request, may_ask};
pub use clock::{Clock, SystemClock};
pub use evaluate::{Assessment, Criteria, Evaluator, Heuristics, StepOutcome};
pub use kept::RunError;
pub use options::{AgentOptions, Budgets, DeviationMode};
pub use table::{Rule, RuleTable};
