//! Tasks times seeds, an independent judge, and honest statistics.
//!
//! **What it does.** [`run_episodes`] draws every episode of a [`BenchConfig`] on several
//! threads, hands each instance to a closure that runs it, judges what came of it with
//! [`judge`], and tells of each as it ends. A [`Tally`] sums up, a [`BenchFolder`] keeps
//! everything so that a killed run can be resumed, [`merge_shards`] puts the parts of a run
//! together, and [`compare`] holds two runs against each other.
//!
//! **What it does not do.** It names no simulator, planner or perception: the binary
//! builds those inside the closure.
//!
//! [`compare_sight`] holds what a perception reports against the truth.
//!
//! [`recovery`] does the same for episodes in which something goes wrong on purpose.
//!
//! **Where to enter.** [`run_episodes`], then [`Tally::summary`] and [`table`].
//!
//! # Invariants
//!
//! - The judge reads only the world's truth, at the start after settling and at the
//!   end. Nothing under test is handed that truth or the success condition.
//! - An episode counts as a success only if the judge says so. A claim of the agent that
//!   the judge denies is counted separately, as a false success, and so is a success that
//!   the agent reports as a failure, as unclaimed.
//! - Trouble of the machinery (network, simulator, a panic, too much real time, a stop from
//!   outside) and of the scene (one that does not come to rest before the clock starts) is
//!   counted as `infrastructure` and neither as a success nor as a failure of the robot.
//! - A [`Summary`] is the same for any number of threads, for shards put together and for a
//!   run that was killed and resumed; what depends on the machine is in [`Timing`].
//! - A run keeps of an episode a few numbers, and a few sentences if it failed: memory does
//!   not grow with what an episode does.
//! - Seed 0 is a task's unperturbed baseline: every range at its middle, every jitter and
//!   noise zero (see [`Task::instantiate`](regrasp_scene::Task::instantiate)). Only where that
//!   is no possible start, as things would overlap, it is the first draw that is one.

mod compare;
mod config;
mod drawn;
mod error;
mod folder;
mod judge;
mod ledger;
mod merge;
mod pool;
mod prepared;
mod record;
pub mod recovery;
mod report;
mod run;
mod seeds;
mod sight;
mod statistics;
mod suites;
mod summary;
mod table;
mod tally;
mod timing;
mod trace;
mod watchdog;

pub use compare::{Comparison, Pairs, compare};
pub use config::{BenchConfig, Group, RecordKind};
pub use drawn::DrawnTask;
pub use error::BenchError;
pub use folder::BenchFolder;
pub use judge::{EpisodeOutcome, LastFailure, Verdict, judge};
pub use ledger::{Key, Ledger, Record, read_records};
pub use merge::merge_shards;
pub use pool::run_pool;
pub use record::{EpisodeRecord, InfrastructureFailure};
pub use report::{Chart, Report, quoted, repeat_command};
pub use run::{Ended, RunEpisode, RunOptions, Wires, run_episodes};
pub use seeds::{Seeds, SeedsError, Shard, ShardError};
pub use sight::{SightError, SightReport, SightSummary, Spread, compare_sight, summarize_sight};
pub use statistics::{mcnemar_exact, median, p95, wilson95};
pub use suites::Suite;
pub use summary::{Counts, FailureRecord, SimTime, Summary, TaskSummary};
pub use table::table;
pub use tally::Tally;
pub use timing::{Machine, PhaseWall, SlowEpisode, TaskTiming, Timing};
pub use trace::{PhaseTime, Trace};
