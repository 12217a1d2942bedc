//! The agent with scripted planners and skills, in a minimal world.

mod approvals;
mod budgets;
mod common;
mod decisions;
mod deviations;
mod episodes;
mod fakes;
mod memory;
mod repeats;
