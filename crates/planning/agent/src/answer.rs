//! Handles the planner's answer.

use regrasp_api::{
    Attempt, Event, Failure, FinalReason, NEXT_CALL, Phase, Plan, PlanStep, PlanVersion,
    PlannerError, PriorAttempt, Reason, Scope, SkillSpec, Trigger,
};

use crate::active_episode::ActiveEpisode;
use crate::goals::partial_result;
use crate::state::{Ask, NextAction};

impl ActiveEpisode<'_> {
    pub(crate) fn adopt_plan(&mut self, mut plan: Plan, ask: Ask) -> NextAction {
        look_ahead(&mut plan.steps, &self.specs);
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
        if let Some(question) = &plan.question {
            return self.question(question, plan.unclear.as_ref());
        }
        let sets_goals = !plan.goals.is_empty() && self.state.goals.is_empty();
        self.state.goals.adopt(&plan);
        if sets_goals {
            self.state.goals.ground(&self.sight.percept);
            self.watch_rules();
        }
        self.agent.robot.pace = plan.pace;
        let revised = self.revise(plan, ask);
        if sets_goals && self.goals_hold() {
            return self.done();
        }
        if !revised.plan.achievable {
            let explanation = revised.plan.explanation.unwrap_or_default();
            let partial = partial_result(&self.judged());
            return NextAction::end(FinalReason::Infeasible, explanation + &partial);
        }
        let is_understood =
            !revised.plan.interpretation.is_empty() && revised.plan.goals.is_empty();
        if is_understood && revised.plan.done && revised.plan.steps.is_empty() {
            // The condition of the task does not hold, so there is nothing to do.
            return self.done();
        }
        if self.state.queue.is_empty() {
            return self.nothing_to_do();
        }
        NextAction::Step
    }

    /// Replaces the failed step or the rest of the plan by the new plan.
    fn revise(&mut self, plan: Plan, ask: Ask) -> PlanVersion {
        let state = &mut self.state;
        if ask.scope == Scope::Step && plan.scope == Scope::Step {
            state.queue.splice(0..0, plan.steps.iter().cloned());
        } else {
            state.queue.clone_from(&plan.steps);
            state.plan_is_last = plan.done;
        }
        state.turn_to_next_step();
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

    /// Handles a plan without steps.
    fn nothing_to_do(&mut self) -> NextAction {
        if self.state.goals.is_empty() {
            if !self.state.completed.is_empty() {
                return NextAction::Verify;
            }
            let why = self.after_last("the plan has neither steps nor goals".into());
            let ask = Ask::new(Trigger::PlannerTrouble, why);
            return self.request_replan(ask, FinalReason::NoPlan);
        }
        let left = self.what_is_left();
        let detail = format!("the plan has no steps, but its goal does not hold ({left})");
        let mut ask = Ask::new(Trigger::GoalNotMet, self.after_last(detail));
        ask.correction = Some(ask.why.clone());
        self.request_replan(ask, FinalReason::NoPlan)
    }

    /// Records an unmet goal after the last step as an attempt, and replans.
    pub(crate) fn goal_missed(&mut self) -> NextAction {
        let judged = self.judged();
        let detail = self.what_is_left();
        let mut missed: Vec<_> = judged.into_iter().filter(|(_, s)| !s.is_met()).collect();
        let names = missed.iter_mut().flat_map(|(goal, _)| goal.objects_mut());
        let failure = Failure::new(Reason::VerificationFailed, detail.clone())
            .in_phase(Phase::Verify)
            .about(names.map(|name| name.clone()));
        let n_steps = self.state.spent.steps;
        let mut attempt = PriorAttempt::new(n_steps, Attempt::GoalCheck, failure.into());
        attempt.world_changed = true;
        self.state.attempts.push(attempt);
        let detail = format!("every step succeeded, but the goal does not hold: {detail}");
        let ask = Ask::new(Trigger::GoalNotMet, detail);
        self.request_replan(ask, FinalReason::GoalNotMet)
    }
}

/// Returns the error of an unusable plan; `None` if it is usable.
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

/// Adds the next call to the arguments of each skill that [looks ahead](SkillSpec::looks_ahead),
/// unless the planner added it. The skill can then select a grasp that suits the next call.
pub(crate) fn look_ahead(steps: &mut [PlanStep], skills: &[SkillSpec]) {
    for i in 1..steps.len() {
        let (before, after) = steps.split_at_mut(i);
        let (call, next) = (&mut before[i - 1].call, &after[0].call);
        let mut then = next.args.clone();
        if let (Some(then), Some(args)) = (then.as_object_mut(), call.args.as_object_mut())
            && let Some(spec) = skills.iter().find(|spec| spec.name == call.skill)
        {
            then.insert("skill".into(), next.skill.clone().into());
            let then = then.clone().into();
            if (spec.looks_ahead)(&then) {
                args.entry(NEXT_CALL).or_insert(then);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use regrasp_api::{HandUse, SkillCall};
    use serde_json::{Value, json};

    use super::*;

    fn passed_to_pick(args: Value, next: SkillCall) -> Value {
        let spec = SkillSpec {
            looks_ahead: |next| next["skill"] == "place_on",
            ..regrasp_testkit::skill_spec("pick", HandUse::Takes)
        };
        let mut steps: Vec<PlanStep> = vec![SkillCall::new("pick", args).into(), next.into()];
        look_ahead(&mut steps, &[spec]);
        steps[0].call.args.clone()
    }

    #[test]
    fn a_pick_is_told_what_follows_if_it_wants_to_know_and_the_planner_left_it_out() {
        let on = || SkillCall::new("place_on", json!({ "target": "plate" }));
        let cube = json!({ "object": "cube" });
        let then = json!({ "skill": "place_on", "target": "plate" });
        assert_eq!(passed_to_pick(cube.clone(), on())["then"], then);
        let home = SkillCall::new("home", json!({}));
        assert_eq!(passed_to_pick(cube.clone(), home), cube);
        let own = json!({ "object": "cube", "then": { "skill": "place_at", "x": 0.1 } });
        assert_eq!(passed_to_pick(own.clone(), on()), own);
    }
}
