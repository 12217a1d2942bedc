//! Tasks times seeds, an independent judge, and honest statistics.
//!
//! **What it does.** [`run_suite`] draws every task with every seed, hands each
//! instance to a closure that runs the episode, judges what came of it with
//! [`judge`], and sums up in a [`BenchReport`] that can be written as JSON or shown
//! as a table.
//!
//! **What it does not do.** It names no simulator, planner or perception: the binary
//! builds those inside the closure. It is a plain loop on one thread.
//!
//! [`compare_sight`] holds what a perception reports against the truth.
//!
//! [`recovery`] does the same for episodes in which something goes wrong on purpose.
//!
//! **Where to enter.** [`run_suite`], then [`BenchReport::to_json`] and
//! [`BenchReport::table`].
//!
//! # Invariants
//!
//! - The judge reads only the world's truth, at the start after settling and at the
//!   end. Nothing under test is handed that truth or the success condition.
//! - An episode counts as a success only if the judge says so; a claim of the agent
//!   that the judge denies is counted separately, as a false success.
//! - Trouble of the machinery (network, simulator, a stop from outside) is counted
//!   as `infrastructure` and neither as a success nor as a failure of the robot.

mod error;
mod judge;
pub mod recovery;
mod report;
mod run;
mod sight;
mod statistics;
mod table;

pub use error::BenchError;
pub use judge::{EpisodeOutcome, LastFailure, Verdict, judge};
pub use report::{BenchReport, EpisodeRecord, FailureRecord, SuiteInfo, TaskReport};
pub use run::{InfrastructureFailure, RunEpisode, run_suite};
pub use sight::{SightError, SightReport, SightSummary, Spread, compare_sight, summarize_sight};
pub use statistics::{median, p95, wilson95};
