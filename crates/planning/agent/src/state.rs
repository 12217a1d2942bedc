//! State of an episode, as a checkpoint stores it beside the world.

use regrasp_api::{
    CompletedStep, EpisodeResult, FinalReason, Held, PastCase, PlanStep, PlanVersion, PriorAttempt,
    Reason, SkillCall, Trigger,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::goals::Goals;
use crate::sight::{FailedCall, RoundStart, View};

pub(crate) const STOPPED: &str = "a stop was requested";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct End {
    pub(crate) reason: FinalReason,
    pub(crate) detail: String,
}

impl End {
    pub(crate) fn new(reason: FinalReason, detail: impl Into<String>) -> Self {
        Self {
            reason,
            detail: detail.into(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ask {
    pub(crate) trigger: Trigger,
    pub(crate) why: String,
    pub(crate) scope: regrasp_api::Scope,
    /// Error of the last answer.
    pub(crate) correction: Option<String>,
}

impl Ask {
    pub(crate) fn new(trigger: Trigger, why: impl Into<String>) -> Self {
        Self {
            trigger,
            why: why.into(),
            scope: regrasp_api::Scope::Rest,
            correction: None,
        }
    }

    /// Returns true if the request follows a failure, so that it counts as a replan.
    pub(crate) fn is_replan(&self) -> bool {
        !matches!(
            self.trigger,
            Trigger::Start | Trigger::NextRound | Trigger::Answered
        )
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) enum NextAction {
    Ask(Ask),
    /// Execute the next step if there is one.
    #[default]
    Step,
    Verify,
    End(End),
}

impl NextAction {
    pub(crate) fn ask(trigger: Trigger, why: impl Into<String>) -> Self {
        Self::Ask(Ask::new(trigger, why))
    }

    pub(crate) fn end(reason: FinalReason, detail: impl Into<String>) -> Self {
        Self::End(End::new(reason, detail))
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spent {
    pub(crate) steps: usize,
    pub(crate) planner_calls: usize,
    /// Replans that count against the budget.
    pub(crate) replans: usize,
    /// Requests to the planner after a failure.
    pub(crate) asked_again: usize,
    pub(crate) tokens: u64,
    /// Wall time in all processes, s.
    pub(crate) wall_secs: f64,
    pub(crate) failures_in_a_row: usize,
    /// Outages outside the robot in a row.
    pub(crate) outages_in_a_row: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastDone {
    pub(crate) step_idx: usize,
    /// Number of plan versions when the step was completed.
    pub(crate) version: usize,
}

/// State of an episode between two actions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) task: String,
    pub(crate) next: NextAction,
    pub(crate) goals: Goals,
    /// Remaining steps of the plan.
    pub(crate) queue: Vec<PlanStep>,
    /// True if the task is complete after this plan.
    pub(crate) plan_is_last: bool,
    /// Retries of the first step in the queue.
    pub(crate) n_retries: u8,
    /// First step in the queue as planned, once it is retried.
    pub(crate) planned: Option<SkillCall>,
    pub(crate) versions: Vec<PlanVersion>,
    pub(crate) attempts: Vec<PriorAttempt>,
    pub(crate) completed: Vec<CompletedStep>,
    pub(crate) last_done: LastDone,
    pub(crate) failed_calls: Vec<FailedCall>,
    pub(crate) answers: Vec<(String, String)>,
    pub(crate) past_cases: Vec<PastCase>,
    pub(crate) spent: Spent,
    /// Distinct worlds in which the planner was asked.
    pub(crate) round_starts: Vec<RoundStart>,
    /// Rounds in a row that returned the world to the start of an earlier round.
    pub(crate) idle_rounds: usize,
    /// Last perceived state of the objects.
    pub(crate) view: View,
    pub(crate) goal_met: bool,
    pub(crate) final_answer: Option<String>,
    pub(crate) started_sim_secs: f64,
    /// Simulated time of the episode at the last save, s.
    #[serde(default)]
    pub(crate) sim_secs: f64,
    pub(crate) held: Option<Held>,
    pub(crate) perception: Value,
    pub(crate) planner: Value,
}

impl State {
    pub(crate) fn new(task: &str, now_secs: f64) -> Self {
        Self {
            task: task.to_owned(),
            next: NextAction::ask(Trigger::Start, "the episode begins"),
            started_sim_secs: now_secs,
            ..Self::default()
        }
    }

    /// Resets the retries for a new first step in the queue.
    pub(crate) fn turn_to_next_step(&mut self) {
        self.n_retries = 0;
        self.planned = None;
    }

    /// Failures of a step for a reason in this episode, in any state of the world.
    pub(crate) fn failures(&self, planned: &SkillCall, reason: &Reason) -> Vec<&FailedCall> {
        let of_it = |f: &&FailedCall| {
            let attempt = self.attempts.get(f.attempt_idx);
            f.planned == *planned && attempt.is_some_and(|a| a.reason == *reason)
        };
        self.failed_calls.iter().filter(of_it).collect()
    }

    pub(crate) fn result(&self, end: &End, seed: u64, version: &str) -> EpisodeResult {
        let success = matches!(
            end.reason,
            FinalReason::PlanComplete | FinalReason::AlreadyDone
        );
        let answer = || self.final_answer.clone();
        EpisodeResult {
            success,
            goal_met: self.goal_met,
            replans: self.spent.asked_again,
            steps: self.spent.steps,
            planner_calls: self.spent.planner_calls,
            final_reason: end.reason,
            final_detail: end.detail.clone(),
            final_answer: success.then(answer).flatten(),
            tokens: self.spent.tokens,
            wall_s: self.spent.wall_secs,
            sim_s: 0.0,
            seed,
            state_digest: String::new(),
            version: version.to_owned(),
        }
    }
}
