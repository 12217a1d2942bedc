//! Approval of skills that are called by hand.

use std::sync::Arc;

use regrasp_agent::{approval_denied, approval_request, may_ask};
use regrasp_api::{
    Approval, CancelToken, Event, Failure, Person as _, Phase, Reason, SkillCall, SkillResult,
};
use regrasp_robot::SkillSet;

use crate::SetupFailure;
use crate::worker::{Worker, lost};

impl Worker {
    /// Calls a skill, after approval if the policy requires one.
    pub(crate) fn called_by_hand(
        &mut self,
        call: &SkillCall,
        cancel: &CancelToken,
    ) -> Result<SkillResult, SetupFailure> {
        let skills = Arc::clone(&self.current.skills);
        let consent = self.consent(&skills, call, cancel)?;
        match consent {
            Ok(()) => self.call(&skills, call, cancel),
            Err(failure) => {
                let robot = self.current.robot.as_mut().ok_or_else(lost)?;
                Ok(skills.refuse(robot, failure))
            }
        }
    }

    /// Asks for approval of a skill call. Trust in kinds of steps does not count here: the agent
    /// earned it, not the person who calls by hand.
    fn consent(
        &mut self,
        skills: &SkillSet,
        call: &SkillCall,
        cancel: &CancelToken,
    ) -> Result<Result<(), Failure>, SetupFailure> {
        let policy = self.current.approval.clone();
        if !may_ask(&policy) {
            return Ok(Ok(()));
        }
        let robot = self.current.robot.as_mut().ok_or_else(lost)?;
        robot.cancel = cancel.clone();
        let percept = robot.perceive();
        robot.cancel = CancelToken::new();
        // Without a percept a call cannot be judged harmless.
        let seen = percept.and_then(|percept| Ok((percept, robot.observe()?)));
        let (percept, now) = match seen {
            Ok(seen) => seen,
            Err(failure) => return Ok(Err(failure)),
        };
        let Some(request) = approval_request(&policy, call, &skills.specs(), &percept, &now) else {
            return Ok(Ok(()));
        };
        let answer = self.shared.operators(cancel).approve(&request);
        robot.emit(Event::ApprovalAsked {
            request: request.clone(),
            answer: answer.clone(),
        });
        Ok(match answer {
            Approval::Granted => Ok(()),
            Approval::Refused { why } if cancel.is_cancelled() => {
                let text = format!("{call} was not started: {why}");
                Err(Failure::new(Reason::Cancelled, text).in_phase(Phase::Precondition))
            }
            Approval::Refused { why } => Err(approval_denied(&request, &why)),
        })
    }
}
