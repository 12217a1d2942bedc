//! Approval of critical steps.

use regrasp_api::{Approval, Event, Failure, SkillCall};

use crate::active_episode::ActiveEpisode;
use crate::approval;

impl ActiveEpisode<'_> {
    /// Asks for approval if the policy requires it. Returns `Ok(Some(kind))` if a person approved,
    /// and `Ok(None)` if no approval was needed.
    pub(crate) fn approve(&mut self, call: &SkillCall) -> Result<Option<String>, Failure> {
        let policy = self.agent.options.approval.clone().unwrap_or_default();
        let observation = self.agent.robot.observe()?;
        let request = approval::approval_request(
            &policy,
            call,
            &self.specs,
            &self.sight.percept,
            &observation,
        );
        let Some(request) = request else {
            return Ok(None);
        };
        let kind = approval::kind(call, &request.risks);
        let streak = self.agent.approvals.clean_streak(&kind).unwrap_or(0);
        if policy.trust_after.is_some_and(|n| streak >= n) {
            return Ok(Some(kind));
        }
        let answer = self.agent.person.approve(&request);
        self.agent.robot.emit(Event::ApprovalAsked {
            request: request.clone(),
            answer: answer.clone(),
        });
        match answer {
            Approval::Granted => Ok(Some(kind)),
            Approval::Refused { why } => Err(approval::approval_denied(&request, &why)),
        }
    }
}
