//! Refuses calls that failed before and would fail again.

use regrasp_api::{Event, FinalReason, PlanStep, PriorAttempt, Reason, Trigger};

use crate::act::ends_as;
use crate::active_episode::ActiveEpisode;
use crate::reflect::is_structural;
use crate::sight::FailedCall;
use crate::state::{Ask, End, NextAction};

impl ActiveEpisode<'_> {
    /// Returns true if a new plan begins with the last completed step, which is then skipped. A
    /// call that occurs twice within one plan is made twice.
    pub(crate) fn is_done_already(&mut self, step: &PlanStep) -> bool {
        let state = &self.state;
        let Some(last) = state.completed.last().filter(|last| last.call == step.call) else {
            return false;
        };
        let newer = state
            .attempts
            .iter()
            .filter(|a| a.step_idx >= state.last_done.step_idx);
        let after = &last.result.state_after;
        let is_done = state.last_done.version < state.versions.len()
            && newer.into_iter().all(|a| !a.world_changed)
            && after.objects.is_some()
            && state.view.after(after).is_same(&state.view);
        if is_done {
            self.agent.robot.emit(Event::CallRefused {
                step_idx: self.state.spent.steps,
                call: step.call.clone(),
                why: "it was already done, and nothing has changed since".into(),
            });
        }
        is_done
    }

    /// Refuses a call that failed in the same world, or a step that failed repeatedly and left the
    /// world as it is. The first refusal leads to a replan with the earlier reason, the second ends
    /// the episode.
    pub(crate) fn refuse_repeated(&mut self, step: &PlanStep) -> Option<NextAction> {
        if !self.agent.options.refuse_repeats || self.state.n_retries > 0 {
            return None;
        }
        let state = &mut self.state;
        let attempts = &state.attempts;
        let was_exhausted = |f: &FailedCall| {
            let tried = attempts.get(f.attempt_idx).map_or(1, |a| a.n_alike);
            f.planned == step.call && tried > 1 && f.after.is_in_place(&state.view)
        };
        let same = |f: &&mut FailedCall| {
            (f.call == step.call && f.before.is_same(&state.view)) || was_exhausted(f)
        };
        let found = state.failed_calls.iter_mut().rev().find(same)?;
        let before = attempts.get(found.attempt_idx)?.clone();
        if may_succeed_next(&before) {
            return None;
        }
        let was_refused = std::mem::replace(&mut found.refused, true);
        let detail = format!(
            "this call already failed in an unchanged world: {}",
            before.describe()
        );
        let step_idx = self.state.spent.steps;
        self.agent.robot.emit(Event::CallRefused {
            step_idx,
            call: step.call.clone(),
            why: detail.clone(),
        });
        if let Some(end) = self.end_of_repeats(&before, was_refused, &detail) {
            return Some(NextAction::End(end));
        }
        let ends_as = ends_as(&before.reason);
        self.state.attempts.push(PriorAttempt {
            step_idx,
            reason_detail: format!(
                "{} (not repeated in an unchanged world)",
                before.reason_detail
            ),
            world_changed: false,
            n_alike: before.n_alike + 1,
            ..before
        });
        let ask = Ask::new(Trigger::Refused { step_idx }, detail);
        Some(self.request_replan(ask, ends_as))
    }

    /// Returns the end of the episode if nothing can change the cause of the failure, or if the
    /// call was refused before.
    fn end_of_repeats(&self, before: &PriorAttempt, again: bool, detail: &str) -> Option<End> {
        let ends_as = ends_as(&before.reason);
        let has_remedy = self
            .specs
            .iter()
            .any(|s| s.remedies.contains(&before.reason));
        if is_structural(&before.reason) && !has_remedy {
            match ends_as {
                // A planner that made an invalid call may still correct it.
                FinalReason::NoPlan => {}
                FinalReason::ApprovalDenied => {
                    let detail = format!("the step was already rejected: {}", before.describe());
                    return Some(End::new(ends_as, detail));
                }
                _ => {
                    let detail = format!("no skill can change this: {}", before.describe());
                    return Some(End::new(FinalReason::Infeasible, detail));
                }
            }
        }
        again.then(|| End::new(ends_as, detail))
    }
}

/// Returns true if the next attempt may succeed in a scene that looks unchanged: the next percept
/// may differ, and an object that was dropped for the first time was picked up again.
fn may_succeed_next(attempt: &PriorAttempt) -> bool {
    match attempt.reason {
        Reason::ObjectNotFound | Reason::AmbiguousObject => true,
        Reason::ObjectDropped => attempt.n_alike <= 1,
        _ => false,
    }
}
