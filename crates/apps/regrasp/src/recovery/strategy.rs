//! Strategies of the suite: the planner under test, and baselines.

use regrasp_agent::AgentOptions;
use regrasp_api::Planner;
use regrasp_planner::{AblatedPlanner, FeedbackLevel, FeedbackPlanner, StubPlanner};

/// Makes planners, one per episode.
pub type MakePlanner<'a> = dyn Fn() -> Box<dyn Planner> + Sync + 'a;

/// Planner under test.
pub struct Measured<'a> {
    /// Name in reports.
    pub name: String,
    /// Makes the planner without external remedies; it has only remedies that it finds itself.
    pub plain: &'a MakePlanner<'a>,
    /// Detail of the failure reports without ablation.
    pub feedback: FeedbackLevel,
    /// True if the planner answers within milliseconds, so that a short planning timeout suffices.
    pub is_quick: bool,
}

impl Measured<'static> {
    /// Built-in planner that needs no model and finds remedies itself.
    pub fn feedback() -> Self {
        Self {
            name: "feedback".into(),
            plain: &|| Box::new(FeedbackPlanner::new()),
            feedback: FeedbackLevel::Detail,
            is_quick: true,
        }
    }
}

/// Planner, and the features of the agent that it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The planner under test with all features of the agent.
    Full,
    /// The planner under test without replanning: the first failure that no retry of the step fixes
    /// ends the episode.
    NoReplanning,
    /// A planner that ignores failures.
    Stub,
    /// The planner under test with failure reports reduced to this level.
    Ablated(FeedbackLevel),
}

impl Strategy {
    /// The planner under test, then the baselines.
    pub const ALL: [Self; 4] = [
        Self::Full,
        Self::NoReplanning,
        Self::Stub,
        Self::Ablated(FeedbackLevel::Withheld),
    ];

    /// The planner under test with less and less detailed failure reports, to measure their value.
    pub const REASONS: [Self; 4] = [
        Self::Ablated(FeedbackLevel::Remedies),
        Self::Ablated(FeedbackLevel::Detail),
        Self::Ablated(FeedbackLevel::Slug),
        Self::Ablated(FeedbackLevel::Withheld),
    ];

    /// Creates a planner for one episode.
    pub fn planner(self, measured: &Measured<'_>) -> Box<dyn Planner> {
        let plain = measured.plain;
        match self {
            // Such a planner needs no remedies from outside, and reads all other feedback itself.
            Self::Full | Self::NoReplanning if measured.feedback < FeedbackLevel::Remedies => {
                plain()
            }
            Self::Full | Self::NoReplanning => {
                Box::new(AblatedPlanner::new(plain(), FeedbackLevel::Remedies))
            }
            Self::Stub => Box::new(StubPlanner),
            Self::Ablated(feedback) => Box::new(AblatedPlanner::new(plain(), feedback)),
        }
    }

    /// Adapts the agent's options to the strategy.
    pub fn options(self, mut options: AgentOptions) -> AgentOptions {
        if self == Self::NoReplanning {
            options.replan_on_failure = false;
            options.budgets.max_replans = 0;
        }
        options
    }

    /// Name in reports.
    pub fn name(self, measured: &Measured<'_>) -> String {
        match self {
            Self::Full => measured.name.clone(),
            Self::NoReplanning => "no replanning".into(),
            // Rows of equal names would be merged.
            Self::Stub if measured.name == "stub" => "stub again".into(),
            Self::Stub => "stub".into(),
            Self::Ablated(feedback) => feedback.to_string(),
        }
    }
}
