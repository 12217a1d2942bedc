//! Planner with one fixed recipe per intent.

use async_trait::async_trait;
use regrasp_api::{Goal, HandUse, Plan, PlanRequest, Planner, PlannerError};

use crate::calls::{achiever_of, calls_by};
use crate::goals::{goals, on_the_way, untouched};
use crate::interpret::{Interpretation, interpret, resolved};
use crate::search::{formula_of, holding, intents_of};
use regrasp_language::{Intent, Manner};

/// Planner with one fixed recipe per intent: `pick`, then `place_on`, `place_beside`, `place_at` or
/// `carry_to`.
///
/// It uses only the text and the names of perceived objects, and ignores prior attempts. So a
/// failure without chance repeats until the replan budget is spent. It is the baseline for other
/// planners.
#[derive(Clone, Copy, Debug, Default)]
pub struct StubPlanner;

/// Replaces the intent to take an object off another by putting it out of the way.
fn put_off(intent: Intent) -> Intent {
    match intent.goal() {
        Some(Goal::Off { object, .. }) => Goal::aside(object.clone()).into(),
        _ => intent,
    }
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
        let formulas: Vec<_> = match formulas.collect() {
            Ok(formulas) => formulas,
            Err(why) => return Ok(Plan::infeasible(why)),
        };
        let first = |formula| intents_of(formula, &|_| true);
        let meant: Vec<Intent> = formulas.iter().flat_map(first).collect();
        let intents = meant.iter().cloned();
        let intents = intents.map(put_off);
        let intents: Vec<Intent> = intents.collect();
        let mut steps = vec![];
        for intent in &intents {
            if let Some(call) = calls_by(intent).into_iter().next() {
                steps.push(call);
                continue;
            }
            let achiever = match achiever_of(intent.literal(), request) {
                Ok(achiever) => achiever,
                Err(why) => return Ok(Plan::infeasible(why)),
            };
            let object = intent.object().unwrap_or_default();
            if matches!(achiever.spec.hand, HandUse::Releases | HandUse::Keeps) {
                match achiever_of((holding(object), true), request) {
                    Ok(taking) => steps.push(taking.call()),
                    Err(why) => return Ok(Plan::infeasible(why)),
                }
            }
            steps.push(achiever.call());
        }
        let mut goals = goals(&meant, request.percept);
        goals.extend(untouched(
            &understood.task.untouched,
            &meant,
            request.percept,
        ));
        let plan = Plan::complete(steps, "done as asked")
            .with_goals(goals)
            .because("the usual steps for these commands");
        Ok(Plan {
            interpretation: resolved(&understood, request),
            on_the_way: on_the_way(&meant, request.percept),
            pace: understood.task.manner.map_or(1.0, Manner::speed),
            ..plan
        })
    }
}
