//! Who is in charge: the planner that is measured, and the yardsticks.

use std::fmt;

use regrasp_agent::AgentOptions;
use regrasp_api::Planner;
use regrasp_planner::{FeedbackPlanner, StubPlanner, WithheldPlanner};

/// A planner and how the agent may use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The feedback planner with all that the agent has.
    Feedback,
    /// The same planner, asked once: the first failure that no retry of the step mends
    /// ends the episode.
    NoReplanning,
    /// The planner that ignores what failed.
    Stub,
    /// The feedback planner, told that steps failed but not why.
    Withheld,
}

impl Strategy {
    /// All, the measured one first.
    pub const ALL: [Self; 4] = [
        Self::Feedback,
        Self::NoReplanning,
        Self::Stub,
        Self::Withheld,
    ];

    /// A planner for one episode.
    pub fn planner(self) -> Box<dyn Planner> {
        match self {
            Self::Feedback | Self::NoReplanning => Box::new(FeedbackPlanner::new()),
            Self::Stub => Box::new(StubPlanner),
            Self::Withheld => Box::new(WithheldPlanner::new(Box::new(FeedbackPlanner::new()))),
        }
    }

    /// What it makes of the agent's options.
    pub fn options(self, mut options: AgentOptions) -> AgentOptions {
        if self == Self::NoReplanning {
            options.replan_on_failure = false;
            options.budgets.max_replans = 0;
        }
        options
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Feedback => "feedback",
            Self::NoReplanning => "no replanning",
            Self::Stub => "stub",
            Self::Withheld => "reasons withheld",
        })
    }
}
