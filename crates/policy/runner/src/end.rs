//! How the driving of a policy ended.

use regrasp_api::{Failure, FinalReason, Phase, Reason, RobotErrorKind, SkillResult, StateAfter};
use regrasp_robot::{Robot, is_lasting};

/// How the driving ended.
pub(crate) struct End {
    pub(crate) reason: FinalReason,
    /// Empty if the policy says that the task is done.
    pub(crate) detail: String,
    pub(crate) n_actions: usize,
}

/// How an episode ends after which the robot cannot go on.
pub(crate) fn broken(failure: &Failure) -> (FinalReason, String) {
    let is_of_robot =
        failure.reason == Reason::Unsupported || RobotErrorKind::of(&failure.reason).is_some();
    let error = is_of_robot.then_some(FinalReason::RobotUnavailable);
    let reason = FinalReason::forced_by(&failure.reason).or(error);
    let reason = reason.unwrap_or(FinalReason::PolicyUnavailable);
    (reason, failure.detail.to_string())
}

impl End {
    /// What broke while the arm came to rest goes before the policy's own word.
    pub(crate) fn or_broken(self, failure: &Failure) -> Self {
        if !is_lasting(&failure.reason) || self.reason == FinalReason::Cancelled {
            return self;
        }
        let (reason, detail) = broken(failure);
        Self {
            reason,
            detail,
            ..self
        }
    }

    pub(crate) fn as_step(&self, robot: &mut Robot) -> SkillResult {
        let reason = match self.reason {
            FinalReason::PlanComplete => None,
            FinalReason::Timeout => Some(Reason::SkillTimeout),
            FinalReason::Cancelled => Some(Reason::Cancelled),
            FinalReason::SimDiverged => Some(Reason::SimDiverged),
            other => Some(Reason::from_slug(other.slug())),
        };
        SkillResult {
            success: reason.is_none(),
            reason,
            reason_detail: self.detail.clone(),
            phase: Phase::Execute,
            moment: None,
            entities: vec![],
            measured: vec![],
            world_changed: robot.take_moved(),
            state_after: StateAfter::default(),
            hints: vec![],
            retry_with: None,
            artifacts: vec![],
            verified_by: vec![],
        }
    }
}
