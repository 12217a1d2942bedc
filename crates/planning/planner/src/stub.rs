//! Planner with one fixed recipe per intent.

use async_trait::async_trait;
use regrasp_api::{Goal, HandUse, Plan, PlanRequest, Planner, PlannerError, SkillCall};

use crate::calls::{achiever_of, calls_by};
use crate::goals::{passing_of, staying, together};
use crate::interpret::{Interpretation, interpret, resolved};
use crate::search::{formula_of, holding, intents_of};
use regrasp_language::{Formula, Intent, Manner, lasting};

/// Planner with one fixed recipe per intent: `pick`, then `place_on`, `place_beside`, `place_at` or
/// `carry_to`.
///
/// It plans from the text and the percept, and ignores prior attempts unless an object is not seen.
/// A deterministic failure therefore repeats until the replan budget is spent. It is the baseline
/// for other planners.
#[derive(Clone, Copy, Debug, Default)]
pub struct StubPlanner;

/// Returns the calls of the recipe for an intent. Taking an object off another means putting it out
/// of the way.
fn calls_for(intent: &Intent, request: &PlanRequest<'_>) -> Result<Vec<SkillCall>, String> {
    if let Some(call) = calls_by(intent).into_iter().next() {
        return Ok(vec![call]);
    }
    let literal = match intent.goal() {
        Some(Goal::Off { object, .. }) => Goal::aside(object.clone()).literal(),
        _ => intent.literal(),
    };
    let achiever = achiever_of(literal, request)?;
    let mut calls = vec![];
    if matches!(achiever.spec.hand, HandUse::Releases | HandUse::Keeps) {
        let object = intent.object().unwrap_or_default();
        calls.push(achiever_of((holding(object), true), request)?.call());
    }
    calls.push(achiever.call());
    Ok(calls)
}

#[async_trait]
impl Planner for StubPlanner {
    fn name(&self) -> &str {
        "stub"
    }

    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        let understood = match interpret(request)? {
            Interpretation::Goal(understood) => understood,
            Interpretation::Answer(plan) => return Ok(plan),
        };
        // Takes the first alternative of every choice.
        let steps = understood.task.steps.iter();
        let formulas = steps.map(|step| formula_of(step, request));
        let formulas: Vec<Formula> = match formulas.collect() {
            Ok(formulas) => formulas,
            Err(why) => return Ok(Plan::infeasible(why)),
        };
        let first = |formula| intents_of(formula, &|_| true);
        let meant: Vec<Intent> = formulas.iter().flat_map(first).collect();
        let steps = meant.iter().map(|intent| calls_for(intent, request));
        let steps: Vec<_> = match steps.collect() {
            Ok(steps) => steps,
            Err(why) => return Ok(Plan::infeasible(why)),
        };
        let lasts = lasting(&formulas);
        let parts = |wanted: bool| -> Vec<Intent> {
            let own = formulas.iter().zip(&lasts);
            let own = own.filter(|(_, lasts)| **lasts == wanted);
            own.flat_map(|(formula, _)| first(formula)).collect()
        };
        let mut goals = together(&parts(true), request.percept);
        let passing = parts(false);
        let passing = passing.iter().flat_map(|i| passing_of(i, request.percept));
        goals.extend(staying(&understood.task, &meant, request.percept));
        let plan = Plan::complete(steps.concat(), "done as asked")
            .with_goals(goals)
            .because("the usual steps for these commands");
        Ok(Plan {
            interpretation: resolved(&understood, request),
            on_the_way: passing.collect(),
            never: understood.task.forbidden().cloned().collect(),
            pace: understood.task.manner.map_or(1.0, Manner::speed),
            ..plan
        })
    }
}
