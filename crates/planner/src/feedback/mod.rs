//! A planner that reads why things failed.

mod clearing;
mod lessons;
mod remedy;
mod sequence;
mod spots;

use async_trait::async_trait;
use regrasp_api::{Goal, Plan, PlanRequest, Planner, PlannerError, SkillCall};
use regrasp_language::{Command, Manner, Understood};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::calls::look_ahead;
use crate::choices::ways;
use crate::course::{Point, points, with_points};
use crate::goals::{goals, untouched};
use crate::hear::{Heard, hear, told};
use lessons::Lessons;
use sequence::Sequence;

pub(crate) use spots::Spots;

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
    /// What was asked for.
    understood: Option<Understood>,
    /// The ways to do it, and which of them is tried.
    ways: Vec<Vec<Command>>,
    way: usize,
    /// By command of that way: where what it moves should come.
    points: Vec<Option<Point>>,
}

impl FeedbackPlanner {
    /// A planner that remembers nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was asked for, once and for all; or what to answer instead.
    fn hear(&mut self, request: &PlanRequest<'_>) -> Result<Option<Plan>, PlannerError> {
        let is_first = request.attempts.is_empty() && request.completed.is_empty();
        if !is_first && self.memory.understood.is_some() {
            return Ok(None);
        }
        let understood = match hear(request)? {
            Heard::Goal(understood) => understood,
            Heard::Answer(plan) => return Ok(Some(plan)),
        };
        self.memory = Memory::default();
        match ways(&understood.task, request) {
            Ok(ways) => self.memory.ways = ways,
            Err(why) => return Ok(Some(Plan::infeasible(why))),
        }
        self.memory.understood = Some(understood);
        self.begin_way(0, request);
        Ok(None)
    }

    fn begin_way(&mut self, idx: usize, request: &PlanRequest<'_>) {
        self.memory.way = idx;
        self.memory.points = self
            .memory
            .ways
            .get(idx)
            .map_or_else(Vec::new, |way| points(way, request));
    }

    /// The plan by the way that is tried, or why there is none.
    fn draft(&self, understood: &Understood, request: &PlanRequest<'_>) -> Result<Plan, Dead> {
        let task = &understood.task;
        let way = self
            .memory
            .ways
            .get(self.memory.way)
            .cloned()
            .unwrap_or_default();
        let mut goals = goals(&way, request.percept);
        goals.extend(untouched(&task.untouched, &way, request.percept));
        let commands = with_points(way, &self.memory.points);
        if goals.is_empty() {
            goals = crate::goals::goals(&commands, request.percept);
        }
        let draft = Lessons::learn(request, &commands).and_then(|lessons| {
            Sequence::new(request, &commands, &lessons, &task.untouched).draft()
        });
        match draft {
            Ok(draft) => Ok(Plan::complete(look_ahead(draft.steps), "done as asked")
                .with_goals(goals)
                .because(draft.reasoning)),
            Err(explanation) => Err(Dead { explanation, goals }),
        }
    }
}

/// A way that does not lead anywhere.
struct Dead {
    explanation: String,
    goals: Vec<Goal>,
}

#[async_trait]
impl Planner for FeedbackPlanner {
    fn name(&self) -> &str {
        "feedback"
    }

    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        if let Some(answer) = self.hear(request)? {
            return Ok(answer);
        }
        let Some(understood) = self.memory.understood.clone() else {
            return Ok(Plan::infeasible("the task is not known"));
        };
        let nothing_to_do = understood.task.steps.is_empty();
        if nothing_to_do {
            let no_steps: [SkillCall; 0] = [];
            return Ok(Plan {
                heard: told(&understood, request),
                ..Plan::complete(no_steps, "there is nothing to do")
            });
        }
        let mut dead = None;
        let plan = loop {
            match self.draft(&understood, request) {
                Ok(plan) => break plan,
                Err(this) => dead = dead.or(Some(this)),
            }
            let next = self.memory.way + 1;
            if next >= self.memory.ways.len() {
                let Some(Dead { explanation, goals }) = dead else {
                    break Plan::infeasible("there is no way to do it");
                };
                break Plan::infeasible(explanation + &done_so_far(request))
                    .with_goals(goals)
                    .because("nothing that can be called would help");
            }
            self.begin_way(next, request);
        };
        Ok(Plan {
            heard: told(&understood, request),
            pace: understood.task.manner.map_or(1.0, Manner::speed),
            ..plan
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
