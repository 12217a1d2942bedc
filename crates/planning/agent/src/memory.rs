//! Memory of failures and fixes: looking up those of earlier episodes, and recording new ones.

use std::collections::BTreeMap;

use regrasp_api::{
    Case, CaseQuery, EpisodeResult, Percept, PlanStep, PriorAttempt, SkillCall, Trigger,
};
use serde_json::Value;

use crate::Agent;
use crate::state::State;

const N_CASES: usize = 5;

/// Looks up fixes of cases like the last failure. If the memory fails, the planner gets the cases
/// found before.
pub(crate) fn recall(agent: &mut Agent, state: &mut State, percept: &Percept) {
    let (Some(memory), Some(last)) = (&mut agent.memory, state.attempts.last()) else {
        return;
    };
    let query = CaseQuery {
        reason: &last.reason,
        skill: last.skill(),
        task: &state.task,
        scene: &in_words(percept),
        limit: N_CASES,
    };
    match memory.similar(&query) {
        Ok(cases) => state.past_cases = cases,
        Err(error) => tracing::warn!(%error, "past cases cannot be read"),
    }
}

/// Records the failures with their fixes, and whether the episode succeeded. Episodes that ended
/// because of infrastructure are left out, since they say nothing about the robot.
pub(crate) fn remember(agent: &mut Agent, state: &State, result: &EpisodeResult) {
    if agent.memory.is_none() || result.final_reason.is_infrastructure() {
        return;
    }
    let scene = agent
        .robot
        .perceive()
        .map(|p| in_words(&p))
        .unwrap_or_default();
    let Some(memory) = &mut agent.memory else {
        return;
    };
    for attempt in &state.attempts {
        let Some(skill) = attempt.skill() else {
            continue;
        };
        let Some(fix) = fix_for(attempt, skill, state) else {
            continue;
        };
        let case = Case {
            reason: attempt.reason.clone(),
            skill: skill.to_owned(),
            task: state.task.clone(),
            scene: scene.clone(),
            detail: attempt.reason_detail.clone(),
            fix,
            worked: result.success,
        };
        if let Err(error) = memory.record(&case) {
            tracing::warn!(%error, "a failure could not be stored");
        }
    }
}

/// Fix after a failure in words: the plan that followed, or a repetition of the step.
fn fix_for(attempt: &PriorAttempt, skill: &str, state: &State) -> Option<String> {
    let answers = |trigger: &Trigger| match trigger {
        Trigger::StepFailed { step_idx, .. } | Trigger::Refused { step_idx } => {
            *step_idx == attempt.step_idx
        }
        _ => false,
    };
    let version = state.versions.iter().find(|v| answers(&v.trigger));
    if let Some(version) = version {
        let steps: Vec<_> = version.plan.steps.iter().map(step_in_words).collect();
        return (!steps.is_empty()).then(|| steps.join(", "));
    }
    let again = |call: &SkillCall| call.skill == skill;
    let repeated = state.completed.iter().any(|done| again(&done.call));
    repeated.then(|| "the same step again".to_owned())
}

fn step_in_words(step: &PlanStep) -> String {
    let named = ["object", "target"]
        .into_iter()
        .find_map(|key| step.call.args.get(key).and_then(Value::as_str));
    match named {
        Some(name) => format!("{} {name}", step.call.skill),
        None => step.call.skill.clone(),
    }
}

/// Describes a scene in words: number of objects of each kind, and colours.
fn in_words(percept: &Percept) -> String {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut colors: BTreeMap<&str, usize> = BTreeMap::new();
    for object in &percept.objects {
        *kinds.entry(&object.category).or_default() += 1;
        if let Some(color) = &object.color {
            *colors.entry(color).or_default() += 1;
        }
    }
    let kinds = kinds.iter().map(|(kind, n)| format!("{n} {kind}"));
    let colors = colors.keys().map(|color| (*color).to_owned());
    kinds.chain(colors).collect::<Vec<_>>().join(", ")
}
