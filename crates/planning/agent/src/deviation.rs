//! Successful steps that deviate from the plan's expectations.

use regrasp_api::{
    Category, Decision, Event, PlanStep, Route, Scope, Severity, SkillResult, Trigger,
};

use crate::active_episode::ActiveEpisode;
use crate::evaluate::{Assessment, StepOutcome};
use crate::options::DeviationMode;
use crate::state::{Ask, NextAction};

impl ActiveEpisode<'_> {
    /// Returns a replan if a success deviates too much from the expectations. After the last step
    /// there is nothing to replan.
    pub(crate) fn deviation(
        &mut self,
        step_idx: usize,
        step: &PlanStep,
        result: &SkillResult,
    ) -> Option<NextAction> {
        let off = self.agent.options.replan_on_deviation == DeviationMode::Off;
        if off || self.state.queue.is_empty() {
            return None;
        }
        let assessment = self.assess(step, result)?;
        let decision = self.judge(&assessment);
        self.agent.robot.emit(Event::Decided {
            step_idx,
            decision: decision.clone(),
        });
        let mut ask = Ask::new(Trigger::Deviation { step_idx }, decision.why.clone());
        ask.scope = match decision.route {
            Route::Replan => Scope::Rest,
            Route::FullReplan => Scope::All,
            _ => return None,
        };
        // Without budget, the plan continues, because a success must not fail the episode.
        if self.state.spent.replans >= self.agent.options.budgets.max_replans {
            return None;
        }
        self.state.spent.replans += 1;
        Some(NextAction::Ask(ask))
    }

    fn assess(&mut self, step: &PlanStep, result: &SkillResult) -> Option<Assessment> {
        let expected = step.expect.as_ref()?;
        let percept = self.agent.robot.perceive().ok()?;
        let mut outcome = StepOutcome {
            step,
            expected,
            result,
            percept: &percept,
            robot: &mut self.agent.robot,
        };
        let evaluators = &mut self.agent.evaluators;
        evaluators.iter_mut().find_map(|e| e.assess(&mut outcome))
    }

    fn judge(&self, assessment: &Assessment) -> Decision {
        let options = &self.agent.options;
        let criteria = &options.criteria;
        let deviation = assessment.deviation();
        let is_large = deviation > criteria.threshold;
        let route = match options.replan_on_deviation {
            DeviationMode::Reactive if assessment.misses(criteria) => Route::Replan,
            DeviationMode::Triggered if is_large => Route::Replan,
            DeviationMode::Full if is_large => Route::FullReplan,
            _ => Route::Continue,
        };
        let what = if assessment.why.is_empty() {
            "as expected"
        } else {
            &assessment.why
        };
        Decision {
            route,
            severity: if route == Route::Continue {
                Severity::Low
            } else {
                Severity::Medium
            },
            category: Category::Environment,
            why: format!("deviation {deviation:.2}: {what}"),
        }
    }
}
