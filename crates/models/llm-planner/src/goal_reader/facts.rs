//! Facts of goals in the notation.

use regrasp_api::PlanRequest;
use regrasp_language::{ParseContext, understand};

/// Returns the goal to achieve facts in order, each once, or the reason why it is invalid.
pub(super) fn together(
    facts: impl IntoIterator<Item = String>,
    request: &PlanRequest<'_>,
) -> Result<String, String> {
    let mut each: Vec<String> = vec![];
    for fact in facts {
        if !each.contains(&fact) {
            each.push(fact);
        }
    }
    let goal = format!("goal: {}", each.join(" then "));
    let understood = understand(&goal, &ParseContext::from(request));
    Ok(understood.map_err(|why| why.to_string())?.goal())
}

/// Returns the goal with the facts that two goals have in common, in the order of the first. `None`
/// if there are none, or if they are not a valid goal.
pub(super) fn agreed(a: &str, b: &str, request: &PlanRequest<'_>) -> Option<String> {
    let agreed = facts(a).filter(|fact| facts(b).any(|other| other == *fact));
    together(agreed.map(str::to_owned), request).ok()
}

/// Returns the facts of a goal in the notation.
pub(super) fn facts(goal: &str) -> impl Iterator<Item = &str> {
    let steps = goal.split(" then ");
    steps.flat_map(|step| step.split(" and "))
}
