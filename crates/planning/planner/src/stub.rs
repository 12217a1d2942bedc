//! The planner with one fixed recipe per command.

use async_trait::async_trait;
use regrasp_api::{Plan, PlanRequest, Planner, PlannerError};

use crate::calls::{fitted, last_call, pick};
use crate::course::{points, with_points};
use crate::goals::{goals, untouched};
use crate::interpret::{Interpretation, interpret, resolved};
use crate::search::{commands_of, formula_of};
use regrasp_language::{Command, Manner};

/// One fixed recipe per command of the language: `pick`, then
/// `place_on`, `place_beside`, `place_at` or `carry_to`.
///
/// It looks at nothing but the text and the names of what is seen. Prior attempts
/// are ignored completely, so a failure that is not a matter of luck repeats until
/// the budget of replans is spent: the yardstick for planners that do better.
#[derive(Clone, Copy, Debug, Default)]
pub struct StubPlanner;

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
        // Of every choice the first.
        let steps = understood.task.steps.iter();
        let formulas = steps.map(|step| formula_of(step, request));
        let formulas: Vec<_> = match formulas.collect() {
            Ok(formulas) => formulas,
            Err(why) => return Ok(Plan::infeasible(why)),
        };
        let first = |formula| commands_of(formula, &|_| true);
        let meant: Vec<Command> = formulas.iter().flat_map(first).collect();
        let commands = with_points(meant.clone(), &points(&meant, request));
        let steps = commands.iter().flat_map(|command| match command {
            Command::Pick { .. }
            | Command::Slide { .. }
            | Command::Turn { .. }
            | Command::Home
            | Command::Shift { .. }
            | Command::Press { .. } => vec![fitted(last_call(command), request.percept)],
            _ => {
                let object = command.object().unwrap_or_default();
                vec![pick(object), last_call(command)]
            }
        });
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
            heard: resolved(&understood, request),
            pace: understood.task.manner.map_or(1.0, Manner::speed),
            ..plan
        })
    }
}
