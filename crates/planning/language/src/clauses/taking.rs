//! Clauses that take objects, and clauses that clear.

use std::cmp::Reverse;
use std::rc::Rc;

use regrasp_api::PerceivedObject;
use regrasp_relations::{is_inside, is_supported_by};

use crate::ast::{LocationNode, NounPhrase, Np, Word};
use crate::clauses::onto::goal;
use crate::formula::Intent;
use crate::reader::{Meaning, Reader};
use crate::referent::{Destination, How, Meant, ReadingError, Referent, Resolved, list, those};
use crate::related::Sense;
use crate::task::{Step, Steps};
use crate::tree::Tree;

impl Reader<'_> {
    /// Reads the moved objects, for which "it" stands from now on.
    pub(crate) fn moved(&mut self, np: &Np) -> Meaning {
        let is_first = self.context.moved.is_empty();
        let meant = self.np(np).map_err(|error| match error {
            ReadingError::Unseen { name, .. } => ReadingError::Unseen {
                name,
                moved: is_first,
            },
            error => error,
        })?;
        if meant.is_rest {
            return Err(self.unclear(&np.tree, "what exactly is _?"));
        }
        let meant = self.free(np, meant);
        let is_stack =
            matches!(np.is, NounPhrase::Pronoun { .. }) || self.stack_called(np).is_some();
        self.context.moves_stack |= is_stack && self.context.stacked.as_ref() == Some(&meant);
        self.context.moved.push(meant.clone());
        Ok(meant)
    }

    /// Keeps the objects that a hand can carry, if there are any: "something" and "everything" mean
    /// these.
    fn free(&self, np: &Np, meant: Meant) -> Meant {
        let free = those(&meant.things, |thing| self.joint(thing).is_none());
        let is_list = matches!(np.is, NounPhrase::And { .. } | NounPhrase::Or { .. });
        match is_list || free.is_empty() {
            true => meant,
            false => meant.with(free),
        }
    }

    pub(super) fn pick(&mut self, np: &Np) -> Steps {
        let tree = &np.tree;
        let meant = self.moved(np)?;
        if let Some(Referent::Zone(..)) = meant.things.first() {
            return Err(self.nonsense(tree, "_: a place cannot be picked up"));
        }
        let n = meant.things.len();
        if n > 1 && meant.how != How::Any(1) {
            return Err(self.nonsense(tree, format!("_: one hand cannot hold {n} objects at once")));
        }
        if meant.single().is_some_and(|t| self.joint(t).is_some()) {
            return Err(self.nonsense(tree, "_: it moves on a joint and cannot be picked up"));
        }
        self.each_is(&meant, "holding", &[])
    }

    pub(super) fn take_from(&mut self, np: &Np, from: &Np, place: Option<&LocationNode>) -> Steps {
        let (meant, whole) = self.taken(np, from)?;
        self.context.place = Some(Destination::at("to", whole.clone()));
        match (place, whole.single()) {
            (Some(place), _) => {
                let steps = self.put(&meant, place);
                steps.map(|steps| self.leaving_too(steps, &whole.things))
            }
            (None, Some(whole)) => self.off(&meant, whole),
            (None, None) => Err(self.nonsense(&from.tree, "_: from which?")),
        }
    }

    /// Takes objects off their supports, except for the table, or out of their containers.
    pub(super) fn take_away(&mut self, np: &Np, from: &str) -> Steps {
        // "put the cube in it, then take it out" is about the cube.
        self.context.center = None;
        let all = self.objects().map(Referent::of);
        let is_there = |own: &Self, thing: &Referent| own.support_of(thing, from).is_some();
        let things = all.filter(|thing| is_there(self, thing)).collect();
        let mut meant = self.within_or_beyond(things, |own| own.moved(np))?;
        let there = those(&meant.things, |thing| is_there(self, thing));
        if !there.is_empty() && !matches!(np.is, NounPhrase::And { .. }) {
            meant.things = there;
        }
        let height = |o: &PerceivedObject| (1e3 * o.position().z) as i64;
        let from_top = |thing: &Referent| Reverse(self.object(thing).map(height));
        meant.things.sort_by_key(from_top);
        self.each(&meant, |thing| {
            let nothing = || self.nonsense(&np.tree, format!("_: it is not {from} any object"));
            let target = self.support_of(thing, from).ok_or_else(nothing)?;
            Ok(goal("not on", [thing, &target]))
        })
    }

    /// Returns the object, but not the table, on or in which another is after the previous steps.
    pub(crate) fn support_of(&self, thing: &Referent, from: &str) -> Option<Referent> {
        let object = self.object(thing)?;
        if self.context.placed.contains(&object.id) {
            let target = self.context.carried_by.get(&object.id);
            return target.cloned().map(Referent::Object);
        }
        let carries = |other: &&PerceivedObject| match from {
            "in" => other.shape.cavity().is_some() && is_inside(object, other),
            _ => !self.is_table(&Referent::of(other)) && is_supported_by(object, other),
        };
        let mut others = self.objects().filter(|o| o.id != object.id);
        others.find(carries).map(Referent::of)
    }

    /// Reads "no cube should be on another": those that are there are taken off, and the others
    /// must not go there. Returns the steps and the bans.
    pub(crate) fn none_there(
        &mut self,
        np: &Np,
        relation: &Word,
        other: &Np,
    ) -> Resolved<(Vec<Step>, Vec<Intent>)> {
        if !matches!(relation.means.as_str(), "on" | "in") {
            return Err(self.nonsense(&relation.tree, "_: where to, then?"));
        }
        let mut own = self.clone();
        let others = own.under_head(self.noun_of(np), |own| own.np_or_all(other, How::All))?;
        let things = self.np(np)?;
        if things.how == How::The && others.single().is_none() {
            return Err(self.nonsense(&other.tree, "_ names several objects, but one is expected"));
        }
        let (mut steps, mut never) = (vec![], vec![]);
        for thing in &things.things {
            for other in others.things.iter().filter(|other| *other != thing) {
                match self.is_over(thing, other) {
                    true => steps.extend(self.off(&Meant::one(thing.clone()), other)?),
                    false => never.push(goal(&relation.means, [thing, other]).into()),
                }
            }
        }
        // "no cube on another cube" would ban too many pairs.
        never.retain(|_| others.single().is_some());
        Ok((steps, never))
    }

    /// Returns the taken objects and their support. Among several supports, it is the one that
    /// carries them.
    fn taken(&mut self, np: &Np, from: &Np) -> Resolved<(Meant, Meant)> {
        let n_before = self.context.mentioned.len();
        let whole = match self.under_head(self.noun_of(np), |own| own.np(from)) {
            Ok(whole) => whole,
            Err(error) => {
                let whole = error.settled(|whole| self.clone().taken_from(np, whole).is_ok())?;
                self.context.mentioned.push(whole.clone());
                whole
            }
        };
        // In "take the red one off the tray", the tray is named later.
        let named = self.context.mentioned.split_off(n_before);
        let taken = match whole.single() {
            Some(one) => self.taken_from(np, one)?,
            None => self.moved(np)?,
        };
        self.context.mentioned.extend(named);
        Ok((taken, whole))
    }

    /// Returns the taken objects. Only objects on or in `whole` can be meant.
    fn taken_from(&mut self, np: &Np, whole: &Referent) -> Meaning {
        let all = self.objects().map(Referent::of);
        let things = all.filter(|thing| self.is_taken_from(thing, whole));
        let alone = self.clone().np(np);
        let meant = self.within_or_beyond(things.collect(), |own| own.np(np));
        let meant = self.free(np, meant?);
        let things = those(&meant.things, |thing| self.is_taken_from(thing, whole));
        let are_too_few = meant.is_any() && things.len() < meant.things.len();
        let may_be_none = matches!(np.is, NounPhrase::Everything { .. });
        if are_too_few || things.is_empty() && !may_be_none {
            let why = format!("_: {} is not on or in {whole}", list(&meant.things));
            return Err(self.none(&np.tree, why));
        }
        // An object that only its place tells from others is rather described by it: "the cube from
        // the tray".
        let is_same = alone.is_ok_and(|alone| alone.things == things);
        self.context.n_idle += usize::from(meant.how == How::The && !is_same);
        let meant = meant.with(things);
        self.context.moved.push(meant.clone());
        Ok(meant)
    }

    /// Returns true if an object is on or in another after the previous steps.
    fn is_taken_from(&self, thing: &Referent, whole: &Referent) -> bool {
        match self.context.carried_by.get(thing.id()) {
            Some(on) => on == whole.id(),
            None => !self.context.placed.contains(thing.id()) && self.is_over(thing, whole),
        }
    }

    /// Returns true if an object is on or in another, directly or on other objects there.
    pub(crate) fn is_over(&self, thing: &Referent, whole: &Referent) -> bool {
        let object = self.object(thing);
        object.is_some_and(|o| self.related("off", o, whole, Sense::Loose))
    }

    pub(super) fn off(&self, meant: &Meant, whole: &Referent) -> Steps {
        self.check_off(whole)?;
        if whole.zone().is_some() && self.is_table(whole) && !meant.things.is_empty() {
            let all = list(&meant.things);
            let why = format!("no goal means only that an object is not at {whole}");
            return Err(ReadingError::Unclear(format!(
                "where should {all} go? {why}"
            )));
        }
        self.each_is(meant, "not on", &[&Referent::Object(whole.id().clone())])
    }

    /// Rejects taking objects off a table if every other support stands on it.
    fn check_off(&self, whole: &Referent) -> Resolved<()> {
        let table = self.see(whole)?;
        let stands_there = |o: &PerceivedObject| o.movable && is_supported_by(o, table);
        let mut others = self.objects().filter(|o| o.id != table.id);
        let is_table = whole.zone().is_none() && self.is_table(whole);
        if is_table && !others.any(|o| self.is_receptacle(o) && !stands_there(o)) {
            let why = format!("nothing can be taken off {whole}: every other support stands on it");
            return Err(ReadingError::Impossible(why));
        }
        Ok(())
    }

    /// Takes off everything that a hand can carry.
    pub(super) fn clear(&mut self, tree: &Rc<Tree>, np: &Np) -> Steps {
        let whole = &self.one(np)?;
        let is_fixed = !self.see(whole)?.movable;
        let on_it = self.loose().filter(|o| {
            let is_free = self.joint(&Referent::of(o)).is_none();
            is_free && self.related("off", o, whole, Sense::Loose)
        });
        let on_it: Vec<Referent> = on_it.map(Referent::of).collect();
        if !on_it.is_empty() {
            self.check_off(whole)?;
        } else if self.is_small(whole) {
            return Err(self.nonsense(tree, "_: there is nothing to clear"));
        }
        let mut others = self.loose().filter(|o| self.is_receptacle(o));
        let is_other = |o: &PerceivedObject| !on_it.contains(&Referent::of(o));
        if !on_it.is_empty() && is_fixed && !others.any(is_other) {
            // The objects go to the surface on which the cleared one itself stands.
            if let Some(ground) = self.ground_of(self.see(whole)?) {
                return self.each_is(&Meant::all(on_it), "on", &[&Referent::of(ground)]);
            }
            let question = format!("_: where should {} go?", list(&on_it));
            return Err(self.unclear(&np.tree, &question));
        }
        self.off(&Meant::all(on_it), whole)
    }

    /// Returns true if the object stands on objects that stand on `whole`, with no receptacle
    /// between.
    pub(crate) fn stands_over(&self, object: &PerceivedObject, whole: &Referent) -> bool {
        let mut others = self.loose().filter(|o| o.id != object.id);
        let below = others.find(|o| self.lies("off", object, &Referent::of(o)));
        below.is_some_and(|below| {
            let is_there = || self.lies("off", below, whole) || self.stands_over(below, whole);
            !self.is_receptacle(below) && is_there()
        })
    }
}
