//! Objects that are described by their position: "the mug on the tray".

use regrasp_relations::box_gap_m;

use crate::ast::{NounPhrase, Np};
use crate::clauses::goal;
use crate::modifiers::select::ranked;
use crate::phrases::plain;
use crate::reader::Reader;
use crate::referent::{How, Meant, Referent, Resolved, those};
use crate::related::{Sense, is_between};

/// Largest distance of an object, as a fraction of the next one's, at which it is clearly nearer.
const CLEARLY: f64 = 0.5;
/// Least distance by which an object is clearly nearer than the next, m: half the width of a cup.
const CLEARLY_M: f64 = 0.04;

/// Returns the objects for which a relation holds, in the strictest sense in which it holds for
/// any.
fn closest_sense(things: &[Referent], holds: impl Fn(&Referent, Sense) -> bool) -> Vec<Referent> {
    let senses = [Sense::Exact, Sense::Strict, Sense::Loose].into_iter();
    let mut found = senses.map(|sense| those(things, |thing| holds(thing, sense)));
    found.find(|found| !found.is_empty()).unwrap_or_default()
}

impl Reader<'_> {
    pub(super) fn by_relation(
        &mut self,
        word: &str,
        other: &Np,
        [negated, plural]: [bool; 2],
        things: &mut Vec<Referent>,
    ) -> Resolved<()> {
        let (word, others) = match negated {
            _ if let Some(top) = self.clone().top_of(word, other) => ("on", top),
            // "the bowl under the shelf" is in the space below its board.
            _ if word == "under"
                && let Some(space) = self.clone().under(other) =>
            {
                ("off", space)
            }
            true => (plain(word), self.np(other)?),
            // In "put it on the tray next to it", the second "it" is not the moved object.
            false
                if matches!(other.is, NounPhrase::Pronoun { .. })
                    && self.context.current.is_some() =>
            {
                (plain(word), Meant::one(self.owner(other)?))
            }
            // Among several supports, the one that carries an object is meant.
            false => (plain(word), self.np_or_all(other, How::Any(1))?),
        };
        // An object that the previous steps moved is described by its new place.
        let is_after = self.context.is_after;
        let has_side = self.scene.viewpoint.direction(word).is_some();
        self.context.is_after |= matches!(word, "in" | "on" | "off");
        let holds = |thing: &Referent, sense: Sense| {
            let object = self.object(thing).filter(|_| thing.zone().is_none());
            others.fits(|other| object.is_some_and(|o| self.related(word, o, other, sense)))
        };
        // "the drawer in the cabinet", "the burner on the stove".
        let is_part = |t: &Referent| others.things.iter().any(|whole| self.belongs(t, whole));
        let rests = matches!(word, "in" | "on" | "off");
        let parts = rests && things.iter().any(is_part);
        let fits = |t: &Referent, sense: Sense| holds(t, sense) || (parts && is_part(t));
        // In a condition or a question, a side is the direction alone.
        let is_wide = rests || is_after && has_side;
        let mut found = match is_wide && (plural || negated) {
            true => those(things, |thing| fits(thing, Sense::Loose)),
            false => closest_sense(things, fits),
        };
        if rests && plural && !negated {
            self.add_upper(&mut found, things);
        }
        if !plural && !negated && !parts {
            // A nearer object that lies less exactly on that side may be meant as well.
            let towards = those(things, |thing| has_side && fits(thing, Sense::Strict));
            found = self.clearly_nearest(word, found, towards, &others.things);
        }
        self.context.is_after = is_after;
        *things = found;
        Ok(())
    }

    /// Adds the objects that stand on found ones: on a book, which is on the desk.
    fn add_upper(&self, found: &mut Vec<Referent>, things: &[Referent]) {
        let carries = |below: &Referent, thing: &Referent| {
            !self.is_hollow(below) && self.is_there("off", thing, below)
        };
        loop {
            let is_there = |thing: &Referent| found.iter().any(|below| carries(below, thing));
            let all = those(things, |thing| found.contains(thing) || is_there(thing));
            if all.len() == found.len() {
                return;
            }
            *found = all;
        }
    }

    /// Keeps objects with another in or on them: "the bowl with the apple in it".
    pub(super) fn keep_having(&mut self, np: &Np, things: &mut Vec<Referent>) -> Resolved<()> {
        let inside = self.np(np)?;
        // If there is only one candidate, the phrase is not needed to distinguish it, but says what
        // goes along with it.
        if let ([one], [whole]) = (&inside.things[..], &things[..]) {
            let is_inside = self.is_hollow(whole) && self.is_there("in", one, whole);
            let relation = if is_inside { "in" } else { "on" };
            self.context.carried.push(goal(relation, [one, whole]));
        }
        let is_at = |thing: &Referent, own: &Referent| {
            self.is_there("on", own, thing) || self.is_there("in", own, thing)
        };
        things.retain(|thing| inside.things.iter().all(|own| is_at(thing, own)));
        Ok(())
    }

    pub(super) fn keep_between(&mut self, np: &Np, things: &mut Vec<Referent>) -> Resolved<()> {
        let pair = self.np(np)?;
        let [a, b] = pair.things.as_slice() else {
            return Err(self.nonsense(&np.tree, "_ does not name two objects"));
        };
        if let [Some(a), Some(b)] = [a, b].map(|thing| self.object(thing)) {
            *things = closest_sense(things, |thing: &Referent, sense: Sense| {
                let other = self.object(thing);
                let other = other.filter(|o| ![&a.id, &b.id].contains(&&o.id));
                other.is_some_and(|o| is_between(o, [a, b], sense))
            });
        }
        Ok(())
    }

    /// Returns the clearly nearest of several objects if distance decides, otherwise all. It
    /// decides beside another, in the middle of a large one, or if some `towards` are nearer.
    fn clearly_nearest(
        &self,
        relation: &str,
        mut found: Vec<Referent>,
        towards: Vec<Referent>,
        others: &[Referent],
    ) -> Vec<Referent> {
        let [other] = others else {
            return found;
        };
        let is_middle = other.zone().is_some_and(|zone| zone.as_str() == "middle");
        let distance_m = |thing: &Referent| match [thing, other].map(|t| self.object(t)) {
            [Some(a), Some(b)] if is_middle => {
                let [a, b] = [a, b].map(|o| o.aabb_in_world().center());
                (a - b).xy().norm()
            }
            [Some(a), Some(b)] => box_gap_m(a, b),
            _ => f64::INFINITY,
        };
        let near_m = found.iter().map(&distance_m).fold(f64::INFINITY, f64::min);
        let nearer = those(&towards, |t| distance_m(t) < near_m - CLEARLY_M);
        let decides = is_middle || relation == "beside" || !nearer.is_empty();
        found.extend(nearer);
        match ranked(&found, &|thing| Some(-distance_m(thing))).as_slice() {
            [(near, nearest), (next, _), ..]
                if decides && -near <= CLEARLY * -next && near - next >= CLEARLY_M =>
            {
                vec![(*nearest).clone()]
            }
            _ => found,
        }
    }
}
