//! Benchmark runs: tasks times seeds, an independent judge, and confidence intervals.
//!
//! **Purpose.** [`run_episodes`] draws every episode of a [`BenchConfig`] on several threads, hands
//! each instance to a closure that runs it, judges the result with [`judge`], and reports each
//! episode as it ends. A [`Tally`] aggregates, a [`BenchFolder`] stores everything so that a killed
//! run can be resumed, [`merge_shards`] merges the parts of a run, and [`compare`] compares two
//! runs.
//!
//! [`compare_sight`] compares the reports of a perception with the ground truth. [`recovery`] draws,
//! judges and summarizes episodes with injected faults.
//!
//! **Out of scope.** The crate does not depend on a simulator, planner or perception: the binary
//! builds those inside the closure.
//!
//! **Entry points.** [`run_episodes`], then [`Tally::summary`] and [`table`].
//!
//! # Invariants
//!
//! - The judge decides by the ground truth after settling, at the end and, if the conditions
//!   require it, for some time afterwards. Only a task with an expected failure is also judged by
//!   the reason that the agent reports. Nothing under test has access to the ground truth or the
//!   success condition.
//! - An episode counts as a success only if the judge says so. If the agent claims a success that
//!   the judge denies, it is counted separately as a false success; if the agent reports a success
//!   as a failure, it is counted as unclaimed.
//! - Failures of the infrastructure (network, simulator, a panic, a timeout, an external stop) and
//!   of the scene (objects that do not come to rest before the clock starts) are counted as
//!   `infrastructure`, neither as successes nor as failures of the robot.
//! - A [`Summary`] is the same for any number of threads, for merged shards and for a run that was
//!   killed and resumed; everything that depends on the machine is in [`Timing`].
//! - A run keeps in memory only a few numbers of each episode, and a few sentences if it failed, so
//!   that memory does not grow with the length of an episode.
//! - Seed 0 is a task's unperturbed baseline: every range at its middle, every jitter and noise
//!   zero (see [`Task::instantiate`](regrasp_scene::Task::instantiate)). If objects overlap in that
//!   start, seed 0 is the first feasible draw.

mod compare;
mod config;
mod drawn;
mod error;
mod folder;
mod judge;
mod ledger;
mod merge;
mod pool;
mod record;
pub mod recovery;
mod report;
mod run;
mod seeds;
mod sight;
mod statistics;
mod suites;
mod summary;
mod symmetry;
mod table;
mod tally;
mod timing;
mod trace;

pub use compare::{Comparison, Pairs, compare};
pub use config::{BenchConfig, Group, RecordKind};
pub use drawn::DrawnTask;
pub use error::BenchError;
pub use folder::BenchFolder;
pub use judge::{Verdict, judge};
pub use ledger::{Key, Ledger, Record, read_records};
pub use merge::merge_shards;
pub use pool::run_pool;
pub use record::{EpisodeRecord, InfrastructureFailure};
pub use report::{Chart, Report, quoted, repeat_command};
pub use run::{Ended, RunEpisode, RunOptions, Wires, run_episodes};
pub use seeds::{Seeds, SeedsError, Shard, ShardError};
pub use sight::{
    JointError, SightError, SightReport, SightSummary, Spread, compare_sight, summarize_sight,
    summarize_sight_by_kind,
};
pub use statistics::{mcnemar_exact, median, p95, wilson95};
pub use suites::Suite;
pub use summary::{Counts, FailureRecord, SimTime, Summary, TaskSummary};
pub use table::table;
pub use tally::Tally;
pub use timing::{Machine, PhaseWall, SlowEpisode, TaskTiming, Timing};
pub use trace::{PhaseTime, Trace};
