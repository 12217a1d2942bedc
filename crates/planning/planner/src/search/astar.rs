//! A* search.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use regrasp_api::Goal;
use regrasp_language::{Formula, Intent};

use super::problem::{Act, GoalAtom, Location, Problem, State};
use super::solution::{Move, NoSolution};

/// Budgets of expanded states, each with the weight of the lower bound: first for a shortest plan,
/// then for any plan.
const BUDGETS: [(usize, usize); 2] = [(60_000, 1), (200_000, 4)];
/// Number of calls to move an object: one to take it, one to put it.
const CALLS_PER_MOVE: usize = 2;

pub(super) struct Path {
    pub(super) acts: Vec<usize>,
    pub(super) n_states: usize,
    pub(super) is_shortest: bool,
}

struct Node {
    state: State,
    parent: usize,
    act: usize,
    cost: usize,
}

pub(super) fn shortest(problem: &Problem<'_>) -> Result<Path, NoSolution> {
    let mut n_searched = 0;
    for (budget, weight) in BUDGETS {
        let (found, n_states, is_whole) = search(problem, budget, weight);
        n_searched += n_states;
        match found {
            Some(acts) => {
                return Ok(Path {
                    acts,
                    n_states: n_searched,
                    is_shortest: weight == 1,
                });
            }
            None if is_whole => return Err(NoSolution::Impossible(problem.goal.to_string())),
            None => {}
        }
    }
    Err(NoSolution::OverBudget(n_searched, problem.goal.to_string()))
}

/// Returns the acts if there are any, the number of expanded states, and true if the search was
/// exhaustive.
fn search(
    problem: &Problem<'_>,
    budget: usize,
    weight: usize,
) -> (Option<Vec<usize>>, usize, bool) {
    let mut nodes = vec![Node {
        state: problem.start.clone(),
        parent: 0,
        act: 0,
        cost: 0,
    }];
    let mut best: HashMap<State, usize> = HashMap::from([(problem.start.clone(), 0)]);
    let rest = bound(problem, &problem.start);
    let mut open = BinaryHeap::from([Reverse((weight * rest, rest, 0_usize))]);
    let mut n_states = 0;
    while let Some(Reverse((_, _, at))) = open.pop() {
        let (state, cost) = (nodes[at].state.clone(), nodes[at].cost);
        if best.get(&state).is_some_and(|known| *known < cost) {
            continue;
        }
        if is_reached(problem, &state) {
            return (Some(acts_to(&nodes, at)), n_states, false);
        }
        n_states += 1;
        if n_states >= budget {
            return (None, n_states, false);
        }
        for (idx, act) in problem.acts.iter().enumerate() {
            if !problem.can(&state, act) {
                continue;
            }
            let next = problem.after(&state, act);
            let cost = cost + 1;
            if best.get(&next).is_some_and(|known| *known <= cost) {
                continue;
            }
            best.insert(next.clone(), cost);
            let rest = bound(problem, &next);
            nodes.push(Node {
                state: next,
                parent: at,
                act: idx,
                cost,
            });
            open.push(Reverse((cost + weight * rest, rest, nodes.len() - 1)));
        }
    }
    (None, n_states, true)
}

fn acts_to(nodes: &[Node], mut at: usize) -> Vec<usize> {
    let mut acts = vec![];
    while at != 0 {
        acts.push(nodes[at].act);
        at = nodes[at].parent;
    }
    acts.reverse();
    acts
}

fn is_reached(problem: &Problem<'_>, state: &State) -> bool {
    problem
        .numbered
        .holds(&|atom| problem.holds_as(state, *atom))
}

/// Lower bound of the number of calls: two for each object that is misplaced or lies on a misplaced
/// one, less one if it is held, and one if another fact is not met.
fn bound(problem: &Problem<'_>, state: &State) -> usize {
    let (movers, others) = needed(problem, state, &problem.numbered);
    let held = |m: &usize| state.place[*m] == Location::Hand;
    let n_held = movers.iter().filter(|m| held(m)).count();
    CALLS_PER_MOVE * movers.len() + others - n_held
}

/// Objects that have to be moved for a formula, and a lower bound of the calls for its other facts.
fn needed(
    problem: &Problem<'_>,
    state: &State,
    formula: &Formula<GoalAtom>,
) -> (Vec<usize>, usize) {
    let is_so = |atom: &GoalAtom| problem.holds_as(state, *atom);
    match formula {
        _ if formula.holds(&is_so) => (vec![], 0),
        Formula::Is((idx, _)) | Formula::Not((idx, _)) => {
            let atom = &problem.atoms[*idx];
            match atom.mover {
                // Holding an object takes one call, and it need not be put down.
                Some(_) if matches!(atom.intent, Intent::Achieve(Goal::Holding { .. })) => {
                    (vec![], 1)
                }
                Some(mover) => (with_covers(problem, state, mover), 0),
                None => (vec![], 1),
            }
        }
        Formula::All(of) => {
            let mut movers = vec![];
            let mut others = 0;
            for part in of {
                let (more, n) = needed(problem, state, part);
                movers.extend(more);
                others = others.max(n);
            }
            movers.sort_unstable();
            movers.dedup();
            (movers, others)
        }
        Formula::Any(of) | Formula::Some { of, .. } => {
            let parts = of.iter().map(|part| needed(problem, state, part));
            parts
                .min_by_key(|(movers, n)| movers.len() + n)
                .unwrap_or_default()
        }
    }
}

/// An object and everything that lies on it.
fn with_covers(problem: &Problem<'_>, state: &State, mover: usize) -> Vec<usize> {
    let mut all = vec![mover];
    let mut next = 0;
    while let Some(below) = all.get(next).copied() {
        let name = &problem.movers[below];
        for m in 0..problem.movers.len() {
            let on = problem.support(state, m);
            let covers = on.is_some_and(|(support, inside)| support == name && !inside);
            if covers && !all.contains(&m) {
                all.push(m);
            }
        }
        next += 1;
    }
    all
}

impl Problem<'_> {
    /// Converts acts to moves. Picks that belong to the recipe of the next move are left out.
    pub(super) fn moves(&self, acts: &[usize]) -> Vec<Move> {
        let mut moves = vec![];
        for (i, act) in acts.iter().enumerate() {
            let act = &self.acts[*act];
            if let Some(step) = &act.step {
                moves.push(step.clone());
                continue;
            }
            let Some((mover, _)) = act.moves else {
                continue;
            };
            let next = acts.get(i + 1).map(|next| &self.acts[*next]);
            let is_recipe = |next: &Act| {
                next.holding == Some(mover) && !matches!(next.step, Some(Move::Call(_)))
            };
            if !next.is_some_and(is_recipe) {
                let object = self.movers[mover].as_str().into();
                moves.push(Intent::from(Goal::Holding { object }).into());
            }
        }
        moves
    }
}
