//! Clauses: actions, objects that must not be touched, and conditions on the scene after the
//! previous steps: "if the bowl is empty".

use std::collections::BTreeSet;

use regrasp_api::{Goal, PerceivedObject};

use crate::ast::{Action, Clause, Condition, Determiner, Modified, Modifier, Node, NounPhrase, Np};
use crate::clauses::also;
use crate::context::PhraseMeaning;
use crate::formula::{Formula, Intent, alone_or, placed};
use crate::phrases::plain;
use crate::reader::Reader;
use crate::referent::{self, Destination, How, Meant, ReadingError, Referent, Resolved};
use crate::related::Sense;
use crate::sentences::TaskBuilder;
use crate::task::{Step, ways};
use crate::tree::Tree;

/// Question about an alternative without a first choice.
const INSTEAD: &str = "_: instead of what?";

/// Alternatives of each choice in a step, as ids of objects.
fn choices(step: &Step) -> Vec<Vec<BTreeSet<&str>>> {
    match step {
        Step::Goal(formula) => choices_in(formula),
        Step::Tower { n, of, .. } if *n < of.len() => {
            vec![of.iter().map(|id| BTreeSet::from([id.as_str()])).collect()]
        }
        Step::Tower { .. } | Step::Swap { .. } => vec![],
    }
}

fn choices_in(formula: &Formula) -> Vec<Vec<BTreeSet<&str>>> {
    match formula {
        Formula::Is(_) | Formula::Not(_) => vec![],
        Formula::All(of) => of.iter().flat_map(choices_in).collect(),
        Formula::Any(of) | Formula::Some { of, .. } => vec![of.iter().map(ids_in).collect()],
    }
}

fn ids_in(formula: &Formula) -> BTreeSet<&str> {
    let atoms = formula.atoms().into_iter();
    let ids = atoms.flat_map(|own| own.object().into_iter().chain(own.targets()));
    ids.collect()
}

impl TaskBuilder<'_> {
    pub(super) fn clause(&mut self, action: &Action) -> Resolved<()> {
        match &action.is {
            Clause::If { .. } => self.conditional(action),
            Clause::Never { clause } => {
                // "it" may stand for an object that is only named in the ban.
                let steps = self.reader.action(clause)?;
                let never: Vec<_> = steps.iter().flat_map(Step::intents).cloned().collect();
                // Steps such as letting go are not facts, and an object on a joint is never put
                // down.
                let hangs = |thing| self.reader.joint(&thing).is_some();
                let is_put_down = |intent: &Intent| {
                    let constrains_pose = intent.goal().is_some_and(Goal::constrains_pose);
                    constrains_pose && intent.thing().is_some_and(hangs)
                };
                if never.is_empty() || never.iter().any(is_put_down) {
                    return Err(self.reader.nonsense(&clause.tree, "_ cannot be forbidden"));
                }
                if never.iter().any(|intent| self.reader.is_so(intent)) {
                    return Err(self.reader.nonsense(&clause.tree, "_: it holds already"));
                }
                self.terms.never.extend(never);
                self.terms.has_condition = true;
                Ok(())
            }
            Clause::NoneThere { np, at, other } => {
                let (steps, never) = self.reader.none_there(np, at, other)?;
                self.terms.never.extend(never);
                self.terms.has_condition = true;
                self.last = None;
                self.steps.push(steps);
                Ok(())
            }
            Clause::Forbid { np } => self.forbid(np),
            Clause::ForbidRest => {
                self.terms.rest_untouched = true;
                Ok(())
            }
            Clause::InManner { manner, clause } => {
                self.terms.manner = manner.means.parse().ok();
                self.clause(clause)
            }
            Clause::Sorted { clause, order } => {
                let n = self.steps.len();
                self.reader.context.order = Some(order.clone());
                self.clause(clause)?;
                // A row or a stack applies the order itself. Otherwise the steps are sorted by it.
                if self.reader.context.order.take().is_some() {
                    let steps = self.steps.drain(n..).flatten().collect();
                    self.steps.push(self.reader.steps_sorted(order, steps)?);
                }
                Ok(())
            }
            Clause::InOrder { first, second } => {
                self.clause(first)?;
                self.clause(second)
            }
            _ => self.act(action),
        }
    }

    /// Reads the action or the alternative, whichever the condition demands.
    fn conditional(&mut self, action: &Action) -> Resolved<()> {
        let Clause::If {
            not,
            condition,
            then,
            otherwise,
            after,
        } = &action.is
        else {
            return self.act(action);
        };
        // In "if there is a ball on the plate", the place belongs to the condition.
        let starts = |part: &Tree| part.name() == "Verbless" && part.from == condition.tree.to;
        if then.tree.has(&starts) {
            return Err(self.reader.nonsense(&then.tree, "what is done with _?"));
        }
        let mut reader = self.reader.clone();
        let answer = after.as_ref().and_then(|_| {
            let _ = reader.action(then);
            reader.clone().condition(condition).ok()
        });
        let holds = match answer {
            Some(holds) => holds,
            None => self.reader.condition(condition)?,
        };
        // In "put it in the pot if it is on the stove", the pot may be meant as well.
        let context = &mut reader.context;
        context.moved.extend(context.mentioned.last().cloned());
        if answer == Some(false)
            && condition.tree.has(&|part| part.name() == "Pronoun")
            && reader.condition(condition) == Ok(true)
        {
            let question = "_: which object is meant, the moved one or its place?";
            return Err(reader.unclear(&condition.tree, question));
        }
        self.in_case(holds == not.is_none(), then, otherwise.as_ref())
    }

    pub(super) fn act(&mut self, action: &Action) -> Resolved<()> {
        let mut reader = self.reader.clone();
        self.last = Some((action.tree.clone(), reader.context.clone()));
        let steps = reader.action(action);
        let is_new = reader.context.moved.last().is_some_and(|m| m.is_new);
        let puts = |step: &Step| placed(step.intents()).is_some();
        let both = match &steps {
            Ok(_) if is_new => self.with_other(action).ok().flatten().filter(puts),
            Ok(steps) => self.with_chosen(action, steps)?,
            Err(_) => self.with_other(action)?,
        };
        if let Some(both) = both {
            self.steps.pop();
            self.steps.push(vec![both]);
            if steps.is_ok() {
                self.reader = reader;
            }
            return Ok(());
        }
        let carried = std::mem::take(&mut reader.context.carried);
        let steps = also(steps?, |intent| {
            let own = placed([intent])?.pop_first()?;
            let ids = [vec![own], intent.targets()].concat();
            let is_on_it = |goal: &&Goal| ids.contains(&goal.objects()[1].as_str());
            carried.iter().find(is_on_it).cloned()
        });
        reader.refuse_fixed(&steps)?;
        reader.expect(&steps);
        self.reader = reader;
        self.steps.push(steps);
        self.at_once(action)
    }

    /// Joins "put the cube on the table" and "left of the plate" to one place of the same objects,
    /// unless a word says an order.
    fn at_once(&mut self, action: &Action) -> Resolved<()> {
        if let Clause::GoOnTo { place } = &action.is
            && let [.., first, second] = self.steps.as_slice()
            && !self.reader.says_order(action.tree.from, place.tree.from)
        {
            let both = match self.reader.at_once(&action.tree, [first, second]) {
                Err(ReadingError::Unclear(_)) => return Ok(()),
                both => both?,
            };
            self.reader.expect(&both);
            self.steps.truncate(self.steps.len() - 2);
            self.steps.push(both);
        }
        Ok(())
    }

    /// Reads "and the other on the plate" or "and one on the plate" after "put one mug in the
    /// tray". The second mug depends on the choice of the first, so both become one step, in any
    /// feasible combination.
    fn with_other(&self, action: &Action) -> Resolved<Option<Step>> {
        let first = self.steps.last().and_then(|steps| ways(steps));
        let Some(first) = first.filter(|ways| ways.len() > 1) else {
            return Ok(None);
        };
        let alternatives = first.into_iter().map(|first| {
            let taken = first.iter().flat_map(Formula::atoms).map(Intent::object);
            let Some(taken) = taken.collect::<Option<Vec<&str>>>() else {
                return Ok(None);
            };
            let atoms = first.iter().flat_map(Formula::atoms);
            let targets: Vec<_> = atoms.flat_map(Intent::targets).collect();
            let mut reader = self.reader.clone();
            reader.context.decide(&taken);
            reader.context.decide(&targets);
            let chosen: Vec<_> = first.iter().cloned().map(Step::Goal).collect();
            reader.expect(&chosen);
            let steps = reader.action(action)?;
            reader.refuse_fixed(&steps)?;
            let mut objects = steps.iter().flat_map(Step::intents).map(Intent::object);
            let is_other = objects.all(|id| id.is_none_or(|id| !taken.contains(&id)));
            let formulas = steps.iter().map(|step| step.formula().cloned());
            let both = first.iter().cloned().map(Some).chain(formulas);
            let both = both.collect::<Option<_>>().map(Formula::All);
            Ok(both.filter(|_| is_other))
        });
        let alternatives: Vec<Resolved<Option<Formula>>> = alternatives.collect();
        if alternatives.iter().all(Result::is_err)
            && let Some(Err(why @ ReadingError::Impossible(_))) = alternatives.first()
        {
            return Err(why.clone());
        }
        let all = alternatives.into_iter().map(|own| own.ok().flatten());
        let all = all.collect::<Option<_>>();
        Ok(all.map(|all| Step::Goal(Formula::Any(all))))
    }

    /// Reads "and move it to the left" after "put a mug in the tray". The pronoun means the mug
    /// that the earlier step chose, so both become one step. Asks which object is meant if not.
    fn with_chosen(&self, action: &Action, steps: &[Step]) -> Resolved<Option<Step>> {
        let mut chosen: BTreeSet<&str> = BTreeSet::new();
        for of in steps.iter().flat_map(choices) {
            let is_open = |id: &&str| !of.iter().all(|ids| ids.contains(id));
            chosen.extend(of.iter().flatten().copied().filter(is_open));
        }
        let chooses = |steps: &Vec<Step>| {
            let mut ids = steps.iter().flat_map(choices).flatten().flatten();
            ids.any(|id| chosen.contains(id))
        };
        let is_it = |part: &Tree| part.name() == "Pronoun";
        let idx = self.steps.iter().rposition(chooses);
        let Some(idx) = idx.filter(|_| action.tree.has(&is_it)) else {
            return Ok(None);
        };
        // A step that only takes an object up belongs to the next one.
        let both = [&self.steps[idx], steps].concat();
        if self.steps[idx] == steps || self.settled(&both).len() < both.len() {
            return Ok(None);
        }
        if idx + 1 == self.steps.len()
            && let Some(both) = self.with_other(action)?
        {
            return Ok(Some(both));
        }
        let is_own = |own: &&PhraseMeaning| {
            own.means.len() > 1 && own.means.iter().all(|id| chosen.contains(id.as_str()))
        };
        let meanings = self.reader.context.meanings.iter();
        let (phrase, ids) = match meanings.rev().find(is_own) {
            Some(own) => (own.phrase.clone(), own.means.clone()),
            None => (
                String::new(),
                chosen.into_iter().map(str::to_owned).collect(),
            ),
        };
        let candidates = ids.into_iter().map(|id| Referent::Object(id.into()));
        Err(ReadingError::Several {
            phrase,
            candidates: candidates.collect(),
        })
    }

    /// Reads "or in the bowl" after "put the cube on the plate": whichever is feasible.
    pub(super) fn or_else(&mut self, tree: &Tree, clauses: &[Action]) -> Resolved<()> {
        // In "in A, in B or in C", the comma is an "or", too.
        let is_listed =
            |last: &Tree| last.name() == "GoOnTo" && self.reader.tokens[last.from].is_pause();
        let is_next =
            matches!(&self.last, Some((last, _)) if last.to == tree.from && !is_listed(last));
        let first = self.steps.pop().filter(|_| is_next);
        let mut all = vec![first.ok_or_else(|| self.reader.unclear(tree, INSTEAD))?];
        for clause in clauses {
            self.clause(clause)?;
            all.extend(self.steps.pop());
        }
        let mut ways = vec![];
        for steps in all {
            let own = self::ways(&steps).ok_or_else(|| self.reader.unclear(tree, INSTEAD))?;
            ways.extend(own.into_iter().map(|way| alone_or(way, Formula::All)));
        }
        self.steps.push(vec![Step::Goal(Formula::Any(ways))]);
        Ok(())
    }

    pub(super) fn forbid(&mut self, np: &Np) -> Resolved<()> {
        let meant = self.reader.np(np)?;
        let is_all = matches!(np.is, NounPhrase::Everything { .. }) && meant.how == How::All;
        let names = meant.things.iter().map(Referent::name);
        match meant.is_rest || is_all {
            true => self.terms.rest_untouched = true,
            false => self.terms.untouched.extend(names),
        }
        Ok(())
    }

    /// Reads the action if its condition holds, otherwise the alternative.
    fn in_case(&mut self, is_so: bool, then: &Action, otherwise: Option<&Action>) -> Resolved<()> {
        if is_so {
            return self.clause(then);
        }
        // An alternative that is only a place is for the objects of the first action.
        let mut imagined = self.clone();
        let done = imagined.clause(then);
        let before = std::mem::replace(&mut self.reader, imagined.reader).context;
        let context = &mut self.reader.context;
        (context.expected, context.placed) = (before.expected, before.placed);
        (context.carried_by, context.center) = (before.carried_by, None);
        match otherwise {
            None => {
                self.terms.has_condition = true;
                Ok(())
            }
            Some(place) if matches!(place.is, Clause::GoOnTo { .. }) => {
                done.and_then(|()| self.clause(place))
            }
            Some(action) => self.clause(action),
        }
    }
}

impl Reader<'_> {
    /// Rejects steps that carry fixed objects, or objects on a joint.
    fn refuse_fixed(&self, steps: &[Step]) -> Resolved<()> {
        use Goal::{Holding, OpenBy, Pressed, Slid};
        let carried = |step: &&Step| match step.intent() {
            // A goal on a joint carries nothing, and the skill decides what can be picked.
            Some(Intent::Achieve(goal)) => !matches!(
                goal,
                Holding { .. } | OpenBy { .. } | Pressed { .. } | Slid { .. }
            ),
            other => !matches!(other, Some(Intent::Turn { .. })),
        };
        let is_carried = |id: &str| steps.iter().filter(carried).any(|step| step.moves(id));
        let hangs = |o: &PerceivedObject| self.joint(&Referent::of(o)).is_some();
        let mut fixed = self.objects().filter(|o| !o.movable || hangs(o));
        match fixed.find(|o| is_carried(o.id.as_str())) {
            Some(PerceivedObject { id, movable, .. }) if *movable => {
                let why = format!("{id} moves on a joint and cannot be carried");
                Err(ReadingError::Impossible(why))
            }
            Some(object) => Err(ReadingError::fixed(&object.id)),
            None => Ok(()),
        }
    }

    /// Returns true if a condition holds after the previous steps.
    pub(crate) fn condition(&mut self, condition: &Node<Condition>) -> Resolved<bool> {
        self.context.is_after = true;
        let (holds, not) = match &condition.is {
            Condition::Is { np, not, quality } => (self.is_so_now(np, quality), not),
            Condition::Exists { np, not } => (self.exists(np), not),
        };
        self.context.is_after = false;
        Ok(holds? != not.is_some())
    }

    fn is_so_now(&mut self, np: &Np, quality: &Modified) -> Resolved<bool> {
        match &quality.is {
            Modifier::State { word } => self.is_in_state(np, &word.means),
            Modifier::Related {
                relation,
                np: other,
            } => self.is_at(np, &relation.means, other),
            _ => {
                let thing = self.one(np)?;
                self.context.refer_to(&thing);
                self.is_such(&thing, quality)
            }
        }
    }

    fn is_in_state(&mut self, np: &Np, state: &str) -> Resolved<bool> {
        // In "put it into the box if it is empty", "it" must be hollow.
        let is_filled = matches!(state, "empty" | "full");
        // In "put it into the drawer if it is open", "it" must have a joint.
        let is_it = matches!(np.is, NounPhrase::Pronoun { .. });
        let can_be = |t: &Referent| is_it && !self.parts_with(t, state).is_empty();
        let earlier = || self.context.earlier().filter_map(Meant::single);
        let found = earlier().find(|thing| can_be(thing)).cloned();
        let thing = match found {
            Some(thing) => Ok(thing),
            None => self.one_there(np, [is_filled; 2]),
        };
        if let Err(ReadingError::Nonsense(_) | ReadingError::Several { .. }) = thing
            && let Ok(mut all) = self.np(np)
        {
            let is_so = all.fits(|t| self.is_state(t, state));
            if all.is_any() {
                // "If any drawer is open, close it" is about each that is open.
                all.things.retain(|t| self.is_state(t, state));
                self.context.slid = Some(Meant::all(all.things.clone()));
            }
            self.context.moved.push(all);
            return Ok(is_so);
        }
        let thing = thing?;
        self.context.place = Some(Destination::to(thing.clone()));
        self.context.refer_to(&thing);
        Ok(self.is_state(&thing, state))
    }

    /// Returns true if "the cube is on the plate" holds, or "all cubes are on the plate". A side is
    /// the direction alone, at any distance.
    fn is_at(&mut self, np: &Np, relation: &str, other: &Np) -> Resolved<bool> {
        // "anything" may mean all objects or any.
        let those = match np.is {
            NounPhrase::Everything { .. } => Meant::one(self.one(np)?),
            _ => self.np(np)?,
        };
        let (relation, others) = match self.clone().top_of(relation, other) {
            Some(top) => ("on", top),
            None => (plain(relation), self.whole_or(other)?),
        };
        let is_moved = |t: &Referent| self.context.placed.contains(t.id());
        let is_carried = |t: &Referent| self.context.carried_by.contains_key(t.id());
        let are_whole = others.things.iter().all(|t| t.zone().is_none());
        let rests = matches!(relation, "on" | "in");
        let is_known = |thing: &Referent| match rests && are_whole {
            true => is_carried(thing) || !is_moved(thing),
            false => !is_moved(thing) && !others.things.iter().any(is_moved),
        };
        if !those.things.iter().all(is_known) {
            return Err(self.unclear(&np.tree, "where is _ after the previous steps?"));
        }
        if rests {
            self.context.place = Some(Destination::at(relation, others.clone()));
        }
        let sense = match self.scene.viewpoint.direction(relation) {
            Some(_) => Sense::Loose,
            None => Sense::Strict,
        };
        let is_at = |thing: &Referent, other: &Referent| {
            let object = self.object(thing);
            object.is_some_and(|o| self.related(relation, o, other, sense))
                || rests && self.is_over(thing, other)
        };
        let there = referent::those(&those.things, |t| others.fits(|other| is_at(t, other)));
        let n = there.len();
        match those.single() {
            Some(thing) => self.context.refer_to(thing),
            // "If a cube is there, take it" is about one of those that are there.
            None if those.is_any() => self.context.moved.push(those.clone().with(there)),
            None => self.context.moved.push(those.clone()),
        }
        Ok(match those.how {
            How::Any(least) if those.is_exact => n == least,
            How::Any(least) => n >= least,
            How::The | How::All => n == those.things.len(),
        })
    }

    fn exists(&mut self, np: &Np) -> Resolved<bool> {
        let n = self.context.mentioned.len();
        match self.np(np) {
            Ok(mut meant) => {
                // "If there are any cubes" speaks of all cubes, even if there is only one.
                if matches!(np.is.det(), Some(Determiner::A))
                    && self.lexicon.are_plural(&meant.noun)
                {
                    meant.how = How::All;
                }
                self.context.moved.push(meant);
                Ok(true)
            }
            Err(ReadingError::None(_) | ReadingError::Unseen { .. }) => {
                // In "if nothing is on the plate, put it there", the plate is what was named.
                let named = self.context.mentioned.iter().skip(n).last();
                self.context.moved.extend(named.cloned());
                let [quals, _] = np.is.modifiers();
                self.context.mentioned.push(Meant {
                    colors: quals.iter().flat_map(|qual| qual.is.colors()).collect(),
                    ..Meant::called(self.noun_of(np))
                });
                Ok(false)
            }
            Err(ReadingError::Several { .. }) => Ok(true),
            Err(error) => Err(error),
        }
    }
}
