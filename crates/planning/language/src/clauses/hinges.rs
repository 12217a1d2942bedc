//! Clauses that open, close, set, turn or press.

use regrasp_api::{Goal, ObjectJoint};

use crate::ast::{NounPhrase, Np, Word};
use crate::context::Context;
use crate::destination::Destination;
use crate::intent::Intent;
use crate::reader::{Meaning, Reader, number};
use crate::referent::{Meant, ReadingError, Referent};
use crate::task::{Step, Steps};

/// Tells whether a joint is of the sort that is looked for.
type Wanted = fn(&ObjectJoint) -> bool;

impl Reader<'_> {
    /// What is opened or closed, or set: it has to move on such a joint, or have one part that
    /// does.
    pub(super) fn slide(
        &self,
        np: &Np,
        open: bool,
        wanted: Wanted,
        context: &mut Context,
    ) -> Steps {
        let meant = self.on_hinges(np, open, wanted, context)?;
        let things = meant.things.iter();
        let things = things.map(|thing| self.hinged(np, thing, wanted));
        let things = things.collect::<Result<Vec<_>, _>>()?;
        let meant = meant.with(things);
        context.slid = Some(meant.clone());
        context.slid_shut = !open;
        if !matches!(np.is, NounPhrase::Pronoun { .. }) {
            let inner = meant.things.iter().map(|thing| self.inner_of(thing));
            let inner = meant.clone().with(inner.collect());
            context.place = Some(Destination::In(inner));
        }
        self.slid(&meant, open)
    }

    pub(super) fn slid(&self, meant: &Meant, open: bool) -> Steps {
        self.each_id(meant, |object| Goal::Slid { object, open })
    }

    /// The meaning of a phrase for what is opened or closed.
    fn on_hinges(&self, np: &Np, open: bool, wanted: Wanted, context: &mut Context) -> Meaning {
        // It hangs on such a joint, or has one part that does.
        let sliding = |meant: &&Meant| {
            meant.single().is_some_and(|thing| {
                self.moves_on(thing, wanted) || self.parts_on(thing, wanted).count() == 1
            })
        };
        if matches!(np.is, NounPhrase::Pronoun { .. }) {
            let spoken_of = || context.earlier().find(sliding).cloned();
            if let Some(slid) = context.slid.clone().or_else(spoken_of) {
                return Ok(slid);
            }
        }
        // "close everything" is about what closes.
        if let NounPhrase::Everything { rest: None, posts } = &np.is
            && posts.is_empty()
        {
            let joints = self.percept.joints.iter().filter(|joint| wanted(joint));
            let things: Vec<_> = joints.map(|j| Referent::Object(j.child.clone())).collect();
            return match things.is_empty() {
                true => Err(self.nonsense(&np.tree, "there is nothing that moves so")),
                false => Ok(Meant::all(things)),
            };
        }
        // Only what is not so yet can be meant.
        let (before, after) = if open {
            ("closed", "open")
        } else {
            ("open", "closed")
        };
        let is_left = |t: &Referent| self.is_state(t, before) && !self.is_state(t, after);
        let meant = self.np(np, context);
        meant.or_else(|trouble| trouble.settled(is_left))
    }

    /// Returns true if a thing hangs on a joint of a sort.
    fn moves_on(&self, thing: &Referent, wanted: Wanted) -> bool {
        let mut joints = self.percept.joints.iter();
        joints.any(|j| &j.child == thing.id() && wanted(j))
    }

    /// The parts of a thing that move on joints of a sort.
    fn parts_on(&self, thing: &Referent, wanted: Wanted) -> impl Iterator<Item = Referent> {
        let joints = self.percept.joints.iter();
        let its = joints.filter(move |j| self.is_part(j, thing) && wanted(j));
        its.map(|j| Referent::Object(j.child.clone()))
    }

    /// Finds the part that moves if a thing is opened: itself, or its part on a joint.
    fn hinged(&self, np: &Np, thing: &Referent, wanted: Wanted) -> Result<Referent, ReadingError> {
        if self.moves_on(thing, wanted) {
            return Ok(thing.clone());
        }
        let mut parts: Vec<Referent> = self.parts_on(thing, wanted).collect();
        match parts.len() {
            0 => {
                let what = match self.parts_on(thing, |_| true).next() {
                    Some(_) => "has nothing that moves so",
                    None => "is not on a joint, and has no part that is",
                };
                Err(self.nonsense(&np.tree, &format!("{thing} {what}")))
            }
            1 => Ok(parts.remove(0)),
            _ => Err(self.several(&np.tree, &parts)),
        }
    }

    pub(super) fn turn_by(
        &self,
        np: &Np,
        degrees: &Word,
        back: bool,
        context: &mut Context,
    ) -> Steps {
        let angle = number(degrees).filter(|d| *d > 0.0 && *d <= 360.0);
        let too_far = || self.nonsense(&degrees.tree, "not an angle up to 360 degrees");
        let angle = angle.ok_or_else(too_far)?;
        let degrees = if back { -angle } else { angle };
        let steps = self.slide(np, true, ObjectJoint::is_set, context)?;
        let turned = |step| match step {
            Step::Do(Intent::Achieve(Goal::Slid { object, .. })) => {
                Step::Do(Intent::Turn { object, degrees })
            }
            step => step,
        };
        Ok(steps.into_iter().map(turned).collect())
    }

    pub(super) fn press(&self, np: &Np, context: &mut Context) -> Steps {
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
            false => Err(self.nonsense(&np.tree, &format!("{thing} is not a button"))),
        })
    }
}
