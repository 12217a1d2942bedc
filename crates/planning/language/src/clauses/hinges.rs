//! Clauses that open, close, set, turn or press.

use std::rc::Rc;

use regrasp_api::{Goal, ObjectJoint};

use crate::context::Context;
use crate::intent::Intent;
use crate::reader::{Meaning, Reader};
use crate::task::{Step, Steps};
use crate::thing::{How, Meant, Thing, Trouble};
use crate::tree::Tree;

/// Tells whether a joint is of the sort that is looked for.
type Wanted = fn(&ObjectJoint) -> bool;

impl Reader<'_> {
    /// What is opened or closed, or set: it has to move on such a joint, or have one part that
    /// does.
    pub(super) fn slide(
        &self,
        tree: &Rc<Tree>,
        open: bool,
        wanted: Wanted,
        context: &mut Context,
    ) -> Steps {
        let meant = self.on_hinges(tree, open, wanted, context)?;
        let things = meant.things.iter();
        let things = things.map(|thing| self.hinged(tree, thing, wanted));
        let things = things.collect::<Result<Vec<_>, _>>()?;
        let meant = meant.with(things);
        context.slid = Some(meant.clone());
        context.slid_shut = !open;
        if tree.label != "pronoun" {
            let inner = meant.things.iter().map(|thing| self.inner_of(thing));
            let inner = meant.clone().with(inner.collect());
            context.fixed.push((tree.clone(), inner));
            context.place = Some(tree.with("in", vec![tree.clone()]));
        }
        self.slid(&meant, open)
    }

    pub(super) fn slid(&self, meant: &Meant, open: bool) -> Steps {
        self.each_id(meant, |object| Goal::Slid { object, open })
    }

    /// The meaning of a phrase for what is opened or closed.
    fn on_hinges(
        &self,
        tree: &Rc<Tree>,
        open: bool,
        wanted: Wanted,
        context: &mut Context,
    ) -> Meaning {
        // It hangs on such a joint, or has one part that does.
        let sliding = |meant: &&Meant| {
            meant.single().is_some_and(|thing| {
                self.moves_on(thing, wanted) || self.parts_on(thing, wanted).count() == 1
            })
        };
        if tree.label == "pronoun" {
            let spoken_of = || context.mentioned.iter().rev().find(sliding).cloned();
            if let Some(slid) = context.slid.clone().or_else(spoken_of) {
                return Ok(slid);
            }
        }
        // Only what is not so yet can be meant.
        let (before, after) = if open {
            ("closed", "open")
        } else {
            ("open", "closed")
        };
        let is_left = |t: &Thing| self.is_state(t, before) && !self.is_state(t, after);
        let meant = self.np(tree, context);
        meant.or_else(|trouble| trouble.settled(is_left))
    }

    /// Returns true if a thing hangs on a joint of a sort.
    fn moves_on(&self, thing: &Thing, wanted: Wanted) -> bool {
        let mut joints = self.percept.joints.iter();
        joints.any(|j| &j.child == thing.id() && wanted(j))
    }

    /// The parts of a thing that move on joints of a sort.
    fn parts_on(&self, thing: &Thing, wanted: Wanted) -> impl Iterator<Item = Thing> {
        let joints = self.percept.joints.iter();
        let its = joints.filter(move |j| self.is_part(j, thing) && wanted(j));
        its.map(|j| Thing::Object(j.child.clone()))
    }

    /// Finds the part that moves if a thing is opened: itself, or its part on a joint.
    fn hinged(&self, tree: &Tree, thing: &Thing, wanted: Wanted) -> Result<Thing, Trouble> {
        if self.moves_on(thing, wanted) {
            return Ok(thing.clone());
        }
        let mut parts: Vec<Thing> = self.parts_on(thing, wanted).collect();
        match parts.len() {
            0 => {
                let what = match self.parts_on(thing, |_| true).next() {
                    Some(_) => "has nothing that moves so",
                    None => "has nothing that opens",
                };
                Err(self.nonsense(tree, &format!("{thing} {what}")))
            }
            1 => Ok(parts.remove(0)),
            _ => Err(self.several(tree, &parts)),
        }
    }

    /// "no drawer should be open".
    pub(super) fn close_all(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let things = self.np_or_all(tree.np(), How::All, context)?.things;
        self.slid(&Meant::all(things), false)
    }

    pub(super) fn turn_by(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let degrees = self.degrees(tree)?;
        let steps = self.slide(tree.np(), true, ObjectJoint::is_set, context)?;
        let turned = |step| match step {
            Step::Do(Intent::Achieve(Goal::Slid { object, .. })) => {
                Step::Do(Intent::Turn { object, degrees })
            }
            step => step,
        };
        Ok(steps.into_iter().map(turned).collect())
    }

    pub(super) fn press(&self, tree: &Rc<Tree>, context: &mut Context) -> Steps {
        let np = tree.last_np();
        // "turn on the stove": what is set by a knob is no button.
        if let Ok(meant) = self.np(np, &mut context.clone())
            && meant.things.iter().all(|t| self.is_set(t))
        {
            return self.slide(np, true, ObjectJoint::is_set, context);
        }
        let meant = self.moved(np, context)?;
        self.each(&meant, |thing| match self.is_button(thing) {
            true => Ok(Goal::Pressed {
                object: thing.id().clone(),
                times: 1,
            }),
            false => Err(self.nonsense(tree, &format!("{thing} is no button"))),
        })
    }
}
