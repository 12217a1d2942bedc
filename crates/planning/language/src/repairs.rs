//! Corrections and additions: "no, the blue one", "the same with …", "except …".

use std::rc::Rc;

use crate::clauses::{is_np, is_place};
use crate::context::Context;
use crate::parse::Tree;
use crate::refer::list;
use crate::sentences::{Done, Told};
use crate::steps::without_some;
use crate::task::Step;
use crate::thing::{How, Meant, Thing, Trouble};
use crate::trees::{every, put_in, slots};

impl<'a> Told<'a> {
    /// "no, the blue one": the last action, with something else in it.
    pub(crate) fn repair(&mut self, tree: &Rc<Tree>) -> Done {
        let Some((action, before)) = self.last.clone() else {
            return Err(Trouble::Unclear {
                question: format!("`{}` instead of what?", self.reader.phrase(tree)),
            });
        };
        if tree.label == "heading" {
            let is_heading = |t: &Tree| t.label == "heading";
            let new: Vec<_> = slots(&action, &is_heading)
                .iter()
                .map(|slot| put_in(&action, slot, tree))
                .collect();
            return self.take_back(&action, &before, new, tree);
        }
        let with = |new: &Rc<Tree>| -> Vec<Rc<Tree>> {
            let places = slots(&action, &is_place);
            let own = new.parts.last().filter(|p| is_np(p));
            if let (true, true, Some(np)) = (is_place(new), places.is_empty(), own) {
                // "stack X on Y, no, on Z": the place is a thing there.
                let last = slots(&action, &is_np).into_iter().last();
                return last.iter().map(|slot| put_in(&action, slot, np)).collect();
            }
            if is_place(new) {
                return slots(&action, &is_place)
                    .iter()
                    .map(|slot| put_in(&action, slot, new))
                    .collect();
            }
            slots(&action, &is_np)
                .iter()
                .map(|slot| put_in(&action, slot, new))
                .collect()
        };
        match tree.label.as_str() {
            "cancel" => {
                self.steps.pop();
                self.has_condition = true;
                return Ok(());
            }
            "number" | "amount" => {
                let is_length = |t: &Tree| matches!(t.label.as_str(), "number" | "amount");
                let new: Vec<_> = slots(&action, &is_length)
                    .iter()
                    .map(|slot| put_in(&action, slot, tree))
                    .collect();
                return self.take_back(&action, &before, new, tree);
            }
            "instead" => {
                self.steps.pop();
                return self.sentence(&tree.parts[0]);
            }
            "rather_last" => return self.repair(&tree.parts[0]),
            "rather_second" => return self.replace(&tree.parts[0], &tree.parts[1]),
            "rather" => {
                return self.take_back(&action, &before, with(&tree.parts[0]), &tree.parts[0]);
            }
            "but_not" => {
                let not = self.reader.np(&tree.parts[0], &mut self.context)?;
                return Err(Trouble::Unclear {
                    question: format!("if not {}, then which?", list(&not.things)),
                });
            }
            _ => {}
        }
        if is_place(tree) || is_np(tree) {
            return self.take_back(&action, &before, with(tree), tree);
        }
        // A sentence of its own.
        self.steps.pop();
        self.sentence(tree)
    }

    /// "not the red plate, the white one": where the first stood, the second does.
    pub(crate) fn replace(&mut self, old: &Rc<Tree>, new: &Rc<Tree>) -> Done {
        let Some((action, before)) = self.last.clone() else {
            return self.repair(new);
        };
        let meaning = |np: &Rc<Tree>, mut own: Context| {
            own.heads.extend(own.moved.last().map(|m| m.noun.clone()));
            self.reader.np(np, &mut own).ok().map(|m| m.things)
        };
        let meant = meaning(old, self.context.clone());
        let mut same = every(&action, &is_np);
        same.retain(|slot| meant.is_some() && meaning(slot, before.clone()) == meant);
        match same.as_slice() {
            [slot] => {
                let noun = self.reader.noun_of(slot);
                let mut before = before;
                before.heads.push(noun);
                let instead = vec![put_in(&action, slot, new)];
                self.take_back(
                    &action,
                    &before,
                    instead,
                    &Tree {
                        label: String::new(),
                        ..(**new).clone()
                    },
                )
            }
            [] => self.repair(new),
            _ => Err(Trouble::Unclear {
                question: format!("`{}` instead of what?", self.reader.phrase(new)),
            }),
        }
    }

    pub(crate) fn take_back(
        &mut self,
        action: &Rc<Tree>,
        before: &Context,
        instead: Vec<Rc<Tree>>,
        new: &Tree,
    ) -> Done {
        let old = self.steps.last().cloned().unwrap_or_default();
        let old_slots = slots(action, &is_np);
        let mut found: Vec<(Rc<Tree>, Vec<Step>, Context, u8)> = vec![];
        let mut trouble = None;
        let mut failed = 0;
        for (i, tree) in instead.into_iter().enumerate() {
            let mut context = before.clone();
            if let Some(slot) = old_slots.get(i).filter(|_| is_np(new)) {
                // "the blue one" is one of what it stands for.
                let meant = self.reader.np(slot, &mut context);
                context.mentioned.push(meant.unwrap_or_else(|_| Meant {
                    things: vec![],
                    how: How::The,
                    noun: self.reader.noun_of(slot),
                    colors: vec![],
                    is_rest: false,
                }));
            }
            match self.reader.action(&tree, &mut context) {
                Ok(steps) if steps != old => {
                    let like = old_slots
                        .get(i)
                        .map_or(0, |slot| self.likeness(slot, new, before));
                    found.push((tree, steps, context, like));
                }
                Ok(_) => {}
                Err(why) => {
                    let like = old_slots
                        .get(i)
                        .map_or(0, |slot| self.likeness(slot, new, before));
                    failed = failed.max(like);
                    trouble = trouble.or(Some(why));
                }
            }
        }
        let best = found.iter().map(|(.., like)| *like).max().unwrap_or(0);
        // What it stands for better makes no sense: it is not said of the others.
        if failed > best {
            found.clear();
        }
        found.retain(|(.., like)| *like == best);
        match found.len() {
            1 => {
                let (tree, steps, context, _) = found.remove(0);
                self.steps.pop();
                self.steps.push(steps);
                self.context = context;
                self.last = Some((tree, before.clone()));
                Ok(())
            }
            0 => Err(trouble.unwrap_or_else(|| Trouble::Unclear {
                question: format!("`{}` instead of what?", self.reader.phrase(new)),
            })),
            _ => Err(Trouble::Unclear {
                question: format!("`{}` instead of what?", self.reader.phrase(new)),
            }),
        }
    }

    /// How far a new phrase names the kind of thing that an old one does.
    pub(crate) fn likeness(&self, old: &Rc<Tree>, new: &Tree, before: &Context) -> u8 {
        let mut context = before.clone();
        let Ok(old_meant) = self.reader.np(old, &mut context) else {
            return 0;
        };
        context.mentioned.push(old_meant.clone());
        let new = Rc::new(new.clone());
        let Ok(new_meant) = self.reader.np(&new, &mut context) else {
            return 0;
        };
        let kind = |thing: &Thing| {
            let object = self.reader.percept.object(thing.id());
            object.map(|o| {
                (
                    o.movable,
                    o.shape.cavity().is_some(),
                    thing.zone().is_some(),
                )
            })
        };
        let same_noun = old_meant.noun.last() == new_meant.noun.last();
        match old_meant.things.first().and_then(kind) == new_meant.things.first().and_then(kind) {
            _ if same_noun => 2,
            true => 1,
            false => 0,
        }
    }

    /// "do the same with …": the last action again, with something else moved.
    pub(crate) fn same(&mut self, np: &Rc<Tree>) -> Done {
        let Some((action, before)) = self.last.clone() else {
            return Err(Trouble::Unclear {
                question: "the same as what?".into(),
            });
        };
        let Some(slot) = slots(&action, &is_np).into_iter().next() else {
            return Err(Trouble::Nonsense(format!(
                "`{}` has nothing to do with that",
                self.reader.phrase(np)
            )));
        };
        let mut context = before;
        context
            .mentioned
            .extend(self.context.mentioned.iter().cloned());
        let steps = self
            .reader
            .action(&put_in(&action, &slot, np), &mut context)?;
        self.context = context;
        self.steps.push(steps);
        Ok(())
    }

    /// "all cubes on the plate, except the red one": what was just said, without some of it.
    pub(crate) fn but_for(&mut self, tree: &Rc<Tree>) -> Done {
        let Some(last) = self.steps.last().cloned() else {
            return Err(Trouble::Nonsense(format!(
                "`{}`: of what?",
                self.reader.phrase(tree)
            )));
        };
        self.has_condition = true;
        let moved = self.context.moved.iter().rev();
        let said = moved.chain(self.context.mentioned.iter().rev());
        let mut nouns: Vec<Vec<String>> = said.map(|m| m.noun.clone()).collect();
        nouns.retain(|noun| !noun.is_empty());
        nouns.dedup();
        nouns.push(vec![]);
        let mut why = None;
        for noun in nouns {
            let mut context = self.context.clone();
            if !noun.is_empty() {
                context.heads.push(noun);
            }
            match self.reader.np(tree, &mut context) {
                Ok(meant) => {
                    if let Some(left) = without_some(&last, &meant.things) {
                        if let Some(group) = self.steps.last_mut() {
                            *group = left;
                        }
                        return Ok(());
                    }
                }
                Err(trouble) => why = why.or(Some(trouble)),
            }
        }
        Err(why.unwrap_or_else(|| {
            let phrase = self.reader.phrase(tree);
            Trouble::Nonsense(format!("`{phrase}` is not among what was said"))
        }))
    }

    /// Whether a phrase means some of what a phrase in the last action did: it says which.
    pub(crate) fn says_more(&self, np: &Rc<Tree>) -> bool {
        let Some((action, before)) = &self.last else {
            return false;
        };
        let mut own = self.context.clone();
        let Ok(new) = self.reader.np(np, &mut own) else {
            // "the blue one" may need what was said to be understood.
            return true;
        };
        slots(action, &is_np)
            .iter()
            .any(|slot| match self.reader.np(slot, &mut before.clone()) {
                Err(Trouble::Several { candidates, .. }) => {
                    new.things.iter().all(|t| candidates.contains(t))
                }
                Ok(old) => new.things.iter().all(|t| old.things.contains(t)),
                Err(_) => false,
            })
    }

    pub(crate) fn remark(&mut self, tree: &Rc<Tree>) -> Done {
        if tree
            .parts
            .iter()
            .any(|p| matches!(p.label.as_str(), "except" | "everything" | "rest"))
            || !self.says_more(tree.parts.last().unwrap_or(tree))
        {
            return Err(Trouble::Nonsense(format!(
                "`{}` is not clear",
                self.reader.phrase(tree)
            )));
        }
        self.repair(tree.parts.last().unwrap_or(tree))
    }

    /// ", then into the bowl": what was moved last goes there.
    pub(crate) fn go_on_to(&mut self, place: &Rc<Tree>) -> Done {
        let Some(meant) = self.context.moved.last().cloned() else {
            return Err(Trouble::Unclear {
                question: format!("what goes `{}`?", self.reader.phrase(place)),
            });
        };
        let steps = self.reader.put_there(&meant, place, &mut self.context)?;
        self.steps.push(steps);
        Ok(())
    }
}
