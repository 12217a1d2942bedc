//! Corrections and additions: "no, the blue one", "the same with …", "except …".

use std::rc::Rc;

use crate::context::Context;
use crate::sentences::steps::without_some;
use crate::sentences::{Done, TaskBuilder};
use crate::task::Step;
use crate::thing::{Meant, Thing, Trouble, list};
use crate::tree::Tree;

impl TaskBuilder<'_> {
    /// "no, the blue one": the last action, with something else in it.
    pub(super) fn repair(&mut self, tree: &Rc<Tree>) -> Done {
        let Some((action, before)) = self.last.clone() else {
            return Err(self.instead_of_what(tree));
        };
        let first = tree.parts.first().unwrap_or(tree);
        let is_length = |t: &Tree| t.is(&["number", "amount"]);
        match tree.label.as_str() {
            "cancel" => {
                self.steps.pop();
                self.has_condition = true;
                Ok(())
            }
            "heading" => {
                let new = with(&action, &|t| t.label == "heading", tree);
                self.take_back(&action, &before, new, tree)
            }
            "number" | "amount" => {
                let new = with(&action, &is_length, tree);
                self.take_back(&action, &before, new, tree)
            }
            "instead" => {
                self.steps.pop();
                self.sentence(first)
            }
            "rather_last" => self.repair(first),
            "rather_second" => self.replace(first, &tree.parts[1]),
            "rather" => self.take_back(&action, &before, instead(&action, first), first),
            "but_not" => {
                let not = self.reader.np(first, &mut self.context)?;
                let question = format!("if not {}, then which?", list(&not.things));
                Err(Trouble::Unclear { question })
            }
            _ if tree.is_place() || tree.is_np() => {
                self.take_back(&action, &before, instead(&action, tree), tree)
            }
            // A sentence of its own.
            _ => {
                self.steps.pop();
                self.sentence(tree)
            }
        }
    }

    fn instead_of_what(&self, tree: &Tree) -> Trouble {
        self.reader.unclear(tree, "_ instead of what?")
    }

    /// "not the red plate, the white one": where the first stood, the second does.
    fn replace(&mut self, old: &Rc<Tree>, new: &Rc<Tree>) -> Done {
        let Some((action, mut before)) = self.last.clone() else {
            return self.repair(new);
        };
        let meaning = |np: &Rc<Tree>, mut own: Context| {
            own.heads.extend(own.moved.last().map(|m| m.noun.clone()));
            self.reader.np(np, &mut own).ok().map(|m| m.things)
        };
        let meant = meaning(old, self.context.clone());
        let mut same = action.every(&Tree::is_np);
        same.retain(|slot| meant.is_some() && meaning(slot, before.clone()) == meant);
        match same.as_slice() {
            [slot] => {
                before.heads.push(self.reader.noun_of(slot));
                let instead = vec![action.put_in(slot, new)];
                let unlike = new.with("", new.parts.clone());
                self.take_back(&action, &before, instead, &unlike)
            }
            [] => self.repair(new),
            _ => Err(self.instead_of_what(new)),
        }
    }

    /// Does the last action again in one of some ways, whichever fits best.
    fn take_back(
        &mut self,
        action: &Rc<Tree>,
        before: &Context,
        instead: Vec<Rc<Tree>>,
        new: &Rc<Tree>,
    ) -> Done {
        let old = self.steps.last().cloned().unwrap_or_default();
        let old_slots = action.slots(&Tree::is_np);
        let mut found: Vec<(Rc<Tree>, Vec<Step>, Context, u8)> = vec![];
        let mut trouble = None;
        let mut failed = 0;
        for (i, tree) in instead.into_iter().enumerate() {
            let mut context = before.clone();
            let slot = old_slots.get(i);
            if let Some(slot) = slot.filter(|_| new.is_np()) {
                // "the blue one" is one of what it stands for.
                let meant = self.reader.np(slot, &mut context);
                let called = |_| Meant::called(self.reader.noun_of(slot));
                context.mentioned.push(meant.unwrap_or_else(called));
            }
            let steps = self.reader.action(&tree, &mut context);
            if steps.as_ref() == Ok(&old) {
                continue;
            }
            let like = slot.map_or(0, |slot| self.likeness(slot, new, before));
            match steps {
                Ok(steps) => found.push((tree, steps, context, like)),
                Err(why) => {
                    failed = failed.max(like);
                    trouble = trouble.or(Some(why));
                }
            }
        }
        let best = found.iter().map(|(.., like)| *like).max().unwrap_or(0);
        // What it stands for better makes no sense: it is not said of the others.
        found.retain(|(.., like)| *like == best && failed <= best);
        match found.len() {
            1 => {
                let (tree, steps, context, _) = found.remove(0);
                self.steps.pop();
                self.steps.push(steps);
                self.context = context;
                self.last = Some((tree, before.clone()));
                Ok(())
            }
            0 => Err(trouble.unwrap_or_else(|| self.instead_of_what(new))),
            _ => Err(self.instead_of_what(new)),
        }
    }

    /// How far a new phrase names the kind of thing that an old one does.
    fn likeness(&self, old: &Rc<Tree>, new: &Rc<Tree>, before: &Context) -> u8 {
        let mut context = before.clone();
        let Ok(old) = self.reader.np(old, &mut context) else {
            return 0;
        };
        context.mentioned.push(old.clone());
        let Ok(new) = self.reader.np(&Rc::new((**new).clone()), &mut context) else {
            return 0;
        };
        let kind = |thing: &Thing| {
            let object = self.reader.object(thing)?;
            let is_hollow = object.shape.cavity().is_some();
            Some((object.movable, is_hollow, thing.zone().is_some()))
        };
        match old.things.first().and_then(kind) == new.things.first().and_then(kind) {
            _ if old.noun.last() == new.noun.last() => 2,
            alike => u8::from(alike),
        }
    }

    /// "do the same with …": the last action again, with something else moved.
    pub(super) fn same(&mut self, np: &Rc<Tree>) -> Done {
        let Some((action, mut context)) = self.last.clone() else {
            let question = "the same as what?".into();
            return Err(Trouble::Unclear { question });
        };
        let slots = action.slots(&Tree::is_np);
        let Some(slot) = slots.first() else {
            return Err(self.reader.senseless(np, "_ has nothing to do with that"));
        };
        context.mentioned.extend_from_slice(&self.context.mentioned);
        let action = action.put_in(slot, np);
        let steps = self.reader.action(&action, &mut context)?;
        self.context = context;
        self.steps.push(steps);
        Ok(())
    }

    /// "all cubes on the plate, except the red one": what was just said, without some of it.
    pub(super) fn but_for(&mut self, tree: &Rc<Tree>) -> Done {
        let Some(last) = self.steps.last().cloned() else {
            return Err(self.reader.nonsense(tree, "of what?"));
        };
        self.has_condition = true;
        let mut nouns: Vec<_> = self.context.earlier().map(|m| m.noun.clone()).collect();
        nouns.retain(|noun| !noun.is_empty());
        nouns.dedup();
        nouns.push(vec![]);
        let mut why = None;
        for noun in nouns {
            let mut context = self.context.clone();
            context.heads.extend(Some(noun).filter(|n| !n.is_empty()));
            match self.reader.np(tree, &mut context) {
                Ok(meant) => {
                    if let Some(left) = without_some(&last, &meant.things) {
                        self.steps.pop();
                        self.steps.push(left);
                        return Ok(());
                    }
                }
                Err(trouble) => why = why.or(Some(trouble)),
            }
        }
        let not_said = || self.reader.senseless(tree, "_ is not among what was said");
        Err(why.unwrap_or_else(not_said))
    }

    /// Returns true if a phrase means some of what a phrase in the last action did: it says which.
    fn says_more(&self, np: &Rc<Tree>) -> bool {
        let Some((action, before)) = &self.last else {
            return false;
        };
        let Ok(new) = self.reader.np(np, &mut self.context.clone()) else {
            // "the blue one" may need what was said to be understood.
            return true;
        };
        let slots = action.slots(&Tree::is_np);
        slots.iter().any(|slot| {
            let old = match self.reader.np(slot, &mut before.clone()) {
                Err(Trouble::Several { candidates, .. }) => candidates,
                Ok(old) => old.things,
                Err(_) => return false,
            };
            new.things.iter().all(|t| old.contains(t))
        })
    }

    pub(super) fn remark(&mut self, tree: &Rc<Tree>) -> Done {
        let mut parts = tree.parts.iter();
        let is_new = parts.any(|p| p.is(&["except", "everything", "rest"]));
        if is_new || !self.says_more(tree.last()) {
            return Err(self.reader.senseless(tree, "_ is not clear"));
        }
        self.repair(tree.last())
    }

    /// ", then into the bowl": what was moved last goes there.
    pub(super) fn go_on_to(&mut self, place: &Rc<Tree>) -> Done {
        let Some(meant) = self.context.moved.last().cloned() else {
            return Err(self.reader.unclear(place, "what goes _?"));
        };
        let steps = self.reader.put(&meant, place, &mut self.context)?;
        self.steps.push(steps);
        Ok(())
    }
}

/// An action with something new in each of its slots of a sort in turn.
fn with(action: &Rc<Tree>, is: &dyn Fn(&Tree) -> bool, new: &Rc<Tree>) -> Vec<Rc<Tree>> {
    let slots = action.slots(is);
    let each = slots.iter().map(|slot| action.put_in(slot, new));
    each.collect()
}

/// An action with another thing or place instead of one in it.
fn instead(action: &Rc<Tree>, new: &Rc<Tree>) -> Vec<Rc<Tree>> {
    if !new.is_place() {
        return with(action, &Tree::is_np, new);
    }
    let own = new.parts.last().filter(|p| p.is_np());
    match own.filter(|_| action.slots(&Tree::is_place).is_empty()) {
        // "stack X on Y, no, on Z": the place is a thing there.
        Some(np) => {
            let last = action.slots(&Tree::is_np).pop();
            last.iter().map(|slot| action.put_in(slot, np)).collect()
        }
        None => with(action, &Tree::is_place, new),
    }
}
