//! Searches for an order of moves for goals that leave it open.
//!
//! The state consists of the location of each object and of other facts. Preconditions and effects
//! come from the skills' declarations ([`regrasp_api::Operator`]). The skill finds out whether a
//! call is geometrically feasible, and the reason of its failure becomes a constraint of the next
//! search (after Srivastava et al. 2014, "Combined task and motion planning through an extensible
//! planner-independent interface layer"). The search is A*. Its lower bound counts two calls for
//! each object that must be moved at least once, so the first plan within the budget is a shortest
//! one. Beyond the budget, the bound is weighted.

mod astar;
mod facts;
mod goal;
mod ground;
mod problem;
mod reasons;
mod solution;
mod solve;

pub(crate) use facts::{Done, facts_done, holding, on, was_cleared};
pub(crate) use goal::{formula_of, intents_of, is_plain, unjudged};
pub(crate) use problem::{Problem, constrains_pose};
pub(crate) use reasons::Reasons;
pub(crate) use solution::{Move, NoSolution};

use std::collections::BTreeSet;

use regrasp_api::{Fact, PlanRequest};
use regrasp_language::{Formula, Intent};

/// Intents of the formulas that hold in the percept.
pub(crate) fn seen(stages: &[Formula], request: &PlanRequest<'_>) -> Vec<Intent> {
    let atoms = stages.iter().flat_map(Formula::atoms);
    let seen = atoms.filter(|intent| problem::is_seen(intent, request));
    seen.cloned().collect()
}

/// Number of consecutive stages that completed steps have reached.
pub(crate) fn stages_done(
    stages: &[Formula],
    at_first: &[Intent],
    request: &PlanRequest<'_>,
) -> usize {
    let at_first = at_first.iter().map(Intent::literal);
    let at_first = at_first.filter_map(|(fact, is_so)| is_so.then_some(fact));
    let at_first: BTreeSet<Fact> = at_first.collect();
    let mut after = facts_done(request.completed, request.skills);
    after.insert(0, Done::default());
    let mut n = 0;
    for Done { place, so, .. } in &after {
        let is_so = |intent: &Intent| {
            let (key, holds) = intent.literal();
            let known = match intent.object().filter(|_| constrains_pose(intent)) {
                Some(object) => match place.get(object) {
                    Some(facts) => facts.contains(&key),
                    None => at_first.contains(&key),
                },
                None => so
                    .get(&key)
                    .copied()
                    .unwrap_or_else(|| at_first.contains(&key)),
            };
            known == holds
        };
        // The last stage is never skipped, because perception judges it.
        while n + 1 < stages.len() && stages[n].holds(&is_so) {
            n += 1;
        }
    }
    n
}
