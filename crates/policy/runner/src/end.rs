//! End of a policy's control.

use regrasp_api::{
    Failure, FinalReason, Phase, PolicyError, Reason, RobotErrorKind, SkillResult, Success,
};
use regrasp_robot::{Robot, is_lasting};

/// Reason of the end with a detail, which is empty if the task counts as done.
pub(crate) struct Stop(pub(crate) FinalReason, pub(crate) String);

impl Stop {
    pub(crate) fn done() -> Self {
        Self(FinalReason::PlanComplete, String::new())
    }
}

/// Maps a failure of the robot to the final reason of the episode.
impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        let is_of_robot =
            failure.reason == Reason::Unsupported || RobotErrorKind::of(&failure.reason).is_some();
        let error = is_of_robot.then_some(FinalReason::RobotUnavailable);
        let reason = FinalReason::forced_by(&failure.reason).or(error);
        let reason = reason.unwrap_or(FinalReason::PolicyUnavailable);
        Self(reason, failure.detail.to_string())
    }
}

impl From<PolicyError> for Stop {
    fn from(error: PolicyError) -> Self {
        Self(FinalReason::PolicyUnavailable, error.to_string())
    }
}

pub(crate) struct End {
    pub(crate) stop: Stop,
    pub(crate) n_actions: usize,
}

impl End {
    pub(crate) fn new(stop: Stop, n_actions: usize) -> Self {
        Self { stop, n_actions }
    }

    /// Replaces the end by a lasting failure that occurred while the arm came to rest, unless the
    /// episode was cancelled.
    pub(crate) fn or_broken(self, failure: Failure) -> Self {
        if !is_lasting(&failure.reason) || self.stop.0 == FinalReason::Cancelled {
            return self;
        }
        Self::new(failure.into(), self.n_actions)
    }

    pub(crate) fn as_step(&self, robot: &mut Robot) -> SkillResult {
        let reason = match self.stop.0 {
            FinalReason::PlanComplete => None,
            FinalReason::Timeout => Some(Reason::SkillTimeout),
            FinalReason::Cancelled => Some(Reason::Cancelled),
            FinalReason::SimDiverged => Some(Reason::SimDiverged),
            other => Some(Reason::from_slug(other.slug())),
        };
        SkillResult {
            success: reason.is_none(),
            reason,
            phase: Phase::Execute,
            world_changed: robot.take_moved(),
            ..Success::new(&self.stop.1).into()
        }
    }
}
