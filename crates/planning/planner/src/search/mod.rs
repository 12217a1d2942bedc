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
mod found;
mod goal;
mod ground;
mod problem;
mod reasons;
mod solve;

pub(crate) use facts::facts_done;
pub(crate) use found::Move;
pub(crate) use goal::{commands_of, formula_of, is_plain, lasting};
pub(crate) use problem::Problem;
pub(crate) use reasons::Reasons;

use std::collections::BTreeSet;

use regrasp_api::{Fact, PlanRequest};
use regrasp_language::{Command, Formula};

use facts::{Done, key};

/// What of some formulas holds as things are seen.
pub(crate) fn seen(stages: &[Formula], request: &PlanRequest<'_>) -> BTreeSet<Fact> {
    let atoms = stages.iter().flat_map(Formula::atoms);
    atoms
        .filter(|command| problem::is_seen(command, request))
        .map(key)
        .collect()
}

/// How many stages were reached, one after the other, by the steps that are done.
pub(crate) fn stages_done(
    stages: &[Formula],
    at_first: &BTreeSet<Fact>,
    request: &PlanRequest<'_>,
) -> usize {
    let mut after = facts_done(request.completed, request.skills);
    after.insert(0, Done::default());
    let mut n = 0;
    for Done { place, so } in &after {
        let is_so = |command: &Command| {
            let key = key(command);
            let known = match command.object().filter(|_| problem::says_where(command)) {
                Some(object) => match place.get(object) {
                    Some(fact) => *fact == key,
                    None => at_first.contains(&key),
                },
                None => so.contains(&key) || at_first.contains(&key),
            };
            match command {
                Command::Slide { open: false, .. } => !known,
                _ => known,
            }
        };
        // The last stage is for the senses to judge.
        while n + 1 < stages.len() && stages[n].holds(&is_so) {
            n += 1;
        }
    }
    n
}
