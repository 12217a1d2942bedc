//! From a goal that leaves the order open to moves in an order that works.
//!
//! The state is where each thing is, and which other facts hold. What calls need and bring about
//! comes from the skills' own declarations ([`regrasp_api::Operator`]); whether a call can really
//! be made is for the skill to find out, and the reason it fails with becomes a constraint of
//! the next search (after Srivastava et al. 2014, "Combined task and motion planning through an
//! extensible planner-independent interface layer"). The search is A* with the number of things
//! that have to be moved at least once as its bound, so the first plan found within the budget
//! is a shortest one; past it, the bound is weighted.

mod astar;
mod bits;
mod facts;
mod goal;
mod ground;
mod problem;
mod reasons;
mod solution;
mod solve;

pub(crate) use facts::{Done, facts_done, holding, on};
pub(crate) use goal::{formula_of, intents_of, is_plain};
pub(crate) use problem::{Problem, says_where};
pub(crate) use reasons::Reasons;
pub(crate) use solution::Move;

use std::collections::BTreeSet;

use regrasp_api::{Fact, PlanRequest};
use regrasp_language::{Formula, Intent};

/// What of some formulas holds as things are seen.
pub(crate) fn seen(stages: &[Formula], request: &PlanRequest<'_>) -> Vec<Intent> {
    let atoms = stages.iter().flat_map(Formula::atoms);
    let seen = atoms.filter(|intent| problem::is_seen(intent, request));
    seen.cloned().collect()
}

/// How many stages were reached, one after the other, by the steps that are done.
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
            let known = match intent.object().filter(|_| says_where(intent)) {
                Some(object) => match place.get(object) {
                    Some(fact) => *fact == key,
                    None => at_first.contains(&key),
                },
                None => so
                    .get(&key)
                    .copied()
                    .unwrap_or_else(|| at_first.contains(&key)),
            };
            known == holds
        };
        // The last stage is for the senses to judge.
        while n + 1 < stages.len() && stages[n].holds(&is_so) {
            n += 1;
        }
    }
    n
}
