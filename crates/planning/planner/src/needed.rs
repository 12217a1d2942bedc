//! Services for planners that use a model: calls for a goal, and the skills that a task may need.

use std::collections::BTreeSet;

use regrasp_api::{
    Goal, HandUse, Kind, ObjectId, Operator, Percept, Plan, PlanRequest, Reason, SkillSpec,
};
use regrasp_language::Formula;

use crate::FeedbackPlanner;
use crate::calls::{achievers, calls_by, is_of_kind};
use crate::interpret::{Interpretation, interpret};
use crate::search::formula_of;

/// Plans the calls that achieve a goal from the current scene. The goal is in the notation of
/// [`regrasp_language::Formula`]. The plan contains the goals by which perception judges it.
///
/// # Errors
///
/// A sentence that says which part of the goal is not understood, or which name refers to no object
/// or to several.
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
        // A plan that looks for an object has no reading of the goal.
        None if plan.interpretation.is_empty() => Err(plan.explanation.unwrap_or(plan.reasoning)),
        None => Ok(plan),
    }
}

/// Reads a task with the grammar: its goals, and how it was understood. `None` if a person has to
/// be asked, or if a model has to read it.
pub fn read_task(request: &PlanRequest<'_>) -> Option<Plan> {
    let request = PlanRequest {
        attempts: &[],
        completed: &[],
        ..request.clone()
    };
    let plan = FeedbackPlanner::new().plan_at_once(&request).ok()?;
    (plan.question.is_none() && !plan.goals.is_empty()).then_some(plan)
}

/// Returns the skills that a task may need, in their given order: those that achieve its goals,
/// take and put aside an object if the hand is used, open something, repair a failure so far, or
/// have an unknown effect; all skills if the task is not understood. Skills without a valid
/// argument in the scene are left out.
pub fn needed_skills(request: &PlanRequest<'_>) -> Vec<String> {
    let possible = request
        .skills
        .iter()
        .filter(|s| is_possible(s, request.percept));
    let possible: Vec<&SkillSpec> = possible.collect();
    let Ok(Interpretation::Goal(understood)) = interpret(request) else {
        return possible.iter().map(|s| s.name.clone()).collect();
    };
    let intents = understood.task.steps.iter().flat_map(|step| {
        let own = step.intent().map(|intent| vec![intent.clone()]);
        own.unwrap_or_else(|| match formula_of(step, request) {
            Ok(formula) => Formula::atoms(&formula).into_iter().cloned().collect(),
            Err(_) => vec![],
        })
    });
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    let mut moves = false;
    for intent in intents {
        let facts = [(intent.fact(), true), intent.literal()];
        let declared = facts
            .into_iter()
            .flat_map(|fact| achievers(fact, request.skills));
        let declared: Vec<&SkillSpec> = declared.map(|achiever| achiever.spec).collect();
        // Skills without a grasp serve objects that cannot be gripped, and are offered only as a
        // remedy.
        let grips = |s: &&SkillSpec| s.hand != HandUse::Empty;
        let has_grip = declared.iter().any(grips);
        let declared = declared.iter().filter(|s| !has_grip || grips(s));
        wanted.extend(declared.map(|s| s.name.clone()));
        wanted.extend(calls_by(&intent).into_iter().next().map(|call| call.skill));
        moves |= intent.goal().is_none_or(Goal::constrains_pose);
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

/// Returns true if a skill has neither declaration nor recipe, so that it may have any effect.
fn is_unknown(skill: &SkillSpec) -> bool {
    const KNOWN: [&str; 4] = ["look", "wait_until", "push", "pull"];
    skill.operators.is_empty()
        && skill.hand == HandUse::Any
        && !KNOWN.contains(&skill.name.as_str())
}

/// Returns true if a skill declares that a predicate becomes true.
fn has_effect(skill: &SkillSpec, predicate: &str) -> bool {
    let literals = skill.operators.iter().flat_map(|o| o.brings);
    let mut brought = literals.filter(|literal| literal.holds);
    brought.any(|literal| literal.predicate == predicate)
}

/// Returns true if the scene has a fitting object for each parameter of one of the skill's
/// operators, or if the skill has none.
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
