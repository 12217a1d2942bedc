//! Corrections and additions: "no, the blue one", "the same with …", "except …".

use std::rc::Rc;

use crate::ast::{Clause, Far, HeadingNode, Node, NounPhrase, Np, Sentence};
use crate::context::Context;
use crate::referent::{Meant, ReadingError, Referent, Resolved};
use crate::sentences::steps::without_some;
use crate::sentences::{LastAction, TaskBuilder};
use crate::task::Step;
use crate::tree::Tree;

impl TaskBuilder<'_> {
    /// Applies a correction such as "no, the blue one": the last action with a part replaced.
    pub(super) fn repair(&mut self, sentence: &Node<Sentence>) -> Resolved<()> {
        let instead_of_what = || self.instead_of_what(&sentence.tree);
        let last = self.last.clone().ok_or_else(instead_of_what)?;
        match &sentence.is {
            Sentence::Cancel => {
                self.steps.pop();
                self.terms.has_condition = true;
                Ok(())
            }
            Sentence::Instead { sentence } => {
                self.steps.pop();
                self.sentence(sentence)
            }
            Sentence::RatherSecond { wrong, right } => self.replace(&last, [wrong, right]),
            Sentence::RatherThing { np } => self.rather(&last, &np.tree),
            Sentence::RatherPlace { place } => self.rather(&last, &place.tree),
            Sentence::RatherWay { heading } => self.rather(&last, &heading.tree),
            Sentence::RatherFar { length } => self.rather(&last, &length.tree),
            _ => Err(self.instead_of_what(&sentence.tree)),
        }
    }

    /// Replaces an object, a place, a direction or a length in the last action.
    fn rather(&mut self, last: &LastAction, new: &Rc<Tree>) -> Resolved<()> {
        let (action, _) = last;
        // In "stack X on Y, no, on Z", the place is an object.
        let is_thing = new.sort() == "Location" && action.slots("Location").is_empty();
        let instead = match new.parts.last() {
            Some(np) if is_thing && np.sort() == "NounPhrase" => {
                let last = action.slots("NounPhrase").pop();
                last.iter().map(|slot| action.put_in(slot, np)).collect()
            }
            _ => with(action, new),
        };
        self.take_back(last, instead, new)
    }

    fn instead_of_what(&self, tree: &Tree) -> ReadingError {
        self.reader.unclear(tree, "_ instead of what?")
    }

    /// Applies "not the red plate, the white one", which replaces the first by the second.
    fn replace(&mut self, last: &LastAction, [old, new]: [&Np; 2]) -> Resolved<()> {
        let (action, before) = last;
        let meaning = |np: &Np, before: &Context| {
            let mut reader = self.reader.after(before.clone());
            reader.context.heads.extend(before.moved.last().cloned());
            reader.np(np).ok().map(|m| m.things)
        };
        let meant = meaning(old, &self.reader.context);
        let typed = |slot: &Rc<Tree>| self.reader.typed::<NounPhrase>(slot);
        let mut same = action.every("NounPhrase");
        same.retain(|slot| meant.is_some() && meaning(&typed(slot), before) == meant);
        match same.as_slice() {
            [slot] => {
                let mut before = before.clone();
                let noun = self.reader.noun_of(&typed(slot));
                before.heads.push(Meant::called(noun));
                let instead = vec![action.put_in(slot, &new.tree)];
                self.take_back(&(action.clone(), before), instead, &Rc::default())
            }
            [] => self.take_back(last, with(action, &new.tree), &new.tree),
            _ => Err(self.instead_of_what(&new.tree)),
        }
    }

    /// Replaces the last action by the best of several variants.
    fn take_back(
        &mut self,
        (action, before): &LastAction,
        instead: Vec<Rc<Tree>>,
        new: &Rc<Tree>,
    ) -> Resolved<()> {
        let old = self.steps.last().cloned().unwrap_or_default();
        let old_slots = action.slots(new.sort());
        let phrase_in = |tree: &Rc<Tree>| match tree.sort() {
            "NounPhrase" => Some(tree.clone()),
            _ => tree.slots("NounPhrase").first().cloned(),
        };
        let mut found: Vec<(Rc<Tree>, Vec<Step>, Context, u8)> = vec![];
        let (mut error, mut failed) = (None, 0);
        for (i, tree) in instead.into_iter().enumerate() {
            let mut reader = self.reader.after(before.clone());
            let mut like = 0;
            let slot = old_slots.get(i).and_then(phrase_in);
            if let Some((slot, new)) = slot.zip(phrase_in(new)) {
                let slot = reader.typed(&slot);
                // "the blue one" has the noun of the phrase that it replaces.
                let meant = reader.np(&slot);
                let called = || Meant::called(reader.noun_of(&slot));
                let named = meant.clone().unwrap_or_else(|_| called());
                reader.context.heads.push(named);
                if let (Ok(old), Ok(new)) = (meant, reader.clone().np(&reader.typed(&new))) {
                    like = reader.likeness(&old, &new);
                }
            }
            let steps = reader.action(&reader.typed(&tree));
            reader.context.heads.clear();
            match steps {
                Ok(steps) if steps == old => {}
                Ok(steps) => found.push((tree, steps, reader.context, like)),
                Err(why) => {
                    failed = failed.max(like);
                    error = error.or(Some(why));
                }
            }
        }
        let best = found.iter().map(|(.., like)| *like).max().unwrap_or(0);
        // If the best replacement makes no sense, the others are not meant either.
        found.retain(|(.., like)| *like == best && failed <= best);
        match (found.pop(), found.is_empty()) {
            (Some((tree, steps, context, _)), true) => {
                self.steps.pop();
                self.steps.push(steps);
                self.reader.context = context;
                self.last = Some((tree, before.clone()));
                Ok(())
            }
            (None, _) if let Some(error) = error => Err(error),
            _ => Err(self.instead_of_what(new)),
        }
    }

    /// Repeats the last action with another moved object: "do the same with …" or ", then …".
    pub(super) fn same(&mut self, np: &Np) -> Resolved<()> {
        let Some((action, mut context)) = self.last.clone() else {
            return Err(ReadingError::Unclear("the same as what?".into()));
        };
        let slots = action.slots("NounPhrase");
        // Objects that were swapped must both be named: "then the green one and the blue one".
        let last = self.steps.last().and_then(|steps| steps.first());
        let has_swapped = matches!(last, Some(Step::Swap { .. }));
        if let (true, NounPhrase::And { first, second }) = (has_swapped, &np.is) {
            let (np, with) = (first.clone(), Some(second.clone()));
            let (tree, is) = (action, Clause::Swap { np, with });
            return self.act(&Rc::new(Node { tree, is }));
        }
        let nothing = self
            .reader
            .nonsense(&np.tree, "_ cannot replace an object of the last action");
        let moved = slots.first().filter(|_| !has_swapped).ok_or(nothing)?;
        let own = self.reader.context.clone();
        context.mentioned.extend(own.mentioned);
        // "then the green one" refers to the moved object and not to its destination.
        let before = self.reader.typed::<NounPhrase>(moved);
        let before = self.reader.after(context.clone()).np(&before);
        let kind = before.map(|before| Meant::called(before.noun));
        context.mentioned.extend(kind);
        let mut again = action.put_in(moved, &np.tree);
        // A stack continues on the last stacked object.
        if let ("Stack", Some(below)) = (again.name(), again.slots("NounPhrase").get(1)) {
            again = again.put_in(below, moved);
        }
        (context.expected, context.placed) = (own.expected, own.placed);
        (context.carried_by, context.meanings) = (own.carried_by, own.meanings);
        self.reader.context = context;
        let again = self.reader.typed(&again);
        self.act(&again)
    }

    /// Repeats the last action with another length, and perhaps another direction: ", then 5 cm to
    /// the right".
    pub(super) fn same_way(&mut self, length: &Far, heading: Option<&HeadingNode>) -> Resolved<()> {
        // An action without a direction has no such continuation.
        let last = self.last.as_ref().map(|(action, _)| action.clone());
        let last = last.filter(|action| action.slots("Heading").len() == 1);
        let with = |action: Rc<Tree>, new: &Rc<Tree>| match with(&action, new).as_slice() {
            [one] => Some(one.clone()),
            _ => None,
        };
        let again = last.and_then(|last| with(last, &length.tree));
        let again = match heading {
            Some(heading) => again.and_then(|again| with(again, &heading.tree)),
            None => again,
        };
        let nothing = || self.reader.nonsense(&length.tree, "what goes _?");
        let again = self.reader.typed(&again.ok_or_else(nothing)?);
        self.act(&again)
    }

    /// Excludes objects from the last clause: "all cubes on the plate, except the red one".
    pub(super) fn but_for(&mut self, np: &Np) -> Resolved<()> {
        let Some(last) = self.steps.last().cloned() else {
            return Err(self.reader.nonsense(&np.tree, "_: of what?"));
        };
        self.terms.has_condition = true;
        let nouns = self.reader.context.earlier().map(|m| m.noun.clone());
        let mut nouns: Vec<_> = nouns.filter(|noun| !noun.is_empty()).map(Some).collect();
        nouns.dedup();
        nouns.push(None);
        let intents = last.iter().flat_map(Step::intents);
        let ids = intents.flat_map(|own| own.object().into_iter().chain(own.targets()));
        let objects: Vec<_> = ids.map(|id| Referent::Object(id.into())).collect();
        let mut why = None;
        for noun in nouns {
            let mut reader = self.reader.clone();
            reader.context.placed.clear();
            reader.context.heads.extend(noun.map(Meant::called));
            match reader.within_or_beyond(objects.clone(), |own| own.np(np)) {
                Ok(meant) => {
                    if let Some(left) = without_some(&last, &meant.things) {
                        self.steps.pop();
                        self.steps.push(left);
                        return Ok(());
                    }
                }
                Err(error) => why = why.or(Some(error)),
            }
        }
        let not_said = || self.reader.nonsense(&np.tree, "_ was not mentioned before");
        Err(why.unwrap_or_else(not_said))
    }
}

/// Variants of an action, each with one part of the same sort replaced.
fn with(action: &Rc<Tree>, new: &Rc<Tree>) -> Vec<Rc<Tree>> {
    let slots = action.slots(new.sort());
    slots.iter().map(|slot| action.put_in(slot, new)).collect()
}
