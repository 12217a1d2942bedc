//! Executes steps and handles their results.

use regrasp_api::{
    Approval, CompletedStep, Decision, Event, Failure, FinalReason, PlanStep, PriorAttempt, Reason,
    Route, Scope, SkillCall, SkillResult, Trigger, merged_args,
};
use serde_json::{Map, Value};

use crate::active_episode::ActiveEpisode;
use crate::approval::{approval_denied, approval_request, kind};
use crate::decide::{Evidence, decide, n_invalid};
use crate::reflect::reflect;
use crate::sight::{FailedCall, View};
use crate::state::{Ask, LastDone, NextAction};

impl ActiveEpisode<'_> {
    /// Executes the next step, or the next group of steps that may run at the same time.
    pub(crate) fn step(&mut self) -> NextAction {
        if self.state.queue.is_empty() {
            return if self.state.plan_is_last {
                NextAction::Verify
            } else {
                let why = "the steps of the last round are done";
                NextAction::ask(Trigger::NextRound, why)
            };
        }
        if let Err(end) = self.within_limits() {
            return NextAction::End(end);
        }
        let group = self.take_group();
        let (limit, first) = (self.agent.options.budgets.max_steps, &group[0]);
        if self.state.spent.steps + group.len() > limit {
            let detail = format!(
                "the limit of {limit} steps is reached, and the plan is not finished \
                 (next call: {})",
                first.call
            );
            return NextAction::end(FinalReason::MaxSteps, detail);
        }
        if group.len() == 1 && self.is_done_already(&group[0]) {
            return NextAction::Step;
        }
        for step in &group {
            if let Some(next) = self.refuse_repeated(step) {
                return next;
            }
        }
        let before = self.state.view.clone();
        let kinds: Vec<_> = group.iter().map(|step| self.approve(&step.call)).collect();
        let results = self.perform(&group, &kinds);
        match self.take_in(group, results, &kinds, &before) {
            end @ NextAction::End(_) => end,
            next => self.watch_rules().unwrap_or(next),
        }
    }

    /// Asks for approval if the policy requires it and this kind of step is not trusted yet. Returns
    /// `Ok(Some(kind))` if a person approved or the kind is trusted, and `Ok(None)` if no approval
    /// was needed.
    pub(crate) fn approve(&mut self, call: &SkillCall) -> Result<Option<String>, Failure> {
        let policy = self.agent.options.approval.clone().unwrap_or_default();
        let observation = self.agent.robot.observe()?;
        let request = approval_request(
            &policy,
            call,
            &self.specs,
            &self.sight.percept,
            &observation,
        );
        let Some(request) = request else {
            return Ok(None);
        };
        let kind = kind(call, &request.risks);
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
            Approval::Refused { why } => Err(approval_denied(&request, &why)),
        }
    }

    /// Records the results of a group. The first result that failed, or that deviates so far that a
    /// new plan is needed, decides what happens next.
    fn take_in(
        &mut self,
        group: Vec<PlanStep>,
        results: Vec<SkillResult>,
        kinds: &[Result<Option<String>, Failure>],
        before: &View,
    ) -> NextAction {
        let mut next = NextAction::Step;
        let first_idx = self.state.spent.steps - results.len();
        for (i, ((step, result), kind)) in group.into_iter().zip(results).zip(kinds).enumerate() {
            if let Ok(Some(kind)) = kind {
                let incident = !result.success;
                if let Err(error) = self.agent.approvals.record(kind, incident) {
                    tracing::warn!(%error, "the outcome of an approved step could not be stored");
                }
            }
            let held = self.state.view.held.clone();
            self.state.view = self.state.view.after(&result.state_after);
            if result.success {
                let deviation = self.deviation(first_idx + i, &step, &result);
                let call = step.call;
                self.pass(&call, held.as_ref());
                let step_idx = first_idx + i;
                self.state.completed.push(CompletedStep {
                    step_idx,
                    call,
                    result,
                });
                self.state.last_done = LastDone {
                    step_idx,
                    version: self.state.versions.len(),
                };
                self.state.turn_to_next_step();
                self.state.spent.failures_in_a_row = 0;
                if next == NextAction::Step {
                    next = deviation.unwrap_or(NextAction::Step);
                }
            } else if next == NextAction::Step {
                next = self.failed(first_idx + i, step, result, before);
            } else {
                let attempt = PriorAttempt::new(first_idx + i, &step.call, result);
                self.state.attempts.push(attempt);
            }
        }
        next
    }

    fn failed(
        &mut self,
        step_idx: usize,
        step: PlanStep,
        result: SkillResult,
        before: &View,
    ) -> NextAction {
        let retry_with = result.retry_with.clone();
        let mut attempt = PriorAttempt::new(step_idx, &step.call, result);
        let rule = self.agent.options.rules.rule(&attempt.reason);
        // The skill perceived the scene last, to report the state after it.
        let percept = self.agent.robot.glance().ok();
        if let Some(percept) = &percept {
            let _ = self.agent.robot.in_hand(percept);
        }
        attempt.reflection = reflect(&attempt, rule.category, percept.as_ref(), &self.specs);
        let planned = self.state.planned.clone();
        let planned = planned.unwrap_or_else(|| step.call.clone());
        attempt.varied = changes(&planned.args, &step.call.args);
        let failures = self.state.failures(&planned, &attempt.reason);
        // A rule limits the retries of an episode, not of each plan.
        let n_retries = usize::from(self.state.n_retries).max(failures.len());
        let alike = (failures.iter()).filter(|f| f.after.is_in_place(&self.state.view));
        attempt.n_alike = 1 + alike.count();
        let failed_here = before.is_same(&self.state.view) && self.has_failed_here(&step.call);
        let is_new = |changes: &serde_json::Value| {
            let args = merged_args(&step.call.args, changes);
            !self.has_failed_here(&SkillCall::new(&*step.call.skill, args))
        };
        let retry_with = retry_with.filter(is_new);
        self.state.failed_calls.push(FailedCall {
            call: step.call.clone(),
            planned: planned.clone(),
            before: before.clone(),
            after: self.state.view.clone(),
            attempt_idx: self.state.attempts.len(),
            refused: false,
        });
        self.state.attempts.push(attempt.clone());
        self.state.spent.failures_in_a_row += 1;
        let holds_something = self.agent.robot.held.is_some();
        let evidence = Evidence {
            rule,
            attempt: &attempt,
            can_vary: retry_with.is_some(),
            hopeless: failed_here || attempt.n_alike > 1,
            n_retries: u8::try_from(n_retries).unwrap_or(u8::MAX),
            remaining: &self.state.queue,
            n_invalid: n_invalid(&self.state.queue, &attempt, holds_something, &self.specs),
        };
        let decision = decide(&evidence);
        self.agent.robot.emit(Event::Decided {
            step_idx,
            decision: decision.clone(),
        });
        if let Some(next) = self.too_many_failures(&attempt) {
            return next;
        }
        if decision.route == Route::Retry {
            self.state.planned = Some(planned);
        }
        self.follow(&decision, &attempt, step, retry_with)
    }

    /// Returns true if a call failed before in the current scene.
    fn has_failed_here(&self, call: &SkillCall) -> bool {
        let now = &self.state.view;
        let mut calls = self.state.failed_calls.iter();
        calls.any(|f| f.call == *call && f.before.is_same(now))
    }

    fn follow(
        &mut self,
        decision: &Decision,
        attempt: &PriorAttempt,
        mut step: PlanStep,
        retry_with: Option<serde_json::Value>,
    ) -> NextAction {
        let trigger = Trigger::StepFailed {
            step_idx: attempt.step_idx,
            reason: attempt.reason.clone(),
        };
        let mut ask = Ask::new(trigger, attempt.describe());
        // Clears an error of the robot. If that fails, the next command reports the error again.
        let _ = self.agent.robot.recover();
        match decision.route {
            Route::Continue => return NextAction::Step,
            Route::Abort => {
                let reason = FinalReason::forced_by(&attempt.reason);
                let reason = reason.unwrap_or(FinalReason::ReplanExhausted);
                return NextAction::end(reason, attempt.describe());
            }
            Route::Retry => {
                if let Some(changes) = retry_with {
                    step.call.args = merged_args(&step.call.args, &changes);
                }
                let pause_ms = self.agent.options.rules.rule(&attempt.reason).pause_ms;
                // An error of the world during the wait is reported by the next access to the
                // world.
                let _ = self.agent.robot.wait(f64::from(pause_ms) / 1000.0);
                self.state.queue.insert(0, step);
                self.state.n_retries += 1;
                return NextAction::Step;
            }
            Route::Ask => {
                let question = format!("{}. What should be done?", attempt.describe());
                if self.put_to_person(&question).is_some() {
                    return NextAction::ask(Trigger::Answered, attempt.describe());
                }
            }
            Route::Substitute => ask.scope = Scope::Step,
            Route::Replan => ask.scope = Scope::Rest,
            Route::FullReplan => ask.scope = Scope::All,
        }
        let ends_as = ends_as(&attempt.reason);
        if !self.agent.options.replan_on_failure {
            return NextAction::end(ends_as, ask.why);
        }
        self.request_replan(ask, ends_as)
    }

    /// Asks a person whether to continue after many failures in a row.
    fn too_many_failures(&mut self, attempt: &PriorAttempt) -> Option<NextAction> {
        let n = self.state.spent.failures_in_a_row;
        if n < self.agent.options.budgets.human_after {
            return None;
        }
        let last = attempt.describe();
        let detail = format!("{n} steps failed in a row; the last: {last}");
        let question = format!("{detail}. Continue?");
        if self.put_to_person(&question).is_none() {
            return Some(NextAction::end(FinalReason::NeedsHuman, detail));
        }
        self.state.spent.failures_in_a_row = 0;
        None
    }

    /// Asks a person, and keeps the answer for the planner.
    pub(crate) fn put_to_person(&mut self, question: &str) -> Option<String> {
        let answer = self.agent.person.answer(question);
        self.agent.robot.emit(Event::QuestionAsked {
            question: question.to_owned(),
            answer: answer.clone(),
        });
        let kept = answer.clone().map(|answer| (question.to_owned(), answer));
        self.state.answers.extend(kept);
        answer
    }
}

/// Returns the arguments of an attempt that differ from the plan; `None` if there are none.
fn changes(planned: &Value, tried: &Value) -> Option<Value> {
    let (planned, tried) = (planned.as_object()?, tried.as_object()?);
    let differs = |(name, value): &(&String, &Value)| planned.get(*name) != Some(value);
    let changed = tried.iter().filter(differs);
    let changed: Map<_, _> = changed.map(|(k, v)| (k.clone(), v.clone())).collect();
    (!changed.is_empty()).then_some(Value::Object(changed))
}

/// Final reason of an episode that ends with this failure.
pub(crate) fn ends_as(reason: &Reason) -> FinalReason {
    match reason {
        Reason::ApprovalDenied => FinalReason::ApprovalDenied,
        // Invalid calls are a failure of the planner, not of the robot.
        Reason::UnknownSkill | Reason::BadArguments => FinalReason::NoPlan,
        _ => FinalReason::ReplanExhausted,
    }
}
