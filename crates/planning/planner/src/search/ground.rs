//! What can be called, for the things that matter.

use std::collections::{BTreeMap, BTreeSet};

use regrasp_api::{Fact, HandUse, Kind, ObjectJoint, Operator, SkillCall, SkillSpec};
use regrasp_language::Command;
use serde_json::{Map, Value};

use super::facts::{key, on};
use super::found::{Move, NotFound};
use super::problem::{Act, Place, Problem, says_where};
use super::reasons::About;

/// Makes the calls that may lead to a goal: those that bring about what the goal speaks of, then
/// those that bring about what these need.
pub(crate) struct Grounder<'p, 'a> {
    problem: &'p mut Problem<'a>,
    acts: Vec<Act>,
    /// Facts that are wanted, and were looked for.
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

    pub(crate) fn acts(mut self) -> Result<Vec<Act>, NotFound> {
        let skills = self.problem.request.skills;
        self.taking(skills);
        self.aside(skills);
        while let Some(idx) = self.wanted.pop() {
            if !self.seen.insert(idx) {
                continue;
            }
            let n = self.acts.len();
            for spec in skills {
                for operator in spec.operators {
                    self.achieving(idx, spec, operator);
                }
            }
            if self.acts.len() == n {
                self.by_recipe(idx);
            }
            let atom = &self.problem.atoms[idx];
            let is_unknown = self.acts.len() == n && !atom.is_seen && !atom.is_ground;
            if let (true, Some(Command::Have { fact })) = (is_unknown, &atom.command) {
                return Err(NotFound::Unknown(fact.to_string()));
            }
        }
        Ok(self.acts)
    }

    fn act(&self) -> Act {
        Act {
            holding: None,
            empty_handed: false,
            clear: vec![],
            room: vec![],
            needs: vec![],
            after_moving: vec![],
            shut_in: None,
            moves: None,
            sets: vec![],
            step: None,
        }
    }

    fn may_move(&self, name: &str) -> bool {
        !self.problem.untouched.iter().any(|id| id == name)
    }

    /// What takes things up.
    fn taking(&mut self, skills: &[SkillSpec]) {
        for spec in skills.iter().filter(|s| s.hand == HandUse::Takes) {
            let movers = self.problem.movers.clone();
            for (mover, name) in movers.iter().enumerate() {
                let of = vec![name.clone()];
                let learned = self.learned(&spec.name, &of);
                let (Some(after_moving), true) = (learned, self.may_move(name)) else {
                    continue;
                };
                for operator in spec.operators {
                    let bound = BTreeMap::from([("object".to_owned(), of.clone())]);
                    let mut act = Act {
                        moves: Some((mover, Place::Hand)),
                        after_moving: after_moving.clone(),
                        shut_in: self.shut_in(mover),
                        ..self.act()
                    };
                    if self.with_needs(&mut act, operator, &bound) {
                        self.acts.push(act);
                    }
                }
            }
        }
    }

    /// What something is in that slides, and the fact that this is open.
    fn shut_in(&mut self, mover: usize) -> Option<(usize, u32)> {
        let (holder, true) = self.problem.below[mover].clone()? else {
            return None;
        };
        let slides = self.problem.request.percept.joints.iter();
        let mut slides = slides.filter(|j| j.presses.is_none());
        slides
            .any(|j| j.child.as_str() == holder)
            .then(|| self.open(&holder))
            .flatten()
            .map(|bit| (mover, bit))
    }

    /// The fact that something that slides is open, which is wanted from now on.
    fn open(&mut self, name: &str) -> Option<u32> {
        let command = Command::Slide {
            object: name.to_owned(),
            open: true,
        };
        let idx = self.problem.atom(key(&command), Some(command));
        self.wanted.push(idx);
        self.problem.atoms[idx].bit
    }

    /// What puts things on free spots.
    fn aside(&mut self, skills: &[SkillSpec]) {
        let puts_down = |spec: &&SkillSpec| {
            let brings = |o: &Operator| o.brings.iter().any(|l| l.predicate == "at" && l.holds);
            spec.hand == HandUse::Releases && spec.operators.iter().any(brings)
        };
        let ground = self.problem.ground().unwrap_or_default();
        if !skills.iter().any(|s| puts_down(&s)) {
            return;
        }
        for (mover, name) in self.problem.movers.clone().into_iter().enumerate() {
            if self.problem.is_never(&on(&name, &ground)) {
                continue;
            }
            self.acts.push(Act {
                holding: Some(mover),
                moves: Some((mover, Place::Aside)),
                step: Some(Move::Aside(name)),
                ..self.act()
            });
        }
    }

    /// The ways of a skill to bring a fact about.
    fn achieving(&mut self, idx: usize, spec: &SkillSpec, operator: &Operator) {
        let atom = self.problem.atoms[idx].clone();
        if spec.hand == HandUse::Takes {
            return;
        }
        for literal in operator.brings {
            let Some(bound) = unified(operator, literal.of, &atom.key, literal.predicate) else {
                continue;
            };
            if !self.fits(operator, &bound) {
                continue;
            }
            let named = ["target", "point", "object"]
                .iter()
                .find_map(|name| bound.get(*name));
            let what = named.or(bound.values().next()).cloned().unwrap_or_default();
            let learned = self.learned(&spec.name, &what);
            let Some(after_moving) = learned else {
                continue;
            };
            let mut act = Act {
                after_moving,
                ..self.act()
            };
            if !self.with_needs(&mut act, operator, &bound) {
                continue;
            }
            match (spec.hand, act.holding, atom.bit) {
                (HandUse::Releases, Some(mover), _) => {
                    if self.problem.is_never(&atom.key) {
                        continue;
                    }
                    act.moves = Some((mover, Place::Of(idx as u32)));
                    self.around(&mut act, &atom.command, mover);
                }
                (_, _, Some(bit)) => act.sets.push((bit, literal.holds)),
                _ => continue,
            }
            act.step = Some(step(&atom.command, literal.holds, spec, operator, &bound));
            self.acts.push(act);
        }
    }

    /// What no skill declares, but the planner has a recipe for.
    fn by_recipe(&mut self, idx: usize) {
        let atom = self.problem.atoms[idx].clone();
        let (Some(command), Some(mover)) = (atom.command, atom.mover) else {
            return;
        };
        if !says_where(&command) || matches!(command, Command::Pick { .. }) {
            return;
        }
        let pushed = matches!(command, Command::Shift { .. });
        let mut act = Act {
            holding: (!pushed).then_some(mover),
            empty_handed: pushed,
            moves: Some((mover, Place::Of(idx as u32))),
            ..self.act()
        };
        self.around(&mut act, &Some(command.clone()), mover);
        act.step = Some(Move::Do(command));
        self.acts.push(act);
    }

    /// What stands where something should be put has to go first.
    fn around(&mut self, act: &mut Act, command: &Option<Command>, mover: usize) {
        if let Some(Command::PutAt { object, xy, .. }) = command {
            let near = self.problem.near(object, *xy);
            let movers = near.iter().filter_map(|name| self.problem.mover(name));
            act.after_moving.extend(movers.filter(|m| *m != mover));
        }
        if let Some(Command::PutOn { target, .. } | Command::PutIn { target, .. }) = command {
            let joints = &self.problem.request.percept.joints;
            let mut slides = joints.iter().filter(|j| j.presses.is_none());
            if slides.any(|j| j.child.as_str() == target)
                && let Some(bit) = self.open(&target.clone())
            {
                act.needs.push((bit, true));
            }
        }
    }

    /// What failures taught of a call: what has to be moved before it, or that it cannot be made.
    fn learned(&self, skill: &str, what: &[String]) -> Option<Vec<usize>> {
        let about = About {
            skill: skill.to_owned(),
            what: what.to_owned(),
        };
        if self.problem.reasons.forbidden.contains(&about) {
            return None;
        }
        let before = self.problem.reasons.after_moving.get(&about);
        let before = before.into_iter().flatten();
        Some(before.filter_map(|name| self.problem.mover(name)).collect())
    }

    fn fits(&self, operator: &Operator, bound: &BTreeMap<String, Vec<String>>) -> bool {
        let percept = self.problem.request.percept;
        operator.parameters.iter().all(|(name, kind)| {
            let Some(value) = bound.get(*name).and_then(|values| values.first()) else {
                return false;
            };
            let joint = || percept.joints.iter().find(|j| j.child.as_str() == value);
            match kind {
                Kind::Movable => self.problem.mover(value).is_some(),
                Kind::Thing => self.problem.see(value).is_some(),
                Kind::Opening => joint().is_some_and(ObjectJoint::opens),
                Kind::Setting => joint().is_some_and(ObjectJoint::is_set),
                Kind::Button => joint().is_some_and(|j| j.presses.is_some()),
                Kind::Point => true,
            }
        })
    }

    /// Adds what an operator needs. `false` if that cannot be.
    fn with_needs(
        &mut self,
        act: &mut Act,
        operator: &Operator,
        bound: &BTreeMap<String, Vec<String>>,
    ) -> bool {
        for literal in operator.needs {
            let Some(fact) = literal.fact(bound) else {
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
                    let command = match fact.predicate.as_str() {
                        "open" => Command::Slide {
                            object: first,
                            open: true,
                        },
                        _ => Command::Have { fact: fact.clone() },
                    };
                    let idx = self.problem.atom(fact, Some(command));
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

/// The parameters of an operator for which one of its effects is a fact.
fn unified(
    operator: &Operator,
    of: &[&str],
    fact: &Fact,
    predicate: &str,
) -> Option<BTreeMap<String, Vec<String>>> {
    if fact.predicate != predicate {
        return None;
    }
    let kind = |name: &str| {
        let mut parameters = operator.parameters.iter();
        parameters
            .find(|(own, _)| *own == name)
            .map(|(_, kind)| *kind)
    };
    let mut values = fact.of.as_slice();
    let mut bound = BTreeMap::new();
    for name in of {
        let n = if kind(name)? == Kind::Point { 2 } else { 1 };
        let (own, rest) = values.split_at_checked(n)?;
        bound.insert((*name).to_owned(), own.to_vec());
        values = rest;
    }
    values.is_empty().then_some(bound)
}

/// What carries a call out: the planner's recipe if it has one, else the call itself.
fn step(
    command: &Option<Command>,
    holds: bool,
    spec: &SkillSpec,
    operator: &Operator,
    bound: &BTreeMap<String, Vec<String>>,
) -> Move {
    match command {
        Some(Command::Slide { object, .. }) => Move::Do(Command::Slide {
            object: object.clone(),
            open: holds,
        }),
        Some(command) if !matches!(command, Command::Have { .. }) => Move::Do(command.clone()),
        _ => {
            let has = |name: &str| !spec.args_schema["properties"][name].is_null();
            let args = operator.parameters.iter().filter(|(name, _)| has(name));
            let args: Map<String, Value> = args
                .filter_map(|(name, _)| {
                    Some(((*name).to_owned(), bound.get(*name)?.join(", ").into()))
                })
                .collect();
            Move::Call(SkillCall::new(spec.name.clone(), Value::Object(args)))
        }
    }
}
