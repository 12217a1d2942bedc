//! Objects that are described by their position: "the mug on the tray".

use crate::ast::Np;
use crate::modifiers::closest::closest_sense;
use crate::reader::Reader;
use crate::referent::{How, Referent, Resolved, those};
use crate::related::{Sense, is_between};

impl Reader<'_> {
    pub(super) fn by_relation(
        &mut self,
        word: &str,
        other: &Np,
        [negated, plural]: [bool; 2],
        things: &mut Vec<Referent>,
    ) -> Resolved<()> {
        let below = (word == "under").then(|| self.clone().under(other));
        let below = below.flatten();
        let (word, others) = match (below, negated) {
            // "the bowl under the shelf" is in the space below its board.
            (Some(space), _) => ("off", space),
            (_, true) => (word, self.np(other)?),
            // Among several supports, the one that carries an object is meant.
            (_, false) => (word, self.np_or_all(other, How::Any(1))?),
        };
        let holds = |thing: &Referent, sense: Sense| {
            let object = self.object(thing).filter(|_| thing.zone().is_none());
            let one =
                |other: &Referent| object.is_some_and(|o| self.related(word, o, other, sense));
            match others.is_any() {
                true => others.things.iter().any(one),
                false => others.things.iter().all(one),
            }
        };
        // "the drawer in the cabinet", "the burner on the stove".
        let is_part =
            |thing: &Referent| others.things.iter().any(|whole| self.belongs(thing, whole));
        let parts = matches!(word, "in" | "on" | "off") && things.iter().any(is_part);
        let fits = |t: &Referent, sense: Sense| holds(t, sense) || (parts && is_part(t));
        let mut found = closest_sense(things, fits);
        if self.scene.viewpoint.direction(word).is_some() && !plural && !negated {
            // A nearer object that is less straight to that side may be meant as well.
            let towards = those(things, |thing| fits(thing, Sense::Strict));
            found = self.with_nearer(found, &towards, &others.things);
        }
        if !plural && !negated && !parts {
            found = self.clearly_nearest(word, found, &others.things);
        }
        *things = found;
        Ok(())
    }

    /// Keeps objects with another in or on them: "the bowl with the apple in it".
    pub(super) fn keep_having(&mut self, np: &Np, things: &mut Vec<Referent>) -> Resolved<()> {
        let inside = self.np(np)?;
        things.retain(|thing| {
            let is_at =
                |i: &Referent| self.is_there("on", i, thing) || self.is_there("in", i, thing);
            inside.things.iter().all(is_at)
        });
        Ok(())
    }

    pub(super) fn keep_between(&mut self, np: &Np, things: &mut Vec<Referent>) -> Resolved<()> {
        let pair = self.np(np)?;
        let [a, b] = pair.things.as_slice() else {
            return Err(self.senseless(&np.tree, "_ does not name two objects"));
        };
        if let (Some(a), Some(b)) = (self.object(a), self.object(b)) {
            *things = closest_sense(things, |thing: &Referent, sense: Sense| {
                let object = self.object(thing);
                let other = object.filter(|o| o.id != a.id && o.id != b.id);
                other.is_some_and(|o| is_between(o, a, b, sense))
            });
        }
        Ok(())
    }
}
