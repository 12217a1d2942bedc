//! Asking the planner, and making something of its answer.

use std::time::Duration;

use regrasp_api::{
    Event, FinalReason, Percept, Plan, PlanRequest, PlanVersion, PlannerError, PriorAttempt,
    Reason, Scope, Trigger,
};

use crate::episode::Episode;
use crate::goals::partial_result;
use crate::memory;
use crate::state::{Ask, End, Next};

/// Between two looks at the cancel token while the agent waits, s.
const WAIT_SLICE_SECS: f64 = 0.05;

impl Episode<'_> {
    /// Looks, asks, and takes the answer up.
    pub(crate) fn ask(&mut self, ask: Ask) -> Next {
        if let Err(end) = self.within_limits() {
            return Next::End(end);
        }
        let percept = match self.look() {
            Ok(percept) => percept,
            Err(failure) => return self.blind(&failure),
        };
        // What failed may have brought the goal about nevertheless.
        if self.goals_hold(&percept) {
            return self.done();
        }
        if let Err(end) = self.may_ask(&ask) {
            return Next::End(end);
        }
        match self.plan(&ask, &percept) {
            Ok(plan) => self.take_up(plan, ask, &percept),
            Err(error) => self.no_plan(&error),
        }
    }

    /// Budgets of rounds and tokens, and the pause that trouble outside asks for.
    fn may_ask(&mut self, ask: &Ask) -> Result<(), End> {
        let budgets = self.agent.options.budgets.clone();
        let spent = self.state.spent;
        if spent.planner_calls >= budgets.max_rounds {
            let detail = format!("{} rounds, and the planner goes on", budgets.max_rounds);
            return Err(End::new(
                FinalReason::BudgetExhausted,
                self.after_last(detail),
            ));
        }
        if budgets.tokens_left(spent.tokens, ask.is_replan()) == Some(0) {
            let kind = if ask.is_replan() {
                ""
            } else {
                " less the reserve for replans"
            };
            let detail = format!("{} tokens are spent, the budget{kind}", spent.tokens);
            return Err(End::new(
                FinalReason::BudgetExhausted,
                self.after_last(detail),
            ));
        }
        if spent.outages_in_a_row > 0 {
            self.back_off(budgets.interval_secs(spent.outages_in_a_row));
        }
        Ok(())
    }

    fn back_off(&mut self, wait_secs: f64) {
        self.agent.robot.emit(Event::BackingOff { wait_secs });
        let mut left_secs = wait_secs;
        while left_secs > 0.0 && !self.agent.robot.cancel.is_cancelled() {
            let slice_secs = left_secs.min(WAIT_SLICE_SECS);
            self.agent.clock.sleep(Duration::from_secs_f64(slice_secs));
            left_secs -= slice_secs;
        }
    }

    fn plan(&mut self, ask: &Ask, percept: &Percept) -> Result<Plan, PlannerError> {
        memory::recall(self.agent, &mut self.state, percept);
        let agent = &mut *self.agent;
        let state = &mut self.state;
        let replan = state.spent.planner_calls;
        agent.robot.emit(Event::PlanRequested {
            task: state.task.clone(),
            replan,
        });
        state.spent.asked_again += usize::from(replan > 0 && ask.is_replan());
        state.spent.planner_calls += 1;
        let observation = agent.robot.observe();
        let budgets = &agent.options.budgets;
        let request = PlanRequest {
            task: &state.task,
            trigger: &ask.trigger,
            scope: ask.scope,
            remaining: &state.queue,
            observation: &observation,
            percept,
            held: agent.robot.held.as_ref(),
            attempts: &state.attempts,
            completed: &state.completed,
            past_cases: &state.past_cases,
            answers: &state.answers,
            correction: ask.correction.as_deref(),
            tokens_left: budgets.tokens_left(state.spent.tokens, ask.is_replan()),
            skills: &self.specs,
            robot: &agent.robot.info,
        };
        let begun = agent.clock.now();
        let limit_secs = budgets.max_planning_secs;
        let answer = wait_for(agent.planner.plan(&request), limit_secs);
        let took_secs = agent.clock.now().saturating_sub(begun).as_secs_f64();
        let in_time = answer.filter(|_| took_secs <= limit_secs);
        let answer = in_time.unwrap_or_else(|| {
            let detail = format!("no answer within {limit_secs} s");
            Err(PlannerError::Transport { detail })
        });
        if let Err(error) = &answer {
            agent.robot.emit(Event::PlanFailed {
                replan,
                error: error.to_string(),
            });
        }
        answer
    }

    fn no_plan(&mut self, error: &PlannerError) -> Next {
        let detail = self.after_last(format!("failed to {error}"));
        let mut ask = Ask::new(Trigger::PlannerTrouble, detail.clone());
        match error {
            // The text will not be any clearer the next time.
            PlannerError::Unrecognized { .. } => {
                Next::End(End::new(FinalReason::UnrecognizedPrompt, detail))
            }
            // Nor will a key that is wrong be any better.
            PlannerError::Refused { .. } => Next::End(End::new(FinalReason::VlmTransport, detail)),
            PlannerError::OverBudget { .. } => {
                Next::End(End::new(FinalReason::BudgetExhausted, detail))
            }
            PlannerError::Transport { .. } => {
                self.state.spent.outages_in_a_row += 1;
                self.trouble(ask, FinalReason::VlmTransport, detail)
            }
            PlannerError::Unusable { detail: wrong } => {
                self.state.spent.outages_in_a_row = 0;
                ask.correction = Some(wrong.clone());
                self.trouble(ask, FinalReason::NoPlan, detail)
            }
        }
    }

    fn take_up(&mut self, plan: Plan, ask: Ask, percept: &Percept) -> Next {
        let budgets = &self.agent.options.budgets;
        self.state.spent.outages_in_a_row = 0;
        self.state.spent.tokens += plan.tokens;
        if let Some(wrong) = what_is_wrong(&plan, budgets.max_steps) {
            self.agent.robot.emit(Event::PlanFailed {
                replan: self.state.spent.planner_calls - 1,
                error: wrong.clone(),
            });
            return self.no_plan(&PlannerError::Unusable { detail: wrong });
        }
        if let Some(question) = plan.question.clone() {
            return self.question(question);
        }
        let sets_goals = !plan.goals.is_empty() && self.state.goals.is_empty();
        if sets_goals {
            self.state.goals.adopt(&plan.goals);
            self.state.goals.ground(percept);
        }
        let revised = self.revise(plan, ask);
        if sets_goals && self.goals_hold(percept) {
            return self.done();
        }
        if !revised.plan.achievable {
            let explanation = revised.plan.explanation.unwrap_or_default();
            let partial = partial_result(&self.judged(percept));
            return Next::End(End::new(FinalReason::Infeasible, explanation + &partial));
        }
        if self.state.queue.is_empty() {
            return self.nothing_to_do(percept);
        }
        Next::Step
    }

    /// Puts the plan in the place of what it stands in for.
    fn revise(&mut self, plan: Plan, ask: Ask) -> PlanVersion {
        let state = &mut self.state;
        if ask.scope == Scope::Step && plan.scope == Scope::Step {
            state.queue.splice(0..0, plan.steps.iter().cloned());
        } else {
            state.queue.clone_from(&plan.steps);
            state.plan_is_last = plan.done;
        }
        state.n_retries = 0;
        if plan.done {
            state.final_answer.clone_from(&plan.final_answer);
        }
        let version = PlanVersion {
            version: state.versions.len() + 1,
            trigger: ask.trigger,
            why: ask.why,
            after_steps: state.spent.steps,
            plan,
            steps: state.queue.clone(),
        };
        state.versions.push(version.clone());
        self.agent.robot.emit(Event::PlanRevised {
            version: version.clone(),
        });
        version
    }

    /// The planner says that it is done.
    fn nothing_to_do(&mut self, percept: &Percept) -> Next {
        if self.state.goals.is_empty() {
            if !self.state.completed.is_empty() {
                self.state.goal_met = true;
                return self.done();
            }
            let detail = self.after_last("the plan has neither steps nor goals".into());
            let ask = Ask::new(Trigger::PlannerTrouble, detail.clone());
            return self.trouble(ask, FinalReason::NoPlan, detail);
        }
        let left = self.what_is_left(percept);
        let detail = format!("the plan has no steps, but its goal does not hold ({left})");
        let detail = self.after_last(detail);
        let mut ask = Ask::new(Trigger::GoalNotMet, detail.clone());
        ask.correction = Some(detail.clone());
        self.trouble(ask, FinalReason::NoPlan, detail)
    }

    /// The list is finished but the goal does not hold: that is an attempt, too.
    pub(crate) fn goal_missed(&mut self, percept: &Percept) -> Next {
        let judged = self.judged(percept);
        let detail = crate::goals::unmet(&judged).join("; ");
        let mut missed: Vec<_> = judged.into_iter().filter(|(_, s)| !s.is_met()).collect();
        let names = missed.iter_mut().flat_map(|(goal, _)| goal.objects_mut());
        let failure = regrasp_api::Failure::new(Reason::VerificationFailed, detail.clone())
            .in_phase(regrasp_api::Phase::Verify)
            .about(names.map(|name| name.clone()));
        let nothing = regrasp_api::SkillCall::new("", serde_json::json!({}));
        let mut attempt = PriorAttempt::new(self.state.spent.steps, &nothing, failure.into());
        attempt.world_changed = true;
        self.state.attempts.push(attempt);
        let detail = format!("every step succeeded, but the goal does not hold: {detail}");
        let ask = Ask::new(Trigger::GoalNotMet, detail.clone());
        self.trouble(ask, FinalReason::GoalNotMet, detail)
    }

    fn question(&mut self, question: String) -> Next {
        let answer = self.agent.person.answer(&question);
        self.agent.robot.emit(Event::QuestionAsked {
            question: question.clone(),
            answer: answer.clone(),
        });
        match answer {
            Some(answer) => {
                let why = format!("asked `{question}`, told `{answer}`");
                self.state.answers.push((question, answer));
                Next::Ask(Ask::new(Trigger::Answered, why))
            }
            None => Next::End(End::new(
                FinalReason::NeedsHuman,
                self.after_last(format!("nobody answered: {question}")),
            )),
        }
    }

    /// A planner that fails after a skill failed should not hide what broke first.
    pub(crate) fn after_last(&self, detail: String) -> String {
        match self.state.attempts.last() {
            Some(failed) if !failed.skill.is_empty() => {
                format!("{detail} (after {})", failed.describe())
            }
            _ => detail,
        }
    }
}

/// Why an answer cannot be used; `None` if it can.
fn what_is_wrong(plan: &Plan, max_steps: usize) -> Option<String> {
    let is_blank = |text: &Option<String>| text.as_ref().is_none_or(|t| t.trim().is_empty());
    if !plan.achievable {
        let silent = is_blank(&plan.explanation);
        return silent.then(|| "`achievable` is false without an `explanation`".into());
    }
    if plan.question.is_some() {
        return is_blank(&plan.question).then(|| "the `question` is empty".into());
    }
    if plan.done && is_blank(&plan.final_answer) {
        return Some("`done` needs a `final_answer`".into());
    }
    let n = plan.steps.len();
    if n == 0 && !plan.done {
        return Some("the round is empty: it has neither steps nor `done`".into());
    }
    let too_many = || format!("it has {n} steps, and an episode at most {max_steps}");
    (n > max_steps).then(too_many)
}

/// Waits for an answer, at most so long; `None` if it did not come.
fn wait_for<T>(answer: impl Future<Output = T>, limit_secs: f64) -> Option<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    match (runtime, Duration::try_from_secs_f64(limit_secs)) {
        (Ok(runtime), Ok(limit)) => runtime
            .block_on(async { tokio::time::timeout(limit, answer).await })
            .ok(),
        // Longer than a clock can tell is no limit.
        (Ok(runtime), Err(_)) => Some(runtime.block_on(answer)),
        (Err(error), _) => {
            tracing::error!(%error, "no runtime to wait for the planner");
            None
        }
    }
}
