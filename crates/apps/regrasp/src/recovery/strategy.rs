//! Who is in charge: the planner that is measured, and the yardsticks.

use regrasp_agent::AgentOptions;
use regrasp_api::Planner;
use regrasp_planner::{AblatedPlanner, FeedbackLevel, FeedbackPlanner, StubPlanner};

/// How planners are made, one an episode.
pub type MakePlanner<'a> = dyn Fn() -> Box<dyn Planner> + Sync + 'a;

/// The planner that is measured.
pub struct Measured<'a> {
    /// What reports call it.
    pub name: String,
    /// Makes it as it is, told no remedies but what it finds itself.
    pub plain: &'a MakePlanner<'a>,
    /// How much it is told of failures when nothing is ablated.
    pub feedback: FeedbackLevel,
    /// True if it answers within milliseconds, so that an answer that never comes need not be
    /// waited for.
    pub is_quick: bool,
}

impl Measured<'static> {
    /// The planner that needs no model and finds remedies itself.
    pub fn feedback() -> Self {
        Self {
            name: "feedback".into(),
            plain: &|| Box::new(FeedbackPlanner::new()),
            feedback: FeedbackLevel::Detail,
            is_quick: true,
        }
    }
}

/// A planner and how the agent may use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The measured planner with all that the agent has.
    Full,
    /// The same planner, asked once: the first failure that no retry of the step mends
    /// ends the episode.
    NoReplanning,
    /// The planner that ignores what failed.
    Stub,
    /// The measured planner, told so much of what failed.
    Ablated(FeedbackLevel),
}

impl Strategy {
    /// The measured planner first, then the yardsticks.
    pub const ALL: [Self; 4] = [
        Self::Full,
        Self::NoReplanning,
        Self::Stub,
        Self::Ablated(FeedbackLevel::Withheld),
    ];

    /// What reasons are worth: the measured planner, told less and less.
    pub const REASONS: [Self; 4] = [
        Self::Ablated(FeedbackLevel::Remedies),
        Self::Ablated(FeedbackLevel::Detail),
        Self::Ablated(FeedbackLevel::Slug),
        Self::Ablated(FeedbackLevel::Withheld),
    ];

    /// A planner for one episode.
    pub fn planner(self, measured: &Measured<'_>) -> Box<dyn Planner> {
        let plain = measured.plain;
        match self {
            // All that there is to tell is told.
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

    /// What it makes of the agent's options.
    pub fn options(self, mut options: AgentOptions) -> AgentOptions {
        if self == Self::NoReplanning {
            options.replan_on_failure = false;
            options.budgets.max_replans = 0;
        }
        options
    }

    /// What reports call it.
    pub fn name(self, measured: &Measured<'_>) -> String {
        match self {
            Self::Full => measured.name.clone(),
            Self::NoReplanning => "no replanning".into(),
            // Two of one name would be one.
            Self::Stub if measured.name == "stub" => "stub again".into(),
            Self::Stub => "stub".into(),
            Self::Ablated(feedback) => feedback.to_string(),
        }
    }
}
