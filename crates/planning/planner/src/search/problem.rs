//! Search problem: a goal and a percept with numbered facts.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

use regrasp_api::{Fact, Goal, ObjectId, PerceivedObject, PlanRequest, Point};
use regrasp_language::{Formula, Intent};
use regrasp_relations::{bears, is_inside, support_of};

use super::facts::on;
use super::goal::positive;
use super::reasons::Reasons;
use super::solution::{Move, NoSolution};
use crate::goals::{is_met, occupies, radius_m};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Location {
    /// The perceived place.
    Here,
    Hand,
    /// Out of the way, on the table.
    Aside,
    /// The place of the fact with this number.
    Of(u32),
}

/// Locations of all relevant objects, and other facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) place: Vec<Location>,
    /// One bit for each fact that is not a location.
    pub(crate) bits: Vec<bool>,
}

/// A grounded call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Act {
    /// Object that must be held.
    pub(crate) holding: Option<usize>,
    pub(crate) empty_handed: bool,
    /// Objects on which nothing may lie.
    pub(crate) clear: Vec<String>,
    /// Objects on or in which there must be room for one more.
    pub(crate) room: Vec<String>,
    /// Facts that must be true or false.
    pub(crate) needs: Vec<(usize, bool)>,
    /// Objects that must have been moved before, as learned from failures.
    pub(crate) after_moving: Vec<usize>,
    /// Facts that must be true or false as long as the moved object is at its perceived place: the
    /// drawer around it is open, and a drawer that was in the way is closed.
    pub(crate) from_here: Vec<(usize, bool)>,
    /// The moved object and its new location.
    pub(crate) moves: Option<(usize, Location)>,
    pub(crate) sets: Vec<(usize, bool)>,
    /// Move that a recipe carries out; `None` for a pick, which belongs to the next move.
    pub(crate) step: Option<Move>,
}

/// A fact in the goal or in an act.
#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub(crate) key: Fact,
    pub(crate) intent: Intent,
    /// Indices of the facts that hold at a common place, the intent's own first.
    pub(crate) meets: Vec<usize>,
    /// Number of the object whose location the fact states.
    pub(crate) mover: Option<usize>,
    /// Object that carries the moved one in that location.
    pub(crate) support: Option<String>,
    /// True if the fact holds in the percept. It stays true while its object is not moved.
    pub(crate) is_seen: bool,
    /// True if any place on the table fulfils the fact.
    pub(crate) is_ground: bool,
    /// Bit of the fact, if it is not a location.
    pub(crate) bit: Option<usize>,
}

impl Atom {
    /// Returns true if the fact puts its object back at its perceived position.
    fn is_back(&self) -> bool {
        self.is_seen && matches!(self.intent, Intent::Achieve(Goal::At { .. }))
    }
}

/// Least gap between objects side by side on a fixed object, m.
const APART_M: f64 = 0.03;
/// Largest number of facts in a goal.
const MAX_ATOMS: usize = 4000;

/// Number of a fact in the goal, and true if the goal is its negation. The fact of a joint is that
/// it is open.
pub(crate) type GoalAtom = (usize, bool);

pub(crate) struct Problem<'a> {
    pub(crate) request: &'a PlanRequest<'a>,
    pub(crate) reasons: &'a Reasons,
    pub(crate) goal: Formula,
    /// The goal with numbered facts.
    pub(crate) numbered: Formula<GoalAtom>,
    /// Facts that must not become true at any time.
    never: BTreeSet<Fact>,
    /// Ids of objects that must not be moved.
    pub(crate) untouched: Vec<String>,
    /// Ids of objects that may be moved.
    pub(crate) movers: Vec<String>,
    /// Perceived support of each mover, and true if the mover is inside it.
    pub(crate) below: Vec<Option<(String, bool)>>,
    pub(crate) atoms: Vec<Atom>,
    index: BTreeMap<Fact, usize>,
    n_bits: usize,
    /// Bit of the arm's home position.
    home: Option<usize>,
    pub(crate) acts: Vec<Act>,
    pub(crate) start: State,
}

impl<'a> Problem<'a> {
    /// Creates the problem without any calls.
    pub(super) fn of_goal(
        request: &'a PlanRequest<'a>,
        goal: Formula,
        never: &[Intent],
        untouched: Vec<String>,
        reasons: &'a Reasons,
    ) -> Result<Self, NoSolution> {
        let mut problem = Self {
            request,
            reasons,
            never: never.iter().map(|intent| intent.literal().0).collect(),
            untouched,
            movers: vec![],
            below: vec![],
            atoms: vec![],
            index: BTreeMap::new(),
            n_bits: 0,
            numbered: Formula::All(vec![]),
            home: None,
            acts: vec![],
            start: State::default(),
            goal,
        };
        problem.find_movers(never);
        let n_atoms = problem.goal.atoms().len();
        if n_atoms > MAX_ATOMS {
            return Err(NoSolution::TooLarge(n_atoms));
        }
        let goal = problem.goal.clone();
        let Ok(numbered) = goal.try_map(&mut |intent, so| {
            let atom = (problem.atom(positive(intent)), !intent.literal().1);
            Ok::<_, Infallible>(if so {
                Formula::Is(atom)
            } else {
                Formula::Not(atom)
            })
        });
        problem.numbered = numbered;
        for together in joint_places(&problem.goal) {
            problem.joint(together);
        }
        problem.stepping_stones();
        Ok(problem)
    }

    /// Sets the start state from the held object, the percept, and `so`, the facts of earlier steps
    /// that perception cannot judge.
    pub(super) fn begin(&mut self, so: &BTreeSet<Fact>) {
        let held = self.request.held.map(|held| held.id.as_str());
        let at = |name: &String| match held == Some(name.as_str()) {
            true => Location::Hand,
            false => Location::Here,
        };
        self.start.place = self.movers.iter().map(at).collect();
        self.start.bits = vec![false; self.n_bits];
        for atom in &self.atoms {
            if let Some(bit) = atom.bit {
                self.start.bits[bit] = atom.is_seen || so.contains(&atom.key);
            }
        }
        let home = self.known(&Goal::Home.literal().0);
        self.home = home.and_then(|idx| self.atoms[idx].bit);
    }

    pub(crate) fn see(&self, name: &str) -> Option<&'a PerceivedObject> {
        self.request.percept.object(&ObjectId::new(name))
    }

    pub(crate) fn mover(&self, name: &str) -> Option<usize> {
        self.movers.iter().position(|mover| mover == name)
    }

    /// Finds the objects to move: those of the goal, those that lie on them or at their
    /// destination, and obstacles.
    fn find_movers(&mut self, never: &[Intent]) {
        let mut names: BTreeSet<String> = BTreeSet::new();
        for intent in self.goal.atoms().into_iter().chain(never) {
            names.extend(intent.object().map(str::to_owned));
            names.extend(intent.targets().into_iter().map(str::to_owned));
            match intent.goal() {
                Some(Goal::Declared { fact }) => names.extend(fact.of.iter().cloned()),
                Some(Goal::At {
                    object, position, ..
                }) => {
                    names.extend(self.near(object.as_str(), *position));
                }
                _ => {}
            }
        }
        names.extend(self.reasons.after_moving.values().flatten().cloned());
        names.extend(self.request.held.map(|held| held.id.to_string()));
        loop {
            let n = names.len();
            let objects = &self.request.percept.objects;
            let on_those = objects.iter().filter(|o| {
                let mut below = names.iter().filter_map(|name| self.see(name));
                o.movable
                    && below.any(|below| below.movable && bears(below, o) && !is_inside(o, below))
            });
            let more: Vec<String> = on_those.map(|o| o.id.to_string()).collect();
            names.extend(more);
            if names.len() == n {
                break;
            }
        }
        let percept = self.request.percept;
        let is_mover = |name: &String| percept.is_loose(&ObjectId::new(name));
        self.movers = names.into_iter().filter(is_mover).collect();
        self.below = self.movers.iter().map(|name| self.carrier(name)).collect();
    }

    /// Perceived support or container of an object, and true for a container.
    fn carrier(&self, name: &str) -> Option<(String, bool)> {
        let object = self.see(name)?;
        let on = support_of(self.request.percept, object)?;
        Some((on.id.to_string(), is_inside(object, on)))
    }

    /// Movable objects that are in the way of object `name` at `point`.
    pub(crate) fn near(&self, name: &str, point: Point) -> Vec<String> {
        let [x, y] = point.xy;
        let radius_m = radius_m(self.request.percept, name);
        let others = self.request.percept.objects.iter();
        let near = others.filter(|o| {
            let b = o.aabb_in_world();
            let off = [x, y]
                .iter()
                .enumerate()
                .all(|(i, at)| (b.min[i] - radius_m..=b.max[i] + radius_m).contains(at));
            let is_other = self.request.percept.is_loose(&o.id) && o.id.as_str() != name;
            is_other && off && occupies(self.request.percept, o, name, point)
        });
        near.map(|o| o.id.to_string()).collect()
    }

    /// Adds intermediate places on other objects, for objects that must not be on the table.
    fn stepping_stones(&mut self) {
        let Some(table) = self.table() else {
            return;
        };
        let slides = |id: &ObjectId| self.request.percept.joints.iter().any(|j| &j.child == id);
        let all = self.request.percept.objects.iter();
        let targets = all.filter(|o| o.id.as_str() != table && !slides(&o.id));
        let targets: Vec<String> = targets.map(|o| o.id.to_string()).collect();
        for object in self.movers.clone() {
            if !self.is_never(&on(&object, &table)) {
                continue;
            }
            for target in &targets {
                let key = on(&object, target);
                if object != *target && !self.is_never(&key) {
                    let (object, target) = (object.as_str().into(), target.as_str().into());
                    self.atom(Goal::On { object, target }.into());
                }
            }
        }
    }

    pub(crate) fn table(&self) -> Option<String> {
        let table = self.request.percept.table();
        table.map(|table| table.id.to_string())
    }

    pub(crate) fn is_never(&self, key: &Fact) -> bool {
        self.never.contains(key)
    }

    pub(crate) fn known(&self, key: &Fact) -> Option<usize> {
        self.index.get(key).copied()
    }

    /// Returns the number of a fact, and adds it if it is new.
    pub(crate) fn atom(&mut self, intent: Intent) -> usize {
        let (key, _) = intent.literal();
        if let Some(idx) = self.known(&key) {
            return idx;
        }
        let is_place = constrains_pose(&intent);
        let mover = intent.object().and_then(|object| self.mover(object));
        let support = match intent.goal() {
            Some(Goal::On { target, .. } | Goal::In { target, .. }) => Some(target.to_string()),
            _ => None,
        };
        let bit = (!is_place).then_some(self.n_bits);
        self.n_bits += usize::from(!is_place);
        let idx = self.atoms.len();
        self.index.insert(key.clone(), idx);
        self.atoms.push(Atom {
            is_seen: is_seen(&intent, self.request),
            is_ground: support.is_some() && support == self.table(),
            bit,
            mover: mover.filter(|_| is_place),
            key,
            intent,
            meets: vec![],
            support,
        });
        idx
    }

    /// Adds a fact that combines several facts about the place of one object. Those about a support
    /// come first, and the orientation, which no call achieves at a given place, comes last.
    fn joint(&mut self, mut together: Vec<Intent>) {
        let rank = |intent: &Intent| match intent.goal() {
            Some(Goal::On { .. } | Goal::In { .. } | Goal::Within { .. }) => 0,
            Some(Goal::Upright { .. }) => 2,
            _ => 1,
        };
        together.sort_by_key(rank);
        let of: Vec<usize> = together
            .into_iter()
            .map(|intent| self.atom(intent))
            .collect();
        let Some(first) = of.first() else { return };
        let keys = of.iter().map(|idx| self.atoms[*idx].key.to_string());
        let key = Fact {
            predicate: "and".to_owned(),
            of: keys.collect(),
        };
        let first = self.atoms[*first].clone();
        let joint = Atom {
            key: key.clone(),
            meets: of,
            is_ground: false,
            ..first
        };
        self.index.insert(key, self.atoms.len());
        self.atoms.push(joint);
    }

    pub(crate) fn is_so(&self, state: &State, intent: &Intent) -> bool {
        let (key, holds) = intent.literal();
        let known = self.known(&key);
        known.is_some_and(|idx| self.holds(state, idx) == holds)
    }

    pub(crate) fn holds_as(&self, state: &State, (idx, opposite): GoalAtom) -> bool {
        self.holds(state, idx) != opposite
    }

    fn holds(&self, state: &State, idx: usize) -> bool {
        let atom = &self.atoms[idx];
        if let Some(bit) = atom.bit {
            return state.bits[bit];
        }
        let Some(mover) = atom.mover else {
            return atom.is_seen;
        };
        match (state.place[mover], &atom.intent) {
            (place, Intent::Achieve(Goal::Holding { .. })) => place == Location::Hand,
            (Location::Here, _) => atom.is_seen,
            (Location::Aside, _) => atom.is_ground,
            (Location::Of(at), _) => {
                at as usize == idx || self.atoms[at as usize].meets.contains(&idx)
            }
            _ => false,
        }
    }

    /// Support of an object in a state, and true if the object is inside it.
    pub(crate) fn support<'s>(&'s self, state: &State, mover: usize) -> Option<(&'s str, bool)> {
        match state.place[mover] {
            Location::Here => {
                let below = self.below[mover].as_ref();
                below.map(|(name, inside)| (name.as_str(), *inside))
            }
            Location::Of(idx) => {
                let support = self.atoms[idx as usize].support.as_deref()?;
                Some((support, self.is_hollow(support)))
            }
            Location::Hand | Location::Aside => None,
        }
    }

    pub(crate) fn is_hollow(&self, name: &str) -> bool {
        self.see(name).is_some_and(|o| o.shape.cavity().is_some())
    }

    /// Returns true if nothing lies on an object. Contents do not count.
    pub(crate) fn is_clear(&self, state: &State, name: &str) -> bool {
        (0..self.movers.len()).all(|m| {
            let on = self.support(state, m);
            on.is_none_or(|(support, inside)| support != name || inside)
        })
    }

    /// Returns true if one more object can be put on or in another. A container always has room. A
    /// support takes as many objects as the goal wants there, besides those to which the goals of
    /// the call refer, and a fixed one as many as stand side by side with room for a finger.
    fn has_room(&self, state: &State, name: &str, act: &Act) -> bool {
        let met = match act.moves {
            Some((_, Location::Of(idx))) => self.atoms[idx as usize].meets.as_slice(),
            _ => &[],
        };
        let refers_to = |mover: &str| {
            let mut targets = met.iter().flat_map(|idx| self.atoms[*idx].intent.targets());
            targets.any(|target| target == mover)
        };
        let on_it = (0..self.movers.len()).filter(|m| {
            let on = self.support(state, *m);
            on.is_some_and(|(support, _)| support == name) && !refers_to(&self.movers[*m])
        });
        let n_on_it = on_it.clone().count();
        if n_on_it == 0 || self.is_hollow(name) || n_on_it < wanted_on(&self.goal, name) {
            return true;
        }
        let Some(below) = self.see(name).filter(|o| !o.movable) else {
            return false;
        };
        let size = |o: &PerceivedObject| o.aabb_in_world().size();
        let length_m = size(below).x.max(size(below).y);
        let held = (0..self.movers.len()).filter(|m| state.place[*m] == Location::Hand);
        let widths_m = on_it.chain(held).map(|m| {
            let object = self.see(&self.movers[m]);
            object.map_or(0.0, |o| size(o).x.max(size(o).y) + APART_M)
        });
        widths_m.sum::<f64>() <= length_m + APART_M
    }

    pub(crate) fn can(&self, state: &State, act: &Act) -> bool {
        let mut places = state.place.iter();
        let held = places.position(|place| *place == Location::Hand);
        let in_hand = match act.holding {
            Some(mover) => held == Some(mover),
            None => !act.empty_handed || held.is_none(),
        };
        let mut before = act.after_moving.iter();
        let is_so = |(bit, on): &(usize, bool)| state.bits[*bit] == *on;
        let is_here = |(mover, _): (usize, _)| state.place[mover] == Location::Here;
        in_hand
            && before.all(|m| self.is_out_of_the_way(state, *m, act))
            && act.needs.iter().all(is_so)
            && act.clear.iter().all(|name| self.is_clear(state, name))
            && act.room.iter().all(|name| self.has_room(state, name, act))
            && (!act.moves.is_some_and(is_here) || act.from_here.iter().all(is_so))
    }

    /// Returns true if an object that blocked an act was moved, and not onto the support on which
    /// the act puts another object.
    fn is_out_of_the_way(&self, state: &State, mover: usize, act: &Act) -> bool {
        let target = match act.moves {
            Some((_, Location::Of(idx))) => self.atoms[idx as usize].support.as_deref(),
            _ => None,
        };
        let support = self.support(state, mover).map(|(support, _)| support);
        state.place[mover] != Location::Here && (support.is_none() || support != target)
    }

    pub(crate) fn after(&self, state: &State, act: &Act) -> State {
        let mut next = state.clone();
        if let Some((mover, place)) = act.moves {
            next.place[mover] = match place {
                Location::Of(idx) if self.atoms[idx as usize].is_back() => Location::Here,
                place => place,
            };
        }
        // Every call moves the arm.
        if let Some(bit) = self.home {
            next.bits[bit] = false;
        }
        for (bit, on) in &act.sets {
            next.bits[*bit] = *on;
        }
        next
    }
}

/// Returns true if an intent states where an object is put.
fn is_place(intent: &Intent) -> bool {
    let goal = intent.goal();
    goal.is_some_and(|goal| goal.constrains_pose() && !goal.keeps_hold() && goal.literal().1)
}

/// Groups of intents about the place of one object that a goal requires together.
fn joint_places(goal: &Formula) -> Vec<Vec<Intent>> {
    let Formula::All(of) = goal else {
        let (Formula::Any(of) | Formula::Some { of, .. }) = goal else {
            return vec![];
        };
        return of.iter().flat_map(joint_places).collect();
    };
    let mut by_object: BTreeMap<&str, Vec<Intent>> = BTreeMap::new();
    let (mut all, mut found): (Vec<&Formula>, _) = (of.iter().collect(), vec![]);
    while let Some(part) = all.pop() {
        match part {
            Formula::All(of) => all.extend(of),
            Formula::Is(intent) if is_place(intent) => {
                let object = intent.object().unwrap_or_default();
                by_object.entry(object).or_default().push(intent.clone());
            }
            _ => found.extend(joint_places(part)),
        }
    }
    let is_one = |of: &Vec<Intent>| {
        let goals = || of.iter().filter_map(Intent::goal);
        of.len() > 1 && !goals().any(|a| goals().any(|b| a.is_carried_elsewhere(b)))
    };
    found.extend(by_object.into_values().filter(is_one));
    found
}

/// Largest number of objects that a goal may want on or in another.
fn wanted_on(goal: &Formula, name: &str) -> usize {
    let each =
        |of: &[Formula]| -> Vec<usize> { of.iter().map(|part| wanted_on(part, name)).collect() };
    match goal {
        Formula::Is(Intent::Achieve(Goal::On { target, .. } | Goal::In { target, .. })) => {
            usize::from(target.as_str() == name)
        }
        Formula::Is(_) | Formula::Not(_) => 0,
        Formula::All(of) => each(of).iter().sum(),
        Formula::Any(of) => each(of).into_iter().max().unwrap_or_default(),
        Formula::Some { n, of } => {
            let mut most = each(of);
            most.sort_unstable();
            most.iter().rev().take(*n).sum()
        }
    }
}

/// Returns true if an intent states the location of an object. An object has only one location at a
/// time.
pub(crate) fn constrains_pose(intent: &Intent) -> bool {
    match intent {
        Intent::Achieve(goal) => goal.constrains_pose(),
        Intent::Shift { .. } => true,
        Intent::Turn { .. } => false,
    }
}

/// Returns true if the fact of an intent, without its negation, holds in the percept.
pub(crate) fn is_seen(intent: &Intent, request: &PlanRequest<'_>) -> bool {
    is_met(&positive(intent), request) == Some(true)
}
