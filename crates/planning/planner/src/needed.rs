//! What a planner that asks a model needs of the task planner: calls for a goal, and which skills
//! a task can need at all.

use std::collections::BTreeSet;

use regrasp_api::{
    Goal, HandUse, Kind, ObjectId, Operator, Percept, Plan, PlanRequest, Reason, SkillSpec,
};
use regrasp_language::{Formula, Step};

use crate::FeedbackPlanner;
use crate::calls::{call_by, is_of_kind, ways};
use crate::interpret::{Interpretation, interpret};
use crate::search::formula_of;

/// The calls that bring a goal about from what is seen now, in the notation of
/// [`regrasp_language::Formula`], with the goals by which the senses judge it.
///
/// # Errors
///
/// A sentence: what in the goal is not understood, or names nothing or several things.
pub fn plan_for(goal: &str, request: &PlanRequest<'_>) -> Result<Plan, String> {
    let task = format!("goal: {goal}");
    let request = PlanRequest {
        task: &task,
        answers: &[],
        ..request.clone()
    };
    let plan = FeedbackPlanner::new().plan_at_once(&request);
    let plan = plan.map_err(|error| error.to_string())?;
    match plan.question {
        Some(question) => Err(question),
        // What is not seen is looked for, and so not heard of yet.
        None if plan.heard.is_empty() => Err(plan.explanation.unwrap_or(plan.reasoning)),
        None => Ok(plan),
    }
}

/// What a task asks for, as far as the grammar understands it: goals that the senses judge, and
/// how it was heard. `None` where it has to be asked, or left to a model.
pub fn read_task(request: &PlanRequest<'_>) -> Option<Plan> {
    let request = PlanRequest {
        attempts: &[],
        completed: &[],
        ..request.clone()
    };
    let plan = FeedbackPlanner::new().plan_at_once(&request).ok()?;
    (plan.question.is_none() && !plan.goals.is_empty()).then_some(plan)
}

/// The skills that a task can need, in their own order: those whose calls bring about what is
/// asked for, those that take and put down where something is moved, and those that mend a reason that came
/// up;
/// of these, those that something in the scene can be an argument of. Every skill that the scene
/// allows, where the task is not understood.
pub fn needed_skills(request: &PlanRequest<'_>) -> Vec<String> {
    let possible = request
        .skills
        .iter()
        .filter(|s| is_possible(s, request.percept));
    let possible: Vec<&SkillSpec> = possible.collect();
    let Ok(Interpretation::Goal(understood)) = interpret(request) else {
        return possible.iter().map(|s| s.name.clone()).collect();
    };
    let intents = understood.task.steps.iter().flat_map(|step| match step {
        Step::Do(intent) => vec![intent.clone()],
        step => match formula_of(step, request) {
            Ok(formula) => Formula::atoms(&formula).into_iter().cloned().collect(),
            Err(_) => vec![],
        },
    });
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    let mut moves = false;
    for intent in intents {
        let facts = [(intent.fact(), true), intent.literal()];
        let declared = facts
            .into_iter()
            .flat_map(|fact| ways(fact, request.skills));
        let declared: Vec<&SkillSpec> = declared.map(|way| way.spec).collect();
        // What does without a grip is for what cannot be gripped, and comes as a remedy.
        let grips = |s: &&SkillSpec| s.hand != HandUse::Empty;
        let has_grip = declared.iter().any(grips);
        let declared = declared.iter().filter(|s| !has_grip || grips(s));
        wanted.extend(declared.map(|s| s.name.clone()));
        wanted.extend(call_by(&intent).map(|call| call.skill));
        moves |= intent.goal().is_none_or(Goal::says_where);
    }
    let uses_hand = moves
        || possible
            .iter()
            .any(|s| wanted.contains(&s.name) && !matches!(s.hand, HandUse::Any));
    let has_come = |reason: &Reason| request.attempts.iter().any(|a| a.reason == *reason);
    let is_needed = |s: &&&SkillSpec| {
        wanted.contains(&s.name)
            || is_unknown(s)
            || uses_hand && (matches!(s.hand, HandUse::Takes) || has_effect(s, "aside"))
            || s.remedies.iter().any(has_come)
            || has_effect(s, "open")
    };
    let needed = possible.iter().filter(is_needed);
    needed.map(|s| s.name.clone()).collect()
}

/// What nothing is declared of, and no recipe knows, may do anything.
fn is_unknown(skill: &SkillSpec) -> bool {
    const KNOWN: [&str; 4] = ["look", "wait_until", "push", "pull"];
    skill.operators.is_empty()
        && skill.hand == HandUse::Any
        && !KNOWN.contains(&skill.name.as_str())
}

/// Returns true if a skill declares that something becomes so. What is shut or in the way may have to
/// be opened or put aside for anything.
fn has_effect(skill: &SkillSpec, predicate: &str) -> bool {
    let literals = skill.operators.iter().flat_map(|o| o.brings);
    let mut brought = literals.filter(|literal| literal.holds);
    brought.any(|literal| literal.predicate == predicate)
}

/// Returns true if something in the scene can be each of the arguments that it declares.
fn is_possible(skill: &SkillSpec, percept: &Percept) -> bool {
    let joints = percept.joints.iter().map(|j| &j.child);
    let names: Vec<_> = percept
        .objects
        .iter()
        .map(|o| &o.id)
        .chain(joints)
        .collect();
    let has = |kind: Kind| {
        let is_one = |id: &&ObjectId| is_of_kind(kind, id.as_str(), percept);
        names.iter().any(is_one) || is_of_kind(kind, "", percept)
    };
    let can = |o: &Operator| o.parameters.iter().all(|(_, kind)| has(*kind));
    skill.operators.is_empty() || skill.operators.iter().any(can)
}
