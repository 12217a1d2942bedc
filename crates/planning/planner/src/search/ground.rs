//! Grounds the skills: all calls with the relevant objects.

use std::collections::BTreeSet;

use regrasp_api::{Goal, HandUse, Kind, ObjectId, SkillSpec};
use regrasp_language::Intent;

use super::facts::{holding, on};
use super::problem::{Act, Atom, Location, Problem, constrains_pose};
use super::reasons::About;
use super::solution::{Move, NoSolution};
use crate::calls::{Achiever, achievers};
use crate::feedback::{container_of, drawer_joint};

/// Makes the calls that may lead to a goal: first those that achieve its facts, then those that
/// achieve their preconditions.
pub(crate) struct Grounder<'p, 'a> {
    problem: &'p mut Problem<'a>,
    acts: Vec<Act>,
    /// Facts to achieve.
    wanted: Vec<usize>,
    seen: BTreeSet<usize>,
}

impl<'p, 'a> Grounder<'p, 'a> {
    pub(crate) fn new(problem: &'p mut Problem<'a>) -> Self {
        let wanted = (0..problem.atoms.len()).collect();
        Self {
            problem,
            acts: vec![],
            wanted,
            seen: BTreeSet::new(),
        }
    }

    pub(crate) fn acts(mut self) -> Result<Vec<Act>, NoSolution> {
        let skills = self.problem.request.skills;
        self.taking(skills);
        self.aside(skills);
        while let Some(idx) = self.wanted.pop() {
            if !self.seen.insert(idx) {
                continue;
            }
            let n = self.acts.len();
            self.achieving(idx, skills);
            if self.acts.len() == n {
                self.by_recipe(idx);
            }
            let atom = &self.problem.atoms[idx];
            let is_unknown = self.acts.len() == n && !atom.is_seen && !atom.is_ground;
            if let (true, Intent::Achieve(Goal::Declared { fact })) = (is_unknown, &atom.intent) {
                return Err(NoSolution::Unknown(fact.to_string()));
            }
        }
        Ok(self.acts)
    }

    fn taking(&mut self, skills: &[SkillSpec]) {
        for (mover, name) in self.problem.movers.clone().iter().enumerate() {
            let takes = |achiever: &Achiever<'_>| achiever.spec.hand == HandUse::Takes;
            for achiever in achievers((holding(name), true), skills).filter(takes) {
                if self.problem.untouched.contains(name) {
                    continue;
                }
                if let Some(mut act) = self.act_of(&achiever) {
                    act.moves = Some((mover, Location::Hand));
                    act.from_here
                        .extend(self.shut_in(mover).map(|bit| (bit, true)));
                    self.acts.push(act);
                }
            }
        }
    }

    /// Returns the fact that the drawer around an object is open; `None` if it is in no drawer.
    fn shut_in(&mut self, mover: usize) -> Option<usize> {
        let (holder, true) = self.problem.below[mover].clone()? else {
            return None;
        };
        self.open_drawer(&holder)
    }

    /// Returns the fact that a drawer is open, and adds it to the facts to achieve; `None` for an
    /// object that is no drawer.
    fn open_drawer(&mut self, name: &str) -> Option<usize> {
        let id = ObjectId::new(name);
        drawer_joint(self.problem.request.percept, &id).and_then(|_| self.open(name))
    }

    /// Returns the fact that a joint is open, as far as the task says, and adds it to the facts to
    /// achieve.
    fn open(&mut self, name: &str) -> Option<usize> {
        let (object, open) = (name.into(), true);
        let is_own =
            |goal: &&Goal| matches!(goal, Goal::OpenBy { object: own, .. } if *own == object);
        let atoms = self.problem.atoms.iter();
        let mut goals = atoms.filter_map(|atom| atom.intent.goal());
        let own = goals.find(is_own).cloned();
        let goal = own.unwrap_or(Goal::Slid { object, open });
        let idx = self.problem.atom(goal.into());
        self.wanted.push(idx);
        self.problem.atoms[idx].bit
    }

    /// Adds the calls that put objects out of the way.
    fn aside(&mut self, skills: &[SkillSpec]) {
        let ground = self.problem.table().unwrap_or_default();
        for (mover, name) in self.problem.movers.clone().into_iter().enumerate() {
            let (fact, holds) = Goal::aside(name.as_str().into()).literal();
            let releases = |achiever: &Achiever<'_>| achiever.spec.hand == HandUse::Releases;
            let is_possible = achievers((fact, holds), skills).any(|achiever| releases(&achiever));
            if !is_possible || self.problem.is_never(&on(&name, &ground)) {
                continue;
            }
            self.acts.push(Act {
                holding: Some(mover),
                moves: Some((mover, Location::Aside)),
                step: Some(Move::Aside(name)),
                ..Act::default()
            });
        }
    }

    fn achieving(&mut self, idx: usize, skills: &[SkillSpec]) {
        let atom = self.problem.atoms[idx].clone();
        for holds in [true, false] {
            for achiever in achievers((atom.intent.literal().0, holds), skills) {
                let takes = achiever.spec.hand == HandUse::Takes;
                let is_joint = !atom.meets.is_empty();
                if takes || is_joint && !achiever.meets() || !self.fits(&achiever) {
                    continue;
                }
                let Some(mut act) = self.act_of(&achiever) else {
                    continue;
                };
                match (achiever.spec.hand, act.holding, atom.bit) {
                    (HandUse::Releases, Some(mover), _) if !self.is_never(&atom) => {
                        act.moves = Some((mover, self.place_of(idx)));
                        act.sets.extend(atom.bit.map(|bit| (bit, holds)));
                        for intent in self.intents(&atom) {
                            self.around(&mut act, &intent, mover);
                        }
                    }
                    (HandUse::Releases, Some(_), _) => continue,
                    (HandUse::Empty, None, _) if self.is_not_taken(&atom) => {
                        let mover = atom.mover.or(self.mover_aside(&atom));
                        act.moves = mover.map(|mover| (mover, self.place_of(idx)));
                        act.sets.extend(atom.bit.map(|bit| (bit, holds)));
                        act.step = Some(Move::Call(achiever.call()));
                        self.acts.push(act);
                        continue;
                    }
                    (HandUse::Empty, ..) if self.mover_aside(&atom).is_some() => continue,
                    (_, _, Some(bit)) => act.sets.push((bit, holds)),
                    _ => continue,
                }
                // Use the planner's own recipe if there is one, otherwise the call itself.
                act.step = Some(match &atom.intent {
                    Intent::Achieve(Goal::Declared { fact }) => match act.moves {
                        Some((_, Location::Aside)) => Move::Aside(fact.of.concat()),
                        _ => Move::Call(achiever.call()),
                    },
                    Intent::Achieve(Goal::Slid { object, .. }) => {
                        let (object, open) = (object.clone(), holds);
                        Intent::from(Goal::Slid { object, open }).into()
                    }
                    intent => Move::Do {
                        intent: intent.clone(),
                        meeting: self
                            .intents(&atom)
                            .iter()
                            .skip(1)
                            .filter_map(Intent::goal)
                            .cloned()
                            .collect(),
                    },
                });
                self.acts.push(act);
            }
        }
    }

    /// Intents of a fact; several if it combines facts about one place.
    fn intents(&self, atom: &Atom) -> Vec<Intent> {
        let all = atom
            .meets
            .iter()
            .map(|idx| &self.problem.atoms[*idx].intent);
        match atom.meets.as_slice() {
            [] => vec![atom.intent.clone()],
            _ => all.cloned().collect(),
        }
    }

    fn is_never(&self, atom: &Atom) -> bool {
        let mut intents = self.intents(atom).into_iter();
        intents.any(|intent| self.problem.is_never(&intent.literal().0))
    }

    /// Location of an object that makes a fact true.
    fn place_of(&self, idx: usize) -> Location {
        match self.mover_aside(&self.problem.atoms[idx]) {
            Some(_) => Location::Aside,
            None => Location::Of(idx as u32),
        }
    }

    /// Returns the object that a fact states to be out of the way; `None` for other facts.
    fn mover_aside(&self, atom: &Atom) -> Option<usize> {
        let mut movers = self.problem.movers.iter();
        movers.position(|name| atom.key == Goal::aside(name.as_str().into()).fact())
    }

    /// Returns true if a fact is about an object that may be moved, but that no skill can grasp.
    fn is_not_taken(&self, atom: &Atom) -> bool {
        let taken = |mover: usize| {
            let in_hand = Some((mover, Location::Hand));
            self.acts.iter().any(|act| act.moves == in_hand)
        };
        let may_be_moved = |mover: usize| {
            let name = &self.problem.movers[mover];
            !self.problem.untouched.contains(name) && !self.is_never(atom)
        };
        let mover = atom.mover.or(self.mover_aside(atom));
        mover.is_some_and(|mover| may_be_moved(mover) && !taken(mover))
    }

    /// Creates a call with its declared and learned preconditions; `None` if it is infeasible.
    fn act_of(&mut self, achiever: &Achiever<'_>) -> Option<Act> {
        let about = About::of(&achiever.call());
        let closed = about
            .as_ref()
            .and_then(|about| self.problem.reasons.after_closing.get(about));
        let closed = closed
            .into_iter()
            .flatten()
            .filter_map(|part| self.open(part));
        let closed = closed.map(|bit| (bit, false)).collect();
        let (needs, from_here) = match achiever.spec.hand {
            HandUse::Takes => (vec![], closed),
            _ => (closed, vec![]),
        };
        let mut act = Act {
            after_moving: self.learned(about)?,
            needs,
            from_here,
            ..Act::default()
        };
        self.with_needs(&mut act, achiever).then_some(act)
    }

    /// Adds a call that no skill declares, but for which the planner has a recipe.
    fn by_recipe(&mut self, idx: usize) {
        let atom = self.problem.atoms[idx].clone();
        let (intent, Some(mover)) = (atom.intent, atom.mover) else {
            return;
        };
        if !atom.meets.is_empty()
            || !constrains_pose(&intent)
            || matches!(intent.goal(), Some(Goal::Holding { .. }))
        {
            return;
        }
        let pushed = matches!(intent, Intent::Shift { .. });
        let mut act = Act {
            holding: (!pushed).then_some(mover),
            empty_handed: pushed,
            moves: Some((mover, Location::Of(idx as u32))),
            ..Act::default()
        };
        self.around(&mut act, &intent, mover);
        act.step = Some(intent.into());
        self.acts.push(act);
    }

    /// Adds preconditions of a placement: obstacles at the point are moved first, and a target
    /// drawer is open.
    fn around(&mut self, act: &mut Act, intent: &Intent, mover: usize) {
        let goal = intent.goal();
        if let Some(Goal::At {
            object, position, ..
        }) = goal
        {
            let near = self.problem.near(object.as_str(), *position);
            let movers = near.iter().filter_map(|name| self.problem.mover(name));
            act.after_moving.extend(movers.filter(|m| *m != mover));
        }
        let percept = self.problem.request.percept;
        let is_onto = matches!(
            goal,
            Some(Goal::On { .. } | Goal::In { .. } | Goal::Within { .. })
        );
        let targets = intent.targets().into_iter();
        let opened: Vec<String> = targets
            .filter(|_| constrains_pose(intent))
            .flat_map(|o| [is_onto.then(|| o.to_owned()), container_of(percept, o)])
            .flatten()
            .collect();
        for whole in opened {
            let open = self.open_drawer(&whole);
            act.needs.extend(open.map(|bit| (bit, true)));
        }
    }

    /// Returns the objects that must be moved before a call, as learned from failures; `None` if
    /// the call is infeasible.
    fn learned(&self, about: Option<About>) -> Option<Vec<usize>> {
        let Some(about) = about else {
            return Some(vec![]);
        };
        if self.problem.reasons.forbidden.contains(&about) {
            return None;
        }
        let before = self.problem.reasons.after_moving.get(&about);
        let before = before.into_iter().flatten();
        Some(before.filter_map(|name| self.problem.mover(name)).collect())
    }

    fn fits(&self, achiever: &Achiever<'_>) -> bool {
        let is_mover = |name: &str| {
            let value = achiever.bound.get(name).and_then(|values| values.first());
            value.is_some_and(|value| self.problem.mover(value).is_some())
        };
        let mut parameters = achiever.operator.parameters.iter();
        achiever.fits(self.problem.request.percept)
            && parameters.all(|(name, kind)| *kind != Kind::Movable || is_mover(name))
    }

    /// Adds the preconditions of a call. Returns false if they are impossible.
    fn with_needs(&mut self, act: &mut Act, achiever: &Achiever<'_>) -> bool {
        let object = achiever.bound.get("object").and_then(|of| of.first());
        let mover = object.map(|object| self.problem.mover(object));
        match (achiever.spec.hand, mover) {
            (HandUse::Takes | HandUse::Empty, _) => act.empty_handed = true,
            (HandUse::Releases | HandUse::Keeps, Some(Some(mover))) => act.holding = Some(mover),
            (HandUse::Releases | HandUse::Keeps, Some(None)) => return false,
            _ => {}
        }
        for literal in achiever.operator.needs {
            let Some(fact) = literal.fact(&achiever.bound) else {
                return false;
            };
            let first = fact.of.first().cloned().unwrap_or_default();
            match (literal.predicate, literal.holds) {
                ("hand_empty", true) => act.empty_handed = true,
                ("holding", true) => match self.problem.mover(&first) {
                    Some(mover) => act.holding = Some(mover),
                    None => return false,
                },
                ("clear", true) => act.clear.push(first),
                ("room", true) => act.room.push(first),
                (_, holds) => {
                    let idx = self.problem.atom(Goal::from(fact).into());
                    self.wanted.push(idx);
                    match self.problem.atoms[idx].bit {
                        Some(bit) => act.needs.push((bit, holds)),
                        None => return false,
                    }
                }
            }
        }
        true
    }
}
