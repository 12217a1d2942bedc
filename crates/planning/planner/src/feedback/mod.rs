//! A planner that uses the reasons of failures.

mod clearing;
mod failure_constraints;
mod remedy;
mod sequence;

use std::collections::BTreeSet;

use async_trait::async_trait;
use regrasp_api::{
    Fact, Goal, ObjectId, Phase, Plan, PlanRequest, Planner, PlannerError, PriorAttempt, SkillCall,
};
use regrasp_language::{Formula, Intent, Manner, Step, Task, Understood, lasting};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::calls::achievers;
use crate::goals::{
    goals, is_met, must_stay, on_the_way, passing_of, staying, together, with_height,
};
use crate::interpret::{Interpretation, interpret, resolved};
use crate::search::{self, Move, NoSolution, Problem, Reasons, facts_done, formula_of, is_plain};
use failure_constraints::FailureConstraints;
pub(crate) use failure_constraints::{blockers, container_of, drawer_joint, is_widened};
use sequence::{Draft, Sequence};

pub use remedy::{Remedy, remedy_for};

/// Planner that plans the rest of a task from the current percept and the held object, and repairs
/// failures by the table of [`remedy_for`]. It is offline and deterministic.
///
/// The first plan is direct: the shortest list of calls whose preconditions about the hand hold. It
/// checks the percept for closed drawers and doors and for objects on the goal point, but for no
/// other obstacles, because the skills decide what is feasible. Later plans respect the reasons of
/// failures: after one `object_covered`, objects that rest on others are taken off first.
///
/// Tasks that leave the order open (a goal, a tower, a swap, any of several objects) are searched
/// instead. The search finds a shortest list of calls from the skills' declarations, and the same
/// recipes carry out each call. There a reason becomes a constraint: an object must be moved first,
/// or a call is infeasible.
///
/// A failure that no skill can repair, or that occurred three times, or twice without a change that
/// could help, makes the plan [infeasible](Plan::infeasible), with an explanation.
///
/// If the task says to touch nothing else, nothing is moved aside. The plan is then infeasible and
/// names the obstacle.
///
/// Names are grounded once per episode, so "the cube on the left" stays the same cube after it was
/// moved. An episode begins with a request that has neither attempts nor completed steps.
#[derive(Clone, Debug, Default)]
pub struct FeedbackPlanner {
    memory: Memory,
}

/// State that later plans of an episode need.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Memory {
    understood: Option<Understood>,
    /// Intents to achieve in this order; `None` if the order is searched for the `stages`.
    intents: Option<Vec<Intent>>,
    /// Goals to achieve one after the other; the order within each goal is free.
    stages: Vec<Formula>,
    /// Intents of the stages that held at the start.
    at_first: Vec<Intent>,
}

impl FeedbackPlanner {
    /// Creates a planner without any state.
    pub fn new() -> Self {
        Self::default()
    }

    /// Interprets the task once per episode. Returns an answer if there is nothing to plan.
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
        let refused = |why: String| Plan {
            interpretation: resolved(&understood, request),
            ..Plan::infeasible(why)
        };
        if is_plain(task) {
            let of_step = |step: &Step| step.intents().into_iter().cloned().collect::<Vec<_>>();
            let intents: Vec<Intent> = task.steps.iter().flat_map(of_step).collect();
            let placed = intents.iter();
            let placed =
                placed.map(|intent| with_height(intent, (task, &intents), request.percept));
            match placed.collect() {
                Ok(placed) => self.memory.intents = Some(placed),
                Err(why) => return Ok(Some(refused(why))),
            }
        } else {
            let stages = task.steps.iter().map(|step| formula_of(step, request));
            let stages: Vec<Formula> = match stages.collect() {
                Ok(stages) => stages,
                Err(why) => return Ok(Some(refused(why))),
            };
            let all: Vec<Intent> = stages.iter().flat_map(Formula::atoms).cloned().collect();
            let placed = |stage: &Formula| {
                stage.try_map(&mut |intent, so| {
                    let intent = with_height(intent, (task, &all), request.percept)?;
                    Ok::<_, String>(match so {
                        true => Formula::Is(intent),
                        false => Formula::Not(intent),
                    })
                })
            };
            match stages.iter().map(placed).collect() {
                Ok(placed) => self.memory.stages = placed,
                Err(why) => return Ok(Some(refused(why))),
            }
            self.memory.at_first = search::seen(&self.memory.stages, request);
        }
        self.memory.understood = Some(understood);
        Ok(None)
    }

    /// Plans intents in the given order.
    fn as_said(&self, intents: &[Intent], task: &Task, request: &PlanRequest<'_>) -> Drafted {
        let constraints = FailureConstraints::learn(request, intents);
        let draft = constraints
            .and_then(|constraints| Sequence::new(request, intents, &constraints, task).draft());
        let mut goals = goals(intents, request.percept);
        goals.extend(staying(task, intents, request.percept));
        (draft, goals, on_the_way(intents, request.percept), vec![])
    }

    /// Searches for an order of calls for each stage, with the skills' declarations and the reasons
    /// so far.
    fn searched(&self, task: &Task, request: &PlanRequest<'_>) -> Drafted {
        let Searched {
            moves,
            notes,
            ends,
            on_the_way,
        } = match self.moves_of_stages(task, request) {
            Ok(found) => found,
            Err(why) => return (Err(why), vec![], vec![], vec![]),
        };
        let intents = moves.iter().flat_map(|step| match step {
            Move::Do { intent, meeting } => {
                let meeting = meeting.iter().cloned().map(Intent::from);
                std::iter::once(intent.clone()).chain(meeting).collect()
            }
            _ => vec![],
        });
        let intents: Vec<Intent> = intents.collect();
        let constraints = FailureConstraints::beside_search(request, |object| {
            let is_aside = |step: &Move| matches!(step, Move::Aside(aside) if aside == object);
            let is_own = |intent: &Intent| intent.object() == Some(object);
            moves.iter().any(is_aside) || intents.iter().any(is_own)
        });
        let asked = self.memory.stages.iter();
        let asked: Vec<Intent> = asked
            .flat_map(|f| search::intents_of(f, &|_| true))
            .collect();
        let sequence = Sequence::new(request, &intents, &constraints, task).keeping_off(&asked);
        let named: Vec<Intent> = self.named().cloned().collect();
        let mut goals = together(&ends, request.percept);
        goals.extend(staying(task, &named, request.percept));
        let stages = kept(&self.memory.stages);
        let is_choice = |end: &Intent| !stages.iter().any(|stage| needs(stage, end));
        let chosen: Vec<Intent> = ends.iter().filter(|end| is_choice(end)).cloned().collect();
        let chosen = together(&chosen, request.percept);
        let draft = sequence.follow(&moves, &ends, notes);
        (draft, goals, on_the_way, chosen)
    }

    fn named(&self) -> impl Iterator<Item = &Intent> {
        self.memory.stages.iter().flat_map(Formula::atoms)
    }

    fn moves_of_stages(&self, task: &Task, request: &PlanRequest<'_>) -> Result<Searched, String> {
        let stages = &self.memory.stages;
        check_judged(task, stages, request)?;
        let first = search::stages_done(stages, &self.memory.at_first, request);
        let reasons = Reasons::learn(request);
        let named: Vec<Intent> = self.named().cloned().collect();
        let movable = request.percept.movable_ids();
        let rule_of = |id: &str| must_stay(task, &named, request.percept, id);
        let rules = movable
            .into_iter()
            .filter_map(|id| rule_of(id.as_str()).map(|rule| (id, rule)));
        let rules: Vec<(ObjectId, String)> = rules.collect();
        let so = facts_so(request);
        // Each stage begins where the search of the one before it ended, the first one at the
        // current state.
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
            let solve = |never: &[Intent], rules: &[(ObjectId, String)]| {
                let untouched = rules.iter().map(|(id, _)| id.to_string()).collect();
                let goal = goal.clone();
                let problem = Problem::new(request, goal, never, untouched, &reasons, &so);
                let mut problem = problem?;
                problem.begin_where(from.as_ref());
                problem.solve()
            };
            let (found, end) = solve(&task.never, &rules).map_err(|why| {
                let against = match why {
                    NoSolution::Impossible(_) => {
                        rules_against(&task.never, &rules, |n, r| solve(n, r).is_ok())
                    }
                    _ => String::new(),
                };
                with_last(format!("{why}{against}"), request)
            })?;
            from = Some(end);
            let how = match found.is_shortest {
                true => "as few as possible",
                false => "possibly more than needed",
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
            // If an alternative holds already, it counts as the chosen one.
            let is_so = |intent: &Intent| is_met(intent, request) != Some(false);
            let intents = |f: &&Formula| match search::intents_of(f, &is_so) {
                none if none.is_empty() => search::intents_of(f, &|_| true),
                some => some,
            };
            ends = kept(stages).iter().flat_map(intents).collect();
        }
        // Perception cannot judge a goal that only a skill can verify. It counts as reached when
        // the skill reports it, so it is an intermediate goal too.
        let is_declared = |i: &&Intent| matches!(i.goal(), Some(Goal::Declared { .. }));
        passing.extend(ends.iter().filter(is_declared).cloned());
        let of = |intent: &Intent| passing_of(intent, request.percept);
        Ok(Searched {
            on_the_way: passing.iter().flat_map(of).collect(),
            moves,
            notes,
            ends,
        })
    }
}

/// Returns an explanation if a rule or a goal of a task would be violated unnoticed.
fn check_judged(task: &Task, stages: &[Formula], request: &PlanRequest<'_>) -> Result<(), String> {
    if let Some(rule) = task.never.iter().find(|rule| !is_watched(rule, request)) {
        return Err(format!(
            "`never({rule})` cannot be monitored: neither perception nor a skill reports it"
        ));
    }
    match stages.iter().find_map(search::unjudged) {
        Some(place) => Err(format!(
            "`not {place}` cannot be judged at the end; `not on` and `not in` an object can"
        )),
        None => Ok(()),
    }
}

/// Facts that earlier steps brought about.
fn facts_so(request: &PlanRequest<'_>) -> BTreeSet<Fact> {
    let done = facts_done(request.completed, request.skills).pop();
    let done = done.unwrap_or_default();
    let so = done.so.into_iter();
    let so = so.filter_map(|(fact, is)| is.then_some(fact));
    done.place.into_values().flatten().chain(so).collect()
}

struct Searched {
    moves: Vec<Move>,
    notes: Vec<String>,
    ends: Vec<Intent>,
    /// Goals that hold after the stages before the last.
    on_the_way: Vec<Goal>,
}

/// Returns true if perception can check the intent, or a skill declares it as an effect. A
/// violation of any other `never` rule would not be noticed.
fn is_watched(rule: &Intent, request: &PlanRequest<'_>) -> bool {
    let is_declared = matches!(rule.goal(), Some(Goal::Declared { .. }));
    !is_declared || achievers(rule.literal(), request.skills).next().is_some()
}

/// Names the rules of a task that prevent a goal: those without which the goal could be achieved
/// while all other rules hold.
fn rules_against(
    never: &[Intent],
    stays: &[(ObjectId, String)],
    is_possible: impl Fn(&[Intent], &[(ObjectId, String)]) -> bool,
) -> String {
    let holds = |rule: &Intent, id: &ObjectId| match rule.goal() {
        Some(Goal::Holding { object }) => object == id,
        _ => false,
    };
    let of_objects = stays.iter().filter(|(id, _)| {
        let never: Vec<Intent> = never.iter().filter(|r| !holds(r, id)).cloned().collect();
        let stays: Vec<_> = stays.iter().filter(|s| s.0 != *id).cloned().collect();
        is_possible(&never, &stays)
    });
    let of_objects = of_objects.map(|(id, rule)| format!("{rule} ({id})"));
    let others = never.iter().filter(|rule| {
        let never: Vec<Intent> = never.iter().filter(|r| r != rule).cloned().collect();
        is_possible(&never, stays)
    });
    let others = others.map(|rule| format!("the task says never({rule})"));
    let rules: Vec<String> = of_objects.chain(others).collect();
    match rules.is_empty() {
        true => String::new(),
        false => format!("; it would be possible, but {}", rules.join(", or ")),
    }
}

/// Stages whose goals must still hold at the end.
fn kept(stages: &[Formula]) -> Vec<&Formula> {
    let kept = stages.iter().zip(lasting(stages));
    kept.filter_map(|(stage, lasts)| lasts.then_some(stage))
        .collect()
}

/// Appends the last failure to an explanation.
fn with_last(why: String, request: &PlanRequest<'_>) -> String {
    match request.attempts.last() {
        Some(last) => format!("{why}: {}", last.describe()),
        None => why,
    }
}

/// Returns true if a formula requires an atom about the object of a fact.
fn needs(formula: &Formula, fact: &Intent) -> bool {
    match formula {
        Formula::Is(own) | Formula::Not(own) => own.object() == fact.object(),
        Formula::All(of) => of.iter().any(|part| needs(part, fact)),
        Formula::Any(_) | Formula::Some { .. } => false,
    }
}

/// The calls, or the reason why there are none; the goals at the end; intermediate goals; and the
/// goals at the end that the search chose among alternatives.
type Drafted = (Result<Draft, String>, Vec<Goal>, Vec<Goal>, Vec<Goal>);

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
    /// Plans synchronously, since no language model is asked.
    ///
    /// # Errors
    ///
    /// As [`Planner::plan`].
    pub fn plan_at_once(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        if let Some(answer) = self.interpret(request)? {
            return Ok(answer);
        }
        let attempts: Vec<PriorAttempt> = request.attempts.iter().map(of_failing_call).collect();
        let request = &PlanRequest {
            attempts: &attempts,
            ..request.clone()
        };
        let Some(understood) = self.memory.understood.clone() else {
            return Ok(Plan::infeasible("the task is not known"));
        };
        let nothing_to_do = understood.task.steps.is_empty();
        if nothing_to_do {
            let no_steps: [SkillCall; 0] = [];
            return Ok(Plan {
                interpretation: resolved(&understood, request),
                ..Plan::complete(no_steps, "there is nothing to do")
            });
        }
        let (draft, goals, on_the_way, chosen) = match &self.memory.intents {
            Some(intents) => self.as_said(intents, &understood.task, request),
            None => self.searched(&understood.task, request),
        };
        let plan = match draft {
            Ok(draft) => Plan {
                on_the_way,
                ..Plan::complete(draft.steps, "done as asked").because(draft.reasoning)
            },
            Err(why) => {
                let why = match remedied(&understood.task, request.attempts) {
                    Some(first) => format!("{}; the remedy failed, too: {why}", first.describe()),
                    None => why,
                };
                Plan::infeasible(why + &done_so_far(request))
                    .because("no available skill would help")
            }
        };
        Ok(Plan {
            interpretation: resolved(&understood, request),
            chosen,
            never: understood.task.forbidden().cloned().collect(),
            pace: understood.task.manner.map_or(1.0, Manner::speed),
            ..plan.with_goals(goals)
        })
    }
}

/// Returns a failure with the call that it is about: the next one, if the failed call looked ahead
/// to it.
fn of_failing_call(attempt: &PriorAttempt) -> PriorAttempt {
    let is_ahead = attempt.phase == Phase::Lookahead;
    let next = attempt.arg("then").filter(|_| is_ahead);
    let next = next.and_then(|then| {
        let mut args = then.as_object()?.clone();
        let skill = args.remove("skill")?;
        Some(SkillCall::new(skill.as_str()?, Value::Object(args)))
    });
    let attempt = attempt.clone();
    match next {
        Some(next) => PriorAttempt {
            attempt: next.into(),
            ..attempt
        },
        None => attempt,
    }
}

/// Returns the failure that named the object of the last failed call, if the task is not about that
/// object: the call was to clear it away.
fn remedied<'a>(task: &Task, attempts: &'a [PriorAttempt]) -> Option<&'a PriorAttempt> {
    let (last, before) = attempts.split_last()?;
    let object = last.arg("object")?.as_str()?;
    let mut intents = task.steps.iter().flat_map(Step::intents);
    if intents.any(|intent| intent.object() == Some(object)) {
        return None;
    }
    let is_cause = |a: &&PriorAttempt| {
        let is_own = a.arg("object").and_then(Value::as_str) == Some(object);
        !is_own && a.entities.iter().any(|id| id.as_str() == object)
    };
    before.iter().rev().find(is_cause)
}

fn done_so_far(request: &PlanRequest<'_>) -> String {
    let calls = request.completed.iter().map(|step| step.call.in_words());
    let calls: Vec<_> = calls.collect();
    let held = request
        .held
        .map(|held| format!("; {} is still in the hand", held.id));
    let done = (!calls.is_empty()).then(|| format!("; done so far: {}", calls.join(", ")));
    [done, held].into_iter().flatten().collect()
}
