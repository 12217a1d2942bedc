//! What is taken, from what, and what is cleared.

use std::rc::Rc;

use regrasp_api::{ObjectJoint, PerceivedObject};

use crate::clauses::{FLAT, Steps, WIDE_M};
use crate::command::Command;
use crate::context::Context;
use crate::parse::Tree;
use crate::refer::{Reader, list};
use crate::related::{Sense, is_related};
use crate::thing::{How, Meant, Thing, Trouble};
use crate::words::{Names, words_of};

impl Reader<'_> {
    /// "no cube should be on another": what is there is taken off.
    pub(crate) fn none_there(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let [np, other_np] = self.two_nps(tree)?;
        let relation = tree.parts[..tree.parts.len() - 1].last();
        let relation = relation.map_or_else(String::new, |r| self.relation(r));
        if !matches!(relation.as_str(), "on" | "in") {
            return Err(self.nonsense(tree, "where to, then?"));
        }
        let all = |np: &Rc<Tree>, context: &mut Context| match self.np(np, context) {
            Err(Trouble::Several { candidates, .. }) => Ok(candidates),
            meant => meant.map(|meant| meant.things),
        };
        let mut own = context.clone();
        own.heads.push(self.noun_of(&np));
        let others = all(&other_np, &mut own)?;
        let things = all(&np, context)?;
        let mut steps = vec![];
        for (thing, other) in things
            .iter()
            .flat_map(|t| others.iter().map(move |o| (t, o)))
        {
            let object = self.see(thing)?;
            if self.related("off", object, other, Sense::Strict) {
                steps.extend(self.off(&Meant::one(thing.clone()), other)?);
            }
        }
        Ok(steps)
    }

    /// What is moved: "it" means it from now on.
    pub(crate) fn moved(&self, tree: &Rc<Tree>, context: &mut Context) -> Result<Meant, Trouble> {
        let is_first = context.moved.is_empty();
        let meant = self.np(tree, context).map_err(|trouble| match trouble {
            Trouble::Unseen { phrase, name, .. } => Trouble::Unseen {
                phrase,
                name,
                moved: is_first,
            },
            other => other,
        })?;
        if meant.is_rest {
            return Err(Trouble::Unclear {
                question: format!("what exactly is `{}`?", self.phrase(tree)),
            });
        }
        context.moves_stack |=
            tree.label == "pronoun" && self.stack(context).as_ref() == Some(&meant);
        context.moved.push(meant.clone());
        Ok(meant)
    }

    /// What something is taken from; of several, what carries it.
    pub(crate) fn source(
        &self,
        np: &Rc<Tree>,
        from_np: &Rc<Tree>,
        context: &mut Context,
    ) -> Result<Meant, Trouble> {
        context.heads.push(self.noun_of(np));
        let from = self.np(from_np, context);
        context.heads.pop();
        let Err(Trouble::Several { phrase, candidates }) = from else {
            return from;
        };
        let carries = |whole: &&Thing| {
            let mut own = context.clone();
            self.taken_from(np, Some(whole), &mut own).is_ok()
        };
        match candidates.iter().filter(carries).collect::<Vec<_>>()[..] {
            [one] => Ok(Meant::one(one.clone())),
            _ => Err(Trouble::Several { phrase, candidates }),
        }
    }

    /// What is taken from something: only what is there can be meant.
    pub(crate) fn taken_from(
        &self,
        tree: &Rc<Tree>,
        whole: Option<&Thing>,
        context: &mut Context,
    ) -> Result<Meant, Trouble> {
        let Some(whole) = whole else {
            return self.moved(tree, context);
        };
        let is_there = |thing: &Thing| {
            let object = self.percept.object(thing.id());
            object.is_some_and(|o| {
                is_related(self.percept, self.viewpoint, "off", o, whole, Sense::Strict)
            })
        };
        let meant = match self.np(tree, context) {
            Ok(meant) => meant,
            Err(Trouble::Several { phrase, candidates }) => {
                let things: Vec<Thing> = candidates.into_iter().filter(is_there).collect();
                match things.as_slice() {
                    [one] => Meant::one(one.clone()),
                    _ => {
                        return Err(Trouble::Several {
                            phrase,
                            candidates: things,
                        });
                    }
                }
            }
            Err(trouble) => return Err(trouble),
        };
        let things: Vec<Thing> = meant
            .things
            .iter()
            .filter(|t| is_there(t))
            .cloned()
            .collect();
        if things.is_empty() {
            let phrase = self.phrase(tree);
            let why = format!("{} is not on or in {whole}", list(&meant.things));
            return Err(Trouble::None { phrase, why });
        }
        let meant = Meant { things, ..meant };
        context.moved.push(meant.clone());
        Ok(meant)
    }

    pub(crate) fn picked(&self, tree: &Tree, meant: &Meant) -> Steps {
        if let Some(Thing::Zone(..)) = meant.things.first() {
            return Err(self.nonsense(tree, "a place cannot be picked up"));
        }
        let several = meant.things.len() > 1 && !matches!(meant.how, How::Any(1));
        if several {
            let n = meant.things.len();
            return Err(self.nonsense(tree, &format!("one hand cannot hold {n} things at once")));
        }
        if meant
            .single()
            .is_some_and(|t| self.percept.joints.iter().any(|j| &j.child == t.id()))
        {
            return Err(self.nonsense(tree, "it hangs on a joint and cannot be picked up"));
        }
        self.each(meant, |thing| {
            Ok(Command::Pick {
                object: thing.id().to_string(),
            })
        })
    }

    pub(crate) fn off(&self, meant: &Meant, whole: &Thing) -> Steps {
        self.each(meant, |thing| {
            Ok(Command::TakeOff {
                object: thing.id().to_string(),
                target: whole.id().to_string(),
            })
        })
    }

    /// Everything that can be taken off something, but what only holds other things.
    pub(crate) fn clear(&self, tree: &Tree, whole: &Thing) -> Steps {
        let is_ground = self.see(whole)?.movable;
        let on_it = self.percept.objects.iter().filter(|o| {
            let holds = !is_ground && self.is_receptacle(o);
            o.movable
                && !holds
                && (is_related(self.percept, self.viewpoint, "off", o, whole, Sense::Strict)
                    || (!is_ground && self.stands_over(o, whole)))
        });
        let on_it: Vec<Thing> = on_it.map(|o| Thing::Object(o.id.clone())).collect();
        if on_it.is_empty() {
            return Ok(vec![]);
        }
        if !is_ground
            && !self
                .percept
                .objects
                .iter()
                .any(|o| o.movable && self.is_receptacle(o))
        {
            return Err(Trouble::Unclear {
                question: format!("`{}`: where should {} go?", self.phrase(tree), list(&on_it)),
            });
        }
        let meant = Meant {
            things: on_it,
            how: How::All,
            noun: vec![],
            colors: vec![],
            is_rest: false,
        };
        self.off(&meant, whole)
    }

    /// Whether something stands on things that stand on `whole`, in nothing that holds it.
    pub(crate) fn stands_over(&self, object: &PerceivedObject, whole: &Thing) -> bool {
        let mut others = self
            .percept
            .objects
            .iter()
            .filter(|o| o.movable && o.id != object.id);
        let held_by = others.find(|o| {
            let other = Thing::Object(o.id.clone());
            is_related(
                self.percept,
                self.viewpoint,
                "off",
                object,
                &other,
                Sense::Strict,
            )
        });
        held_by.is_some_and(|below| {
            !self.is_receptacle(below)
                && (is_related(
                    self.percept,
                    self.viewpoint,
                    "off",
                    below,
                    whole,
                    Sense::Strict,
                ) || self.stands_over(below, whole))
        })
    }

    pub(crate) fn is_receptacle(&self, object: &PerceivedObject) -> bool {
        object.shape.cavity().is_some() || self.is_flat(object)
    }

    /// Whether things stand on it, as on a plate.
    pub(crate) fn is_flat(&self, object: &PerceivedObject) -> bool {
        let size = object.aabb_in_world().size();
        let width_m = size.x.min(size.y);
        !object.movable
            || (width_m >= WIDE_M && size.z <= FLAT * width_m)
            || self.is_called(object, "plate")
    }

    pub(crate) fn is_called(&self, object: &PerceivedObject, word: &str) -> bool {
        Names::of(object)
            .fit(&[word.to_owned()], self.lexicon)
            .is_some()
    }

    /// Whether it is set on a joint, or has a part that is: a knob, or a stove with one.
    pub(crate) fn is_set(&self, thing: &Thing) -> bool {
        let id = thing.id();
        let is_its = |j: &&ObjectJoint| {
            &j.child == id || &j.parent == id || self.percept.whole_of(&j.child) == Some(id)
        };
        let mut joints = self.percept.joints.iter().filter(is_its);
        joints.any(ObjectJoint::is_set)
    }

    pub(crate) fn is_button(&self, thing: &Thing) -> bool {
        let joint = self.percept.joints.iter().find(|j| &j.child == thing.id());
        let presses = joint.is_some_and(|j| j.presses.is_some());
        let named = self.percept.object(thing.id());
        presses || named.is_some_and(|o| words_of(&o.category).iter().any(|w| w == "button"))
    }
}
