//! Creates and solves a search problem.

use std::collections::{BTreeMap, BTreeSet};

use regrasp_api::{Fact, PlanRequest};
use regrasp_language::{Formula, Intent};

use super::astar;
use super::goal::intents_of;
use super::ground::Grounder;
use super::problem::{Location, Problem, State};
use super::reasons::Reasons;
use super::solution::{NoSolution, Solution};

/// Locations and facts at the end of a search.
#[derive(Clone, Debug, Default)]
pub(crate) struct End {
    /// Fact about the place of each moved object, by id; `None` if the object is out of the way.
    place: BTreeMap<String, Option<Fact>>,
    so: BTreeMap<Fact, bool>,
}

impl<'a> Problem<'a> {
    /// Creates a problem. `so` are the facts of earlier steps that perception cannot judge.
    pub(crate) fn new(
        request: &'a PlanRequest<'a>,
        goal: Formula,
        never: &[Intent],
        untouched: Vec<String>,
        reasons: &'a Reasons,
        so: &BTreeSet<Fact>,
    ) -> Result<Self, NoSolution> {
        let mut problem = Self::of_goal(request, goal, never, untouched, reasons)?;
        problem.acts = Grounder::new(&mut problem).acts()?;
        problem.begin(so);
        Ok(problem)
    }

    /// Sets the start state to the end of an earlier search, for the objects of both.
    pub(crate) fn begin_where(&mut self, end: Option<&End>) {
        let Some(end) = end else {
            return;
        };
        for (mover, name) in self.movers.iter().enumerate() {
            match end.place.get(name) {
                Some(None) => self.start.place[mover] = Location::Aside,
                Some(Some(key)) => {
                    let idx = self.known(key);
                    let at = idx.map_or(Location::Aside, |idx| Location::Of(idx as u32));
                    self.start.place[mover] = at;
                }
                None => {}
            }
        }
        for atom in &self.atoms {
            if let (Some(bit), Some(so)) = (atom.bit, end.so.get(&atom.key)) {
                self.start.bits[bit] = *so;
            }
        }
    }

    fn end(&self, state: &State) -> End {
        let places = self.movers.iter().zip(&state.place);
        let place = places.filter_map(|(name, place)| match place {
            Location::Here => None,
            Location::Aside => Some((name.clone(), None)),
            Location::Hand => Some((name.clone(), Some(Fact::new("holding", &[name])))),
            Location::Of(idx) => {
                let key = self.atoms[*idx as usize].key.clone();
                Some((name.clone(), Some(key)))
            }
        });
        let bits = self.atoms.iter().filter_map(|atom| {
            let is_so = state.bits[atom.bit?];
            Some((atom.key.clone(), is_so))
        });
        End {
            place: place.collect(),
            so: bits.collect(),
        }
    }

    /// Returns the moves that achieve the goal, and the state after them.
    pub(crate) fn solve(&self) -> Result<(Solution, End), NoSolution> {
        let path = astar::shortest(self)?;
        let mut state = self.start.clone();
        for act in &path.acts {
            state = self.after(&state, &self.acts[*act]);
        }
        let is_so = |intent: &Intent| self.is_so(&state, intent);
        let found = Solution {
            moves: self.moves(&path.acts),
            n_calls: path.acts.len(),
            n_states: path.n_states,
            is_shortest: path.is_shortest,
            goals: intents_of(&self.goal, &is_so),
        };
        let end = self.end(&state);
        Ok((found, end))
    }
}
