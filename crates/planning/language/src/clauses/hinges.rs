//! Clauses that open, close, set, turn or press.

use std::rc::Rc;

use regrasp_api::{Goal, JointKind, ObjectJoint};

use crate::ast::{Extent, Node, NounPhrase, Np, Word};
use crate::clauses::onto::goal;
use crate::formula::Intent;
use crate::reader::{self, Meaning, Reader, Wanted, number};
use crate::referent::{Destination, Meant, ReadingError, Referent, Resolved};
use crate::task::Steps;
use crate::tokens::joined;
use crate::tree::Tree;

/// Amount of opening or closing: metres on a slide, degrees about a hinge, or a fraction of the
/// range.
#[derive(Clone, Copy)]
pub(super) enum Amount {
    Metres(f64),
    Degrees(f64),
    Part(f64),
}

impl Reader<'_> {
    /// Reads a command to open or close an object, or to turn it on or off.
    pub(super) fn slide_to(&mut self, tree: &Tree, np: &Np, state: &str) -> Steps {
        let steps = match state {
            "on" | "off" => self.switch(np, state == "on"),
            _ => self.slide(np, state == "open", ObjectJoint::opens),
        };
        self.without_others(tree, np, steps?)
    }

    /// Reads "leave the door open": what is half open by then stays as it is.
    pub(super) fn keep(&mut self, tree: &Tree, np: &Np, state: &str) -> Steps {
        let mut steps = self.slide_to(tree, np, state)?;
        steps.retain(|step| match step.intent().and_then(Intent::goal) {
            Some(Goal::Slid { object, open }) => {
                let joint = self.joint(&Referent::Object(object.clone()));
                joint.is_none_or(|joint| self.is_closed_by_then(joint) == *open)
            }
            _ => true,
        });
        Ok(steps)
    }

    /// Returns true if an object on a joint is closed, or off, after the previous steps.
    pub(super) fn is_closed_by_then(&self, joint: &ObjectJoint) -> bool {
        let opening = self.context.openings.get(&joint.child);
        opening.map_or(joint.is_closed(), |opening| *opening == Some(0.0))
    }

    /// Reads a command to open, close or set an object, which moves on a joint of the wanted kind
    /// or has exactly one part that does.
    pub(super) fn slide(&mut self, np: &Np, open: bool, wanted: Wanted) -> Steps {
        let meant = self.sliding(np, open, wanted)?;
        self.slid(&meant, open)
    }

    /// Reads a command to turn an object on or off: its knob is set, or its button pressed.
    pub(super) fn switch(&mut self, np: &Np, on: bool) -> Steps {
        let is_button = |own: Meant| self.are_buttons(&own);
        match on && self.clone().np(np).is_ok_and(is_button) {
            true => self.press(np),
            false => self.slide(np, on, ObjectJoint::is_set),
        }
    }

    fn sliding(&mut self, np: &Np, open: bool, wanted: Wanted) -> Meaning {
        let meant = self.on_hinges(np, open, wanted)?;
        let things = meant.things.iter();
        let things = things.map(|thing| self.one_moving(np, thing, wanted));
        let things = things.collect::<Result<Vec<_>, _>>()?;
        let meant = meant.with(things);
        self.context.slid = Some(meant.clone());
        if !matches!(np.is, NounPhrase::Pronoun { .. }) {
            let inner = meant.things.iter().map(|thing| self.inner_of(thing));
            let inner = meant.clone().with(inner.collect());
            self.context.place = Some(Destination::at("in", inner));
        }
        Ok(meant)
    }

    /// Reads a command to open or close an object partly.
    pub(super) fn slide_by(&mut self, np: &Np, open: bool, extent: &Rc<Node<Extent>>) -> Steps {
        let meant = self.sliding(np, open, ObjectJoint::opens)?;
        let (amount, how) = match &extent.is {
            Extent::Stretch { length, how } => (Amount::Metres(self.length_m(length)?), how),
            Extent::Measure { number, unit, how } => {
                let [n, of_range] = [number, unit].map(reader::number);
                let n = n.unwrap_or_default();
                let part = of_range.map(|of_range| Amount::Part(of_range * n));
                (part.unwrap_or(Amount::Degrees(n)), how)
            }
        };
        let how = how.as_ref().map_or("", |how| how.means.as_str());
        self.slid_by(&extent.tree, &meant, open, (amount, how))
    }

    /// Opens or closes by an amount, by an amount more, or to a position, from where the previous
    /// steps leave the object.
    pub(super) fn slid_by(
        &self,
        tree: &Rc<Tree>,
        meant: &Meant,
        open: bool,
        (amount, how): (Amount, &str),
    ) -> Steps {
        self.each(meant, |thing| {
            let joint = self.joint(thing);
            let joint = joint.ok_or_else(|| ReadingError::fixed(thing))?;
            let (travel, per_unit) = (joint.travel, joint.per_unit());
            let unit = match joint.kind {
                JointKind::Prismatic => "m",
                JointKind::Revolute => "degrees",
            };
            let by = match (amount, joint.kind) {
                (Amount::Part(part), _) => part * travel,
                (Amount::Metres(by), JointKind::Prismatic)
                | (Amount::Degrees(by), JointKind::Revolute) => by * per_unit,
                _ => return Err(self.nonsense(tree, format!("_: {thing} takes an amount in {unit}"))),
            };
            let before = self.context.openings.get(thing.id());
            let now = before.copied().unwrap_or(Some(joint.opening));
            let known = || now.ok_or_else(|| self.unclear(tree, "_: from where?"));
            let target = match (open, how, amount) {
                (false, "to", Amount::Part(_)) => travel - by,
                (_, "to", _) => by,
                (true, "more", _) => known()? + by,
                (true, ..) if known()? <= joint.closes_at() => by,
                (true, ..) => {
                    let how = "is already open: by that much more, or to that opening?";
                    return Err(self.unclear(tree, format!("_: {thing} {how}")));
                }
                (false, ..) => known()? - by,
            };
            let object = thing.id().clone();
            if target <= joint.closes_at() && !open && now.is_none_or(|now| now > target) {
                return Ok(Goal::Slid { object, open });
            }
            if target > travel + 1e-6 || target <= 0.0 {
                let most = travel / per_unit;
                return Err(self.nonsense(tree, format!("_: {thing} opens only by {most:.2} {unit}")));
            }
            if !open && now.is_some_and(|now| now <= target) {
                return Err(self.nonsense(tree, format!("_: {thing} is not open that far")));
            }
            // Rounded down to 0.001 m or degrees, and so never beyond the range.
            let opening = (1e3 * target / per_unit + 1e-3).floor() / 1e3;
            let is_state = how == "to" || matches!(amount, Amount::Part(_));
            let change = now.filter(|_| !is_state).map(|now| target - now);
            if change.is_some_and(|change| 0.5 * change.abs() < joint.exact()) {
                let least = 2.0 * joint.exact() / per_unit;
                let why = format!("{thing} moves by at least {least:.3} {unit}");
                return Err(self.inexact(tree, why));
            }
            let tolerance = change.map(|change| joint.tolerance_after(change));
            Ok(Goal::OpenBy {
                object,
                opening,
                tolerance,
            })
        })
    }

    /// States how far an object is open, as facts.
    pub(crate) fn openings_of(&mut self, np: &Np) -> Resolved<String> {
        let meant = self.sliding(np, false, ObjectJoint::opens)?;
        let joints = meant.things.iter().filter_map(|thing| self.joint(thing));
        let openings = joints.map(|joint| {
            let opening = joint.opening.max(0.0) / joint.per_unit();
            format!("open({}, {opening:.3})", joint.child)
        });
        Ok(joined(openings, "; "))
    }

    pub(super) fn slid(&self, meant: &Meant, open: bool) -> Steps {
        self.each_is(meant, if open { "open" } else { "closed" }, &[])
    }

    /// Returns the objects that are opened or closed.
    fn on_hinges(&mut self, np: &Np, open: bool, wanted: Wanted) -> Meaning {
        // The object moves on a joint of this kind, or has exactly one part that does.
        let sliding = |meant: &&Meant| {
            let single = meant.single();
            single.is_some_and(|thing| self.moving(thing, wanted).len() == 1)
        };
        if let NounPhrase::Pronoun { word } = &np.is {
            let context = &self.context;
            if word.means == "both" {
                let pair = context.last_two(|meant| sliding(&meant));
                let pair = pair.ok_or_else(|| self.unclear(&np.tree, "what is _?"))?;
                return Ok(Meant::all(pair.things.into_iter().rev().collect()));
            }
            let named = context.slid.as_ref().filter(|slid| slid.single().is_none());
            if let Some(found) = named.or_else(|| context.earlier().find(sliding)) {
                return Ok(found.clone());
            }
        }
        // Of several objects, only one in the opposite state can be meant.
        let (before, after) = match open {
            true => ("closed", "open"),
            false => ("open", "closed"),
        };
        let scene = self.clone();
        let is_left = |t: &Referent| scene.is_state(t, before) && !scene.is_state(t, after);
        // "close everything" means everything that can be closed, "something" one that is open.
        if let NounPhrase::Everything { some, rest, posts } = &np.is {
            let joints = self.joints(wanted);
            let things = joints.map(|j| Referent::Object(j.child.clone()));
            let things: Vec<_> = things.filter(|t| some.is_none() || is_left(t)).collect();
            return match things.is_empty() {
                true => Err(self.nonsense(&np.tree, "_: there is nothing to open or close")),
                false => self.everything(&np.tree, things, [some.is_none(), rest.is_some()], posts),
            };
        }
        // "in a drawer" leaves the choice open, so "that drawer" is not resolved by its state.
        let mut chosen = scene.context.mentioned.iter().filter(|m| m.is_any());
        let meant = self.np(np);
        match chosen.any(|m| m.things.iter().any(is_left)) {
            true => meant,
            false => meant.or_else(|error| error.settled(is_left)),
        }
    }

    /// Returns the parts that move if an object is opened: the object itself if it has a joint of
    /// this kind, otherwise its parts that do.
    pub(crate) fn moving(&self, thing: &Referent, wanted: Wanted) -> Vec<Referent> {
        if self.joints(wanted).any(|j| &j.child == thing.id()) {
            return vec![thing.clone()];
        }
        let parts = self.joints(wanted).filter(|j| self.is_part(j, thing));
        parts.map(|j| Referent::Object(j.child.clone())).collect()
    }

    fn one_moving(&self, np: &Np, thing: &Referent, wanted: Wanted) -> Resolved<Referent> {
        match self.moving(thing, wanted).as_slice() {
            [one] => Ok(one.clone()),
            [] => {
                let what = match self.moving(thing, |_| true).is_empty() {
                    true => "has no joint and no part on a joint",
                    false => "has no part that moves in this way",
                };
                Err(self.nonsense(&np.tree, format!("_: {thing} {what}")))
            }
            several => Err(self.several(&np.tree, several)),
        }
    }

    pub(super) fn turn_by(&mut self, np: &Np, degrees: &Word, back: Option<&Word>) -> Steps {
        let meant = self.sliding(np, true, ObjectJoint::is_set)?;
        if back.is_some_and(|back| back.means == "clock") {
            let why = "_: it is not known which way the knob turns on; say how far or back";
            return Err(self.impossible(&np.tree, why));
        }
        let angle = number(degrees).filter(|d| *d > 0.0 && *d <= 360.0);
        let too_far = || self.nonsense(&degrees.tree, "_: expected an angle up to 360 degrees");
        let angle = angle.ok_or_else(too_far)?;
        self.each(&meant, |thing| {
            let exact = self.joint(thing).map_or(0.0, ObjectJoint::exact);
            if 0.5 * angle.to_radians() < exact {
                let least = (2.0 * exact).to_degrees();
                let why = format!("it needs at least {least:.0} degrees");
                return Err(self.inexact(&degrees.tree, why));
            }
            let degrees = if back.is_some() { -angle } else { angle };
            let object = thing.id().clone();
            Ok(Intent::Turn { object, degrees })
        })
    }

    pub(super) fn press(&mut self, np: &Np) -> Steps {
        let meant = self.moved(np)?;
        self.each(&meant, |thing| match self.is_button(thing) {
            true => Ok(goal("pressed", [thing])),
            false => {
                let why = match self.moving(thing, |_| true).is_empty() {
                    true => "is not a button and has no joint that turns",
                    false => "is not a button",
                };
                Err(self.nonsense(&np.tree, format!("_: {thing} {why}")))
            }
        })
    }
}
