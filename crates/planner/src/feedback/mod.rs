//! A planner that reads why things failed.

mod clearing;
mod lessons;
mod remedy;
mod sequence;
mod spots;

use async_trait::async_trait;
use regrasp_api::{Plan, PlanRequest, Planner, PlannerError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::calls::look_ahead;
use crate::course::{points, with_points};
use crate::goals::{goals, untouched};
use crate::grammar::{Command, Task, parse_task};
use crate::grounding::ground;
use lessons::{Lessons, Seen};
use sequence::Sequence;

pub use remedy::{Remedy, remedy_for};

/// Plans what is left to do from what is seen and held now, and mends failures by
/// the table of [`remedy_for`]. Offline and deterministic.
///
/// The first plan is direct: the shortest list of calls whose preconditions about
/// the hand hold. It does not search the percept for trouble; whether a skill can do
/// its work is the skill's to say. Once a reason came back, the plan takes it into
/// account: after one `object_covered`, everything that rests on something is taken
/// off first.
///
/// A failure that nothing in the set of skills can mend, or that came back three
/// times, makes the plan [infeasible](Plan::infeasible), with an explanation.
///
/// Where the task says to touch nothing else, nothing is moved aside: what is in the way
/// makes the plan infeasible, by name.
///
/// Names are grounded once per episode, so "the cube on the left" stays the same
/// cube after it was moved. An episode begins with a request that has neither
/// attempts nor completed steps.
#[derive(Clone, Debug, Default)]
pub struct FeedbackPlanner {
    memory: Memory,
}

/// What an episode's later plans need of its first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Memory {
    /// What the names mean.
    grounded: Seen,
    /// By command: where what it shifts should come.
    points: Vec<Option<[f64; 2]>>,
}

impl FeedbackPlanner {
    /// A planner that remembers nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    fn ground(&mut self, mut commands: Vec<Command>, request: &PlanRequest<'_>) -> Vec<Command> {
        let is_first = request.attempts.is_empty() && request.completed.is_empty();
        if is_first {
            self.memory.grounded.clear();
        }
        for name in commands.iter_mut().flat_map(Command::names_mut) {
            if !self.memory.grounded.contains_key(name) {
                let Some(id) = ground(request.percept, name) else {
                    continue;
                };
                self.memory
                    .grounded
                    .insert(name.clone(), id.as_str().to_owned());
            }
            if let Some(id) = self.memory.grounded.get(name) {
                *name = id.clone();
            }
        }
        if is_first || self.memory.points.len() != commands.len() {
            self.memory.points = points(&commands, request.percept);
        }
        with_points(commands, &self.memory.points)
    }
}

#[async_trait]
impl Planner for FeedbackPlanner {
    fn name(&self) -> &str {
        "feedback"
    }

    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        let Task {
            commands,
            touch_nothing_else,
        } = parse_task(request.task)?;
        let commands = self.ground(commands, request);
        let mut goals = goals(&commands, request.percept);
        if touch_nothing_else {
            goals.extend(untouched(&commands, request.percept));
        }
        let draft = Lessons::learn(request, &commands, &self.memory.grounded).and_then(|lessons| {
            let mut sequence = Sequence::new(request, &commands, &lessons);
            sequence.touch_nothing_else = touch_nothing_else;
            sequence.draft()
        });
        Ok(match draft {
            Ok(draft) => Plan::complete(look_ahead(draft.steps), "done as asked")
                .with_goals(goals)
                .because(draft.reasoning),
            Err(explanation) => Plan::infeasible(explanation + &done_so_far(request))
                .with_goals(goals)
                .because("nothing that can be called would help"),
        })
    }

    fn save(&self) -> Value {
        json!(self.memory)
    }

    fn restore(&mut self, state: &Value) {
        self.memory = serde_json::from_value(state.clone()).unwrap_or_default();
    }
}

/// The partial result, for the explanation of why there is no whole one.
fn done_so_far(request: &PlanRequest<'_>) -> String {
    let calls = request.completed.iter().map(|step| step.call.to_string());
    let calls: Vec<_> = calls.collect();
    if calls.is_empty() {
        String::new()
    } else {
        format!("; done so far: {}", calls.join(", "))
    }
}
