//! How the program ends.

use std::process;

use regrasp::api::{EpisodeResult, FinalReason};

/// How the program ends. Scripts may rely on these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// It did what was asked.
    Ok = 0,
    /// A bug in Regrasp.
    Bug = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The robot did not do the task.
    TaskFailed = 10,
    /// The planner, the policy, the arm or what perception needs broke down or could not be reached;
    /// also of a benchmark of which it spoilt every episode.
    PlannerUnavailable = 11,
    /// A file is missing or wrong.
    BadFile = 12,
    /// A benchmark stayed below its threshold.
    BelowThreshold = 13,
    /// Somebody stopped a benchmark before its end.
    Stopped = 14,
}

/// Every exit code and what it means, as the help shows it.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
   0  it did what was asked
   1  a bug in regrasp
   2  the command line is wrong
  10  the robot did not do the task
  11  the planner, the policy, the arm or what perception needs could not be reached
  12  a file is missing or wrong
  13  a benchmark stayed below its threshold
  14  a benchmark was stopped before its end";

impl ExitCode {
    /// How an episode ends a run, as far as the agent itself can tell.
    pub fn of(result: &EpisodeResult) -> Self {
        match result.final_reason {
            FinalReason::VlmTransport
            | FinalReason::PlannerCrashed
            | FinalReason::PolicyUnavailable
            | FinalReason::PerceptionUnavailable => Self::PlannerUnavailable,
            FinalReason::StoreUnavailable | FinalReason::SceneNotAtRest => Self::BadFile,
            _ if result.success => Self::Ok,
            _ => Self::TaskFailed,
        }
    }
}

impl From<ExitCode> for process::ExitCode {
    fn from(code: ExitCode) -> Self {
        Self::from(code as u8)
    }
}
