use async_trait::async_trait;
use regrasp_api::{Plan, PlanRequest, Planner, PlannerError};

use crate::calls::{last_call, look_ahead, pick};
use crate::course::{points, with_points};
use crate::goals::{goals, untouched};
use crate::grammar::{Command, Task, parse_task};
use crate::grounding::ground;

/// One fixed recipe per command of the [`grammar`](crate::grammar): `pick`, then
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
        let Task {
            mut commands,
            touch_nothing_else,
        } = parse_task(request.task)?;
        for name in commands.iter_mut().flat_map(Command::names_mut) {
            // A name that is not clear stays as it is: the skill says what is wrong.
            if let Some(id) = ground(request.percept, name) {
                *name = id.as_str().to_owned();
            }
        }
        let commands = with_points(commands.clone(), &points(&commands, request.percept));
        let steps = commands.iter().flat_map(|command| match command {
            Command::Pick { .. }
            | Command::Slide { .. }
            | Command::Home
            | Command::Shift { .. }
            | Command::Press { .. } => vec![last_call(command)],
            _ => {
                let object = command.object().unwrap_or_default();
                vec![pick(object), last_call(command)]
            }
        });
        let mut goals = goals(&commands, request.percept);
        if touch_nothing_else {
            goals.extend(untouched(&commands, request.percept));
        }
        Ok(Plan::complete(look_ahead(steps.collect()), "done as asked")
            .with_goals(goals)
            .because("the usual steps for these commands"))
    }
}
