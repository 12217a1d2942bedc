//! A planner that reads why things failed.

mod clearing;
mod failure_constraints;
mod remedy;
mod sequence;

use std::collections::BTreeSet;

use async_trait::async_trait;
use regrasp_api::{Fact, Goal, Plan, PlanRequest, Planner, PlannerError, SkillCall};
use regrasp_language::{Formula, Intent, Manner, Step, Task, Understood, lasting};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::goals::{goals, may_not_be_touched, on_the_way, passing_of, untouched};
use crate::interpret::{Interpretation, interpret, resolved};
use crate::search::{self, Move, Problem, Reasons, facts_done, formula_of, is_plain};
use failure_constraints::FailureConstraints;
use sequence::{Draft, Sequence};

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
/// What leaves an order open (a goal, a tower, two things that change places, any of several) is
/// searched for instead: a shortest list of calls by what the skills declare, each of which the
/// same recipes carry out. There a reason becomes a constraint: this has to be moved first, or
/// that call cannot be made.
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
    /// Intents that are carried out as they were said; else the stages are searched.
    intents: Option<Vec<Intent>>,
    /// What should hold, one after the other, where the order between is open.
    stages: Vec<Formula>,
    /// What of that held in the beginning.
    at_first: Vec<Intent>,
}

impl FeedbackPlanner {
    /// A planner that remembers nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What was asked for, once and for all; or what to answer instead.
    fn interpret(&mut self, request: &PlanRequest<'_>) -> Result<Option<Plan>, PlannerError> {
        let is_first = request.attempts.is_empty() && request.completed.is_empty();
        if !is_first && self.memory.understood.is_some() {
            return Ok(None);
        }
        let understood = match interpret(request)? {
            Interpretation::Goal(understood) => understood,
            Interpretation::Answer(plan) => return Ok(Some(plan)),
        };
        self.memory = Memory::default();
        let task = &understood.task;
        if is_plain(task) {
            let of_step = |step: &Step| step.intents().into_iter().cloned().collect::<Vec<_>>();
            let intents: Vec<Intent> = task.steps.iter().flat_map(of_step).collect();
            self.memory.intents = Some(intents);
        } else {
            let stages = task.steps.iter().map(|step| formula_of(step, request));
            match stages.collect() {
                Ok(stages) => self.memory.stages = stages,
                Err(why) => return Ok(Some(Plan::infeasible(why))),
            }
            self.memory.at_first = search::seen(&self.memory.stages, request);
        }
        self.memory.understood = Some(understood);
        Ok(None)
    }

    /// The plan, or why there is none.
    fn draft(&self, understood: &Understood, request: &PlanRequest<'_>) -> Result<Plan, Dead> {
        match &self.memory.intents {
            Some(intents) => self.as_said(intents, understood, request),
            None => self.searched(understood, request),
        }
    }

    fn as_said(
        &self,
        intents: &[Intent],
        understood: &Understood,
        request: &PlanRequest<'_>,
    ) -> Result<Plan, Dead> {
        let task = &understood.task;
        let mut goals = goals(intents, request.percept);
        goals.extend(untouched(&task.untouched, intents, request.percept));
        let draft = FailureConstraints::learn(request, intents).and_then(|constraints| {
            Sequence::new(request, intents, &constraints, &task.untouched).draft()
        });
        let plan = finished(draft, goals)?;
        Ok(Plan {
            on_the_way: on_the_way(intents, request.percept),
            ..plan
        })
    }

    /// Stage by stage: an order that works, by what the skills declare and the reasons so far.
    fn searched(&self, understood: &Understood, request: &PlanRequest<'_>) -> Result<Plan, Dead> {
        let task = &understood.task;
        let named: Vec<Intent> = self.named().cloned().collect();
        let found = self.moves_of_stages(task, request);
        let Searched {
            moves,
            notes,
            ends,
            on_the_way,
        } = found.map_err(|explanation| Dead {
            explanation,
            goals: vec![],
        })?;
        let mut goals = goals(&ends, request.percept);
        goals.extend(untouched(&task.untouched, &named, request.percept));
        let intents: Vec<Intent> = moves
            .iter()
            .filter_map(|m| match m {
                Move::Do(intent) => Some(intent.clone()),
                _ => None,
            })
            .collect();
        let constraints = FailureConstraints::of_hand(request);
        let sequence = Sequence::new(request, &intents, &constraints, &task.untouched);
        let plan = finished(sequence.follow(&moves, notes), goals)?;
        Ok(Plan { on_the_way, ..plan })
    }

    /// Intents that the stages name.
    fn named(&self) -> impl Iterator<Item = &Intent> {
        self.memory.stages.iter().flat_map(Formula::atoms)
    }

    /// Searches all stages that are left.
    fn moves_of_stages(&self, task: &Task, request: &PlanRequest<'_>) -> Result<Searched, String> {
        let stages = &self.memory.stages;
        let first = search::stages_done(stages, &self.memory.at_first, request);
        let reasons = Reasons::learn(request);
        let named: Vec<Intent> = self.named().cloned().collect();
        let movable = request.percept.movable_ids();
        let untouchable: Vec<String> = movable
            .iter()
            .map(ToString::to_string)
            .filter(|id| may_not_be_touched(&task.untouched, &named, id))
            .collect();
        let done = facts_done(request.completed, request.skills).pop();
        let done = done.unwrap_or_default();
        let so = done
            .so
            .into_iter()
            .filter_map(|(fact, is)| is.then_some(fact));
        let so: BTreeSet<Fact> = done.place.into_values().chain(so).collect();
        // The last stage is looked for from where things are; what comes before it, too, as far
        // as the search knows: each stage begins where the one before it ended.
        let mut moves: Vec<Move> = vec![];
        let mut notes = vec![];
        let mut ends = vec![];
        let mut passing = vec![];
        let mut from = None;
        for idx in first..stages.len().max(first) {
            let goal = match kept(&stages[..=idx]).as_slice() {
                [one] => (*one).clone(),
                all => Formula::All(all.iter().map(|f| (*f).clone()).collect()),
            };
            let untouchable = untouchable.clone();
            let problem = Problem::new(request, goal, &task.never, untouchable, &reasons, &so);
            let mut problem = problem.map_err(|why| why.to_string())?;
            problem.begin_where(from.as_ref());
            let (found, end) = problem
                .solve()
                .map_err(|why| with_last(why.to_string(), request))?;
            from = Some(end);
            let how = match found.is_shortest {
                true => "the fewest",
                false => "perhaps not the fewest",
            };
            notes.push(format!(
                "{} calls, {how}; {} states searched",
                found.n_calls, found.n_states
            ));
            moves.extend(found.moves);
            let before = std::mem::replace(&mut ends, found.goals);
            passing.extend(before.into_iter().filter(|intent| !ends.contains(intent)));
        }
        if moves.is_empty() {
            let last = kept(stages);
            ends = last
                .iter()
                .flat_map(|f| search::intents_of(f, &|_| true))
                .collect();
        }
        let of = |intent: &Intent| passing_of(intent, request.percept);
        Ok(Searched {
            on_the_way: passing.iter().flat_map(of).collect(),
            moves,
            notes,
            ends,
        })
    }
}

/// Moves of a search, notes about it, and what should hold in the end and before.
struct Searched {
    moves: Vec<Move>,
    notes: Vec<String>,
    ends: Vec<Intent>,
    /// Goals that hold after the stages before the last.
    on_the_way: Vec<Goal>,
}

/// The stages that still have to hold when the last of them does.
fn kept(stages: &[Formula]) -> Vec<&Formula> {
    let kept = stages.iter().zip(lasting(stages));
    kept.filter_map(|(stage, lasts)| lasts.then_some(stage))
        .collect()
}

fn finished(draft: Result<Draft, String>, goals: Vec<Goal>) -> Result<Plan, Dead> {
    match draft {
        Ok(draft) => Ok(Plan::complete(draft.steps, "done as asked")
            .with_goals(goals)
            .because(draft.reasoning)),
        Err(explanation) => Err(Dead { explanation, goals }),
    }
}

/// Why there is no plan, with what happened last.
fn with_last(why: String, request: &PlanRequest<'_>) -> String {
    match request.attempts.last() {
        Some(last) => format!("{why}: {}", last.describe()),
        None => why,
    }
}

/// That there is no plan, and why.
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
        self.plan_at_once(request)
    }

    fn save(&self) -> Value {
        json!(self.memory)
    }

    fn restore(&mut self, state: &Value) {
        self.memory = serde_json::from_value(state.clone()).unwrap_or_default();
    }
}

impl FeedbackPlanner {
    /// The plan; it needs nobody to answer.
    ///
    /// # Errors
    ///
    /// As [`Planner::plan`].
    pub fn plan_at_once(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        if let Some(answer) = self.interpret(request)? {
            return Ok(answer);
        }
        let Some(understood) = self.memory.understood.clone() else {
            return Ok(Plan::infeasible("the task is not known"));
        };
        let nothing_to_do = understood.task.steps.is_empty();
        if nothing_to_do {
            let no_steps: [SkillCall; 0] = [];
            return Ok(Plan {
                heard: resolved(&understood, request),
                ..Plan::complete(no_steps, "there is nothing to do")
            });
        }
        let plan = match self.draft(&understood, request) {
            Ok(plan) => plan,
            Err(Dead { explanation, goals }) => {
                Plan::infeasible(explanation + &done_so_far(request))
                    .with_goals(goals)
                    .because("nothing that can be called would help")
            }
        };
        Ok(Plan {
            heard: resolved(&understood, request),
            pace: understood.task.manner.map_or(1.0, Manner::speed),
            ..plan
        })
    }
}

/// The partial result, for the explanation of why there is no whole one.
fn done_so_far(request: &PlanRequest<'_>) -> String {
    let calls = request.completed.iter().map(|step| step.call.in_words());
    let calls: Vec<_> = calls.collect();
    if calls.is_empty() {
        String::new()
    } else {
        format!("; done so far: {}", calls.join(", "))
    }
}
