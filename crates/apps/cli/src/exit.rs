//! Exit codes of the program.

use std::process;

use regrasp::api::{EpisodeResult, FinalReason};

/// Exit code of the program. Scripts may rely on these numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ExitCode {
    /// Success.
    Ok = 0,
    /// A bug in Regrasp.
    Bug = 1,
    /// Invalid command line.
    Usage = 2,
    /// The robot did not complete the task.
    TaskFailed = 10,
    /// The planner, the policy, the arm or perception failed or could not be reached; for a
    /// benchmark: in every episode.
    PlannerUnavailable = 11,
    /// A file is missing or invalid, or a scene does not come to rest.
    BadFile = 12,
    /// A benchmark stayed below its threshold.
    BelowThreshold = 13,
    /// A benchmark was stopped before its end.
    Stopped = 14,
}

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
   0  success
   1  a bug in regrasp
   2  the command line is invalid
  10  the robot did not complete the task
  11  the planner, the policy, the arm or a source of perception failed or could not be reached
  12  a file is missing or invalid, or a scene does not come to rest
  13  a benchmark stayed below its threshold
  14  a benchmark was stopped before its end";

impl ExitCode {
    /// Exit code for the result of an episode, as the agent reports it.
    pub fn of(result: &EpisodeResult) -> Self {
        match result.final_reason {
            FinalReason::VlmTransport
            | FinalReason::PlannerCrashed
            | FinalReason::PolicyUnavailable
            | FinalReason::RobotUnavailable
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
