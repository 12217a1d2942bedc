//! Results of episodes, as `result.json` stores them.

use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr};

use crate::Reason;

/// Reason for the end of an episode.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Display, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum FinalReason {
    /// Every step succeeded and the goal holds.
    PlanComplete,
    /// The goal held at the start.
    AlreadyDone,
    /// The plan ran to its end but the goal does not hold.
    GoalNotMet,
    /// A step failed and no replans are left.
    ReplanExhausted,
    /// The planner showed that the goal cannot be achieved.
    Infeasible,
    /// The planner gave no plan.
    NoPlan,
    /// The planner does not understand the text.
    UnrecognizedPrompt,
    /// The planner's model could not be reached in time.
    VlmTransport,
    /// The planner crashed.
    PlannerCrashed,
    /// A dependency of perception (a model, a camera, another process) does not answer in time.
    PerceptionUnavailable,
    /// The limit of steps is reached.
    MaxSteps,
    /// Several rounds in a row left the world unchanged.
    NoProgress,
    /// The limit of planner calls or of tokens is reached.
    BudgetExhausted,
    /// The time for the episode or for a plan is over.
    Timeout,
    /// A person refused a step.
    ApprovalDenied,
    /// A person has to help.
    NeedsHuman,
    /// A stop was requested.
    Cancelled,
    /// The simulation diverged.
    SimDiverged,
    /// The robot was stopped from outside or does not answer; the detail says which.
    RobotUnavailable,
    /// The run store could not be written.
    StoreUnavailable,
    /// The policy does not answer, or its answer is invalid.
    PolicyUnavailable,
    /// The policy gave up.
    GaveUp,
    /// The scene does not settle, so the episode was not started.
    SceneNotAtRest,
}

impl FinalReason {
    /// Returns true if the infrastructure, the scene or a requested stop ended the episode rather
    /// than the robot. Such an episode never counts against the robot.
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

    /// Returns the end of the episode that a skill's failure forces; `None` if its reason lets the
    /// episode go on.
    pub fn forced_by(reason: &Reason) -> Option<Self> {
        match reason {
            Reason::SimDiverged => Some(Self::SimDiverged),
            Reason::EmergencyStop | Reason::LinkLost => Some(Self::RobotUnavailable),
            Reason::Cancelled => Some(Self::Cancelled),
            Reason::PerceptionUnavailable => Some(Self::PerceptionUnavailable),
            _ => None,
        }
    }

    /// Returns the slug for files and logs.
    pub fn slug(self) -> &'static str {
        self.into()
    }
}

/// Content of `result.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EpisodeResult {
    /// The agent's own claim that it finished and the goal holds.
    pub success: bool,
    /// Set if the goal held at the last check.
    pub goal_met: bool,
    /// Number of replans.
    pub replans: usize,
    /// Number of executed skill calls.
    pub steps: usize,
    /// Number of planner calls.
    pub planner_calls: usize,
    /// Reason for the end.
    pub final_reason: FinalReason,
    /// Cause of the failure in one sentence; empty if there was none.
    pub final_detail: String,
    /// Answer of the planner to the person who gave the task.
    pub final_answer: Option<String>,
    /// Tokens used by the planner's model.
    #[serde(default)]
    pub tokens: u64,
    /// Wall time, s.
    pub wall_s: f64,
    /// Simulated time, s.
    pub sim_s: f64,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Hash of the final state, 16 hexadecimal digits; empty without [`crate::Rewind`].
    pub state_digest: String,
    /// Version of the program.
    pub version: String,
}
