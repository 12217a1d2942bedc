//! Requests to the planner.

use std::pin::pin;
use std::time::Duration;

use regrasp_api::{
    CancelToken, Event, FinalReason, Observation, Plan, PlanRequest, PlannerError, Reason, Trigger,
};

use crate::active_episode::ActiveEpisode;
use crate::memory;
use crate::sight::{RoundStart, View};
use crate::state::{Ask, End, NextAction, STOPPED};

/// Interval at which the cancel token is polled while the agent waits, s.
const WAIT_SLICE_SECS: f64 = 0.05;

impl ActiveEpisode<'_> {
    /// Perceives the scene, asks the planner, and adopts its plan.
    pub(crate) fn ask(&mut self, ask: Ask) -> NextAction {
        if let Err(end) = self.within_limits() {
            return NextAction::End(end);
        }
        if let Err(failure) = self.look() {
            return self.perception_failed(&failure);
        }
        // A failed step may have achieved the goal nevertheless.
        if self.goals_hold() {
            return self.done();
        }
        let ask = match self.may_ask(&ask).and_then(|()| self.with_progress(ask)) {
            Ok(ask) => ask,
            Err(end) => return NextAction::End(end),
        };
        let observation = match self.agent.robot.observe() {
            Ok(observation) => observation,
            Err(failure) => return self.perception_failed(&failure),
        };
        match self.plan(&ask, &observation) {
            Ok(plan) => self.adopt_plan(plan, ask),
            Err(_) if self.agent.robot.cancel.is_cancelled() => {
                NextAction::end(FinalReason::Cancelled, STOPPED)
            }
            Err(error) => self.no_plan(&error),
        }
    }

    /// Checks the budgets of rounds and tokens, and waits after an outage.
    fn may_ask(&mut self, ask: &Ask) -> Result<(), End> {
        let budgets = self.agent.options.budgets.clone();
        let spent = self.state.spent;
        if spent.planner_calls >= budgets.max_rounds {
            let detail = format!("the budget of {} rounds is used up", budgets.max_rounds);
            return Err(self.exhausted(detail));
        }
        if budgets.tokens_left(spent.tokens, ask.is_replan()) == Some(0) {
            let kind = match ask.is_replan() {
                true => "",
                false => " less the reserve for replans",
            };
            let detail = format!("the token budget{kind} is used up ({} spent)", spent.tokens);
            return Err(self.exhausted(detail));
        }
        if spent.outages_in_a_row > 0 {
            self.back_off(budgets.interval_secs(spent.outages_in_a_row));
        }
        Ok(())
    }

    /// Compares the world with the starts of earlier rounds. If a round returned to one of them,
    /// the next request says so. After too many such rounds in a row, another planner takes over,
    /// or the episode ends.
    pub(crate) fn with_progress(&mut self, mut ask: Ask) -> Result<Ask, End> {
        let met = self.judged().into_iter().filter(|(_, s)| s.is_met());
        let now = RoundStart {
            met: met.map(|(goal, _)| goal).collect(),
            // All objects count: drawers and doors are not movable, but do move.
            view: View::of(&self.agent.robot, self.sight.percept.objects.iter()),
        };
        let state = &mut self.state;
        if !state.round_starts.iter().any(|start| start.is_same(&now)) {
            state.round_starts.push(now);
            state.idle_rounds = 0;
            return Ok(ask);
        }
        if ask.trigger != Trigger::NextRound {
            return Ok(ask);
        }
        state.idle_rounds += 1;
        let rounds = state.idle_rounds;
        let left = "ended in the same state as an earlier round";
        ask.why = match rounds {
            1 => format!("the last round {left}"),
            _ => format!("each of the last {rounds} rounds {left}"),
        };
        if rounds > self.agent.options.budgets.max_idle_rounds && !self.agent.planner.hand_over() {
            return Err(End::new(FinalReason::NoProgress, ask.why));
        }
        ask.trigger = Trigger::NoProgress { rounds };
        Ok(ask)
    }

    fn exhausted(&self, detail: String) -> End {
        End::new(FinalReason::BudgetExhausted, self.after_last(detail))
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

    fn plan(&mut self, ask: &Ask, observation: &Observation) -> Result<Plan, PlannerError> {
        let percept = &self.sight.percept;
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
        let budgets = &agent.options.budgets;
        let request = PlanRequest {
            task: &state.task,
            trigger: &ask.trigger,
            scope: ask.scope,
            remaining: &state.queue,
            observation,
            percept,
            viewpoint: agent.options.viewpoint,
            held: agent.robot.held.as_ref(),
            attempts: &state.attempts,
            completed: &state.completed,
            past_cases: &state.past_cases,
            answers: &state.answers,
            repair: None,
            correction: ask.correction.as_deref(),
            tokens_left: budgets.tokens_left(state.spent.tokens, ask.is_replan()),
            skills: &self.specs,
            robot: &agent.robot.info,
        };
        let begun = agent.clock.now();
        let limit_secs = budgets.max_planning_secs;
        let cancel = agent.robot.cancel.clone();
        let answer = wait_for(agent.planner.plan(&request), limit_secs, &cancel);
        let took_secs = agent.clock.now().saturating_sub(begun).as_secs_f64();
        let in_time = answer.filter(|_| took_secs <= limit_secs);
        let answer = in_time.unwrap_or_else(|| {
            let detail = match cancel.is_cancelled() {
                true => STOPPED.to_owned(),
                false => format!("no answer within {limit_secs} s"),
            };
            Err(agent.planner.timeout_error(detail))
        });
        if let Err(error) = &answer {
            agent.robot.emit(Event::PlanFailed {
                replan,
                error: error.to_string(),
            });
        }
        answer
    }

    pub(crate) fn no_plan(&mut self, error: &PlannerError) -> NextAction {
        let detail = self.after_last(format!("failed to {error}"));
        let mut ask = Ask::new(Trigger::PlannerTrouble, detail);
        let outages = &mut self.state.spent.outages_in_a_row;
        let (ends_as, may_recover) = match error {
            // A retry helps neither with an unclear text nor with a wrong API key.
            PlannerError::Unrecognized { .. } => (FinalReason::UnrecognizedPrompt, false),
            PlannerError::Refused { .. } => (FinalReason::VlmTransport, false),
            PlannerError::Unreadable { .. } => (FinalReason::NoPlan, false),
            PlannerError::Crashed { .. } => (FinalReason::PlannerCrashed, false),
            PlannerError::OverBudget { .. } => (FinalReason::BudgetExhausted, false),
            PlannerError::Transport { .. } => {
                *outages += 1;
                (FinalReason::VlmTransport, true)
            }
            PlannerError::TimedOut { .. } => {
                *outages += 1;
                (FinalReason::Timeout, true)
            }
            PlannerError::Unusable { detail: wrong } => {
                *outages = 0;
                ask.correction = Some(wrong.clone());
                (FinalReason::NoPlan, true)
            }
        };
        match may_recover {
            true => self.request_replan(ask, ends_as),
            false => NextAction::end(ends_as, ask.why),
        }
    }

    pub(crate) fn question(&mut self, question: &str, unclear: Option<&Reason>) -> NextAction {
        match self.put_to_person(question) {
            Some(answer) => {
                let why = format!("asked `{question}`, answered `{answer}`");
                NextAction::ask(Trigger::Answered, why)
            }
            None => {
                let slug = unclear.map_or_else(String::new, |reason| format!("{reason} - "));
                NextAction::end(
                    FinalReason::NeedsHuman,
                    self.after_last(format!("{slug}no answer to the question: {question}")),
                )
            }
        }
    }

    /// Appends the last failed step, so that a planner's error does not hide the original failure.
    pub(crate) fn after_last(&self, detail: String) -> String {
        match self.state.attempts.last() {
            Some(failed) if failed.call().is_some() => {
                format!("{detail} (after {})", failed.describe())
            }
            _ => detail,
        }
    }
}

/// Waits for an answer until a time limit or a cancellation; `None` if no answer came.
fn wait_for<T>(
    answer: impl Future<Output = T>,
    limit_secs: f64,
    cancel: &CancelToken,
) -> Option<T> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = match runtime {
        Ok(runtime) => runtime,
        Err(error) => {
            tracing::error!(%error, "failed to create the runtime that waits for the planner");
            return None;
        }
    };
    // A limit beyond the clock's range is no limit.
    let limit = Duration::try_from_secs_f64(limit_secs).unwrap_or(Duration::MAX);
    let slice = Duration::from_secs_f64(WAIT_SLICE_SECS);
    runtime.block_on(async {
        let begun = tokio::time::Instant::now();
        let mut answer = pin!(answer);
        loop {
            let left = limit.saturating_sub(begun.elapsed());
            if let Ok(answer) = tokio::time::timeout(slice.min(left), answer.as_mut()).await {
                return Some(answer);
            }
            if left <= slice || cancel.is_cancelled() {
                return None;
            }
        }
    })
}
