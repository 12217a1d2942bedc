//! Asking for approval before a critical step.

use regrasp_api::{
    Approval, ApprovalMode, ApprovalRequest, Event, Failure, Phase, Reason, SkillCall,
};

use crate::approval;
use crate::episode::Episode;

impl Episode<'_> {
    /// Asks for approval where the policy says so. `Ok(Some(kind))` if a person gave it,
    /// `Ok(None)` if nobody had to.
    pub(crate) fn approve(&mut self, call: &SkillCall) -> Result<Option<String>, Failure> {
        let policy = self.agent.options.approval.clone().unwrap_or_default();
        if policy.mode == ApprovalMode::Never {
            return Ok(None);
        }
        let spec = self.specs.iter().find(|spec| spec.name == call.skill);
        let observation = self.agent.robot.observe();
        let risks = approval::risks_of(&policy.risks, call, spec, &self.percept, &observation);
        if policy.mode == ApprovalMode::Critical && risks.is_empty() {
            return Ok(None);
        }
        let kind = approval::kind(call, &risks);
        let streak = self.agent.approvals.clean_streak(&kind).unwrap_or(0);
        if policy.trust_after.is_some_and(|n| streak >= n) {
            return Ok(Some(kind));
        }
        let request = ApprovalRequest {
            call: call.clone(),
            risks,
        };
        let answer = self.agent.person.approve(&request);
        self.agent.robot.emit(Event::ApprovalAsked {
            request: request.clone(),
            answer: answer.clone(),
        });
        match answer {
            Approval::Granted => Ok(Some(kind)),
            Approval::Refused { why } => {
                let risks = request.risks.join("; ");
                let text = format!("{call} was not approved: {why} ({risks})");
                Err(Failure::new(Reason::ApprovalDenied, text).in_phase(Phase::Precondition))
            }
        }
    }
}
