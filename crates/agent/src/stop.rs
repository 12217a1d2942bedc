use regrasp_api::{Failure, FinalReason, PlannerError, PriorAttempt, Reason, SkillResult};

/// How an episode ends.
#[derive(Clone, Debug, PartialEq)]
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

/// Why a round did not reach the goal, in a way that another plan may mend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trouble {
    /// How the episode ends if the budget is spent.
    pub(crate) ends_as: FinalReason,
    pub(crate) detail: String,
}

/// Why a round stopped before the goal was reached.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stop {
    /// Nothing more can be done.
    Final(End),
    /// Another plan may do better.
    Replan(Trouble),
}

impl Stop {
    pub(crate) fn end(reason: FinalReason, detail: impl Into<String>) -> Self {
        Self::Final(End::new(reason, detail))
    }

    pub(crate) fn replan(ends_as: FinalReason, detail: impl Into<String>) -> Self {
        let detail = detail.into();
        Self::Replan(Trouble { ends_as, detail })
    }

    /// What a failed step means for the episode.
    pub(crate) fn from_attempt(failed: &PriorAttempt) -> Self {
        let detail = describe(failed);
        match final_reason(&failed.reason) {
            Some(reason) => Self::end(reason, detail),
            None => Self::replan(FinalReason::ReplanExhausted, detail),
        }
    }
}

/// The robot could not look.
impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        match final_reason(&failure.reason) {
            Some(reason) => Self::end(reason, failure.detail),
            None => Self::replan(FinalReason::ReplanExhausted, failure.detail),
        }
    }
}

impl From<PlannerError> for Stop {
    fn from(error: PlannerError) -> Self {
        let detail = format!("failed to {error}");
        match error {
            // The text will not be any clearer the next time.
            PlannerError::Unrecognized { .. } => Self::end(FinalReason::UnrecognizedPrompt, detail),
            // The model's client retries by its own policy before it says this.
            PlannerError::Transport { .. } => Self::end(FinalReason::VlmTransport, detail),
            PlannerError::Unusable { .. } => Self::replan(FinalReason::NoPlan, detail),
        }
    }
}

/// The reasons after which no plan can help.
fn final_reason(reason: &Reason) -> Option<FinalReason> {
    match reason {
        Reason::SimDiverged => Some(FinalReason::SimDiverged),
        Reason::Cancelled => Some(FinalReason::Cancelled),
        Reason::ApprovalDenied => Some(FinalReason::ApprovalDenied),
        _ => None,
    }
}

/// For example "pick failed: unreachable - IK did not converge …".
pub(crate) fn describe(failed: &PriorAttempt) -> String {
    format!(
        "{} failed: {} - {}",
        failed.skill, failed.reason, failed.reason_detail
    )
}

/// What the planner is told about a step that failed.
pub(crate) fn attempt(
    step_idx: usize,
    call: &regrasp_api::SkillCall,
    result: SkillResult,
) -> PriorAttempt {
    PriorAttempt {
        step_idx,
        skill: call.skill.clone(),
        args: call.args.clone(),
        // A skill that fails without a reason broke its contract; its failure is
        // still one.
        reason: result.reason.unwrap_or(Reason::VerificationFailed),
        reason_detail: result.reason_detail,
        entities: result.entities,
        world_changed: result.world_changed,
    }
}
