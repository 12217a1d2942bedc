//! How an episode ended, as `result.json` holds it.

use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr};

use crate::Reason;

/// How an episode ended.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Display, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FinalReason {
    /// Every step succeeded and the goal holds.
    PlanComplete,
    /// The goal held before anything was done.
    AlreadyDone,
    /// The plan ran to its end but the goal does not hold.
    GoalNotMet,
    /// A step failed and the budget of replans is spent.
    ReplanExhausted,
    /// The planner showed that nothing can bring the goal about.
    Infeasible,
    /// The planner gave no plan.
    NoPlan,
    /// The planner does not understand the text.
    UnrecognizedPrompt,
    /// The planner's model could not be reached, or not in time.
    VlmTransport,
    /// The planner broke down instead of answering.
    PlannerCrashed,
    /// What perception depends on does not answer, or not in time: a model, a camera, another
    /// process.
    PerceptionUnavailable,
    /// The budget of steps is spent.
    MaxSteps,
    /// Round after round left the world as it was.
    NoProgress,
    /// Another budget is spent.
    BudgetExhausted,
    /// The time for the episode, or for a plan, is over.
    Timeout,
    /// A person refused a step.
    ApprovalDenied,
    /// A person has to help.
    NeedsHuman,
    /// Somebody asked for a stop.
    Cancelled,
    /// The physics broke.
    SimDiverged,
    /// The robot was stopped from outside or does not answer; the detail says which.
    RobotUnavailable,
    /// The store of the run could not be written.
    StoreUnavailable,
    /// The policy does not answer, or not as it should.
    PolicyUnavailable,
    /// The policy gave up.
    GaveUp,
    /// The scene does not come to rest by itself, so that nothing was begun in it.
    SceneNotAtRest,
}

impl FinalReason {
    /// Whether the machinery or the scene failed rather than the robot: never counted against
    /// it.
    pub fn is_infrastructure(self) -> bool {
        matches!(
            self,
            Self::VlmTransport
                | Self::PlannerCrashed
                | Self::PerceptionUnavailable
                | Self::SimDiverged
                | Self::RobotUnavailable
                | Self::Cancelled
                | Self::StoreUnavailable
                | Self::PolicyUnavailable
                | Self::SceneNotAtRest
        )
    }

    /// How an episode ends in which something happened that nothing in it can help; `None`
    /// after all else.
    pub fn forced_by(reason: &Reason) -> Option<Self> {
        match reason {
            Reason::SimDiverged => Some(Self::SimDiverged),
            Reason::EmergencyStop | Reason::LinkLost => Some(Self::RobotUnavailable),
            Reason::Cancelled => Some(Self::Cancelled),
            Reason::PerceptionUnavailable => Some(Self::PerceptionUnavailable),
            _ => None,
        }
    }

    /// The slug that files and logs show.
    pub fn slug(self) -> &'static str {
        self.into()
    }
}

/// What `result.json` holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeResult {
    /// The agent's own claim: it finished and the goal holds.
    pub success: bool,
    /// Whether the goal held when it was last looked at.
    pub goal_met: bool,
    /// How often the planner was asked again.
    pub replans: usize,
    /// Skill calls that were executed.
    pub steps: usize,
    /// How often the planner was asked.
    pub planner_calls: usize,
    /// How it ended.
    pub final_reason: FinalReason,
    /// What actually broke, in one sentence; empty when nothing did.
    pub final_detail: String,
    /// What the planner says to whoever gave the task.
    #[serde(default)]
    pub final_answer: Option<String>,
    /// Tokens that the planner's model took.
    #[serde(default)]
    pub tokens: u64,
    /// Real seconds it took.
    pub wall_s: f64,
    /// Simulated seconds it took.
    pub sim_s: f64,
    /// Seed of everything random in it.
    pub seed: u64,
    /// Hash of the final state, 16 hexadecimal digits; empty in a world that cannot tell it
    /// bit for bit ([`crate::Rewind`]).
    pub state_digest: String,
    /// Version of the program.
    pub version: String,
}
