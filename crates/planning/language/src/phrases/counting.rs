//! Quantities in phrases.

use crate::ast::Determiner;
use crate::phrases::noun::Noun;
use crate::reader::{Meaning, Reader};
use crate::referent::{How, Meant, Referent, list, those};
use crate::tree::Tree;

impl Reader<'_> {
    /// Applies the determiner and the number of the noun.
    pub(super) fn determined(
        &self,
        tree: &Tree,
        things: Vec<Referent>,
        noun: &Noun<'_>,
    ) -> Meaning {
        let meant = Meant {
            things,
            how: if noun.plural { How::All } else { How::The },
            ..Meant::called(noun.words.clone())
        };
        match (noun.det, noun.det.and_then(Determiner::number)) {
            (Some(Determiner::A), _) if noun.plural => Ok(meant),
            (_, Some(number)) => self.so_many(tree, meant, number),
            (Some(Determiner::All { .. }), _) => self.nonempty(tree, meant.so_many(How::All)),
            (Some(Determiner::No), _) => Err(self.senseless(tree, "_ names no object")),
            _ => {
                let known = self.context.all_mentioned();
                let spoken_of = those(&meant.things, |thing| known.contains(thing));
                match (meant.how, meant.things.len(), spoken_of.len()) {
                    // "the drawer" is the one that was mentioned before.
                    (How::The, 2.., 1) => Ok(meant.with(spoken_of)),
                    _ => self.count(tree, meant),
                }
            }
        }
    }

    /// Reduces a phrase in the singular to one object.
    pub(super) fn count(&self, tree: &Tree, meant: Meant) -> Meaning {
        let meant = self.nonempty(tree, meant)?;
        if meant.how != How::The || meant.things.len() == 1 {
            return Ok(meant);
        }
        let is_loose = |t: &Referent| self.object(t).is_some_and(|o| o.movable);
        let loose = those(&meant.things, is_loose);
        let sliding = those(&meant.things, |t| self.joint(t).is_some());
        match (loose.len(), sliding.len()) {
            (1, _) if meant.things.len() == 2 => Ok(meant.with(loose)),
            (0, 1) => Ok(meant.with(sliding)),
            _ => Err(self.several(tree, &meant.things)),
        }
    }

    pub(super) fn nonempty(&self, tree: &Tree, meant: Meant) -> Meaning {
        match meant.things.is_empty() {
            true => Err(self.none(tree, "there is no such object")),
            false => Ok(meant),
        }
    }

    /// Applies a number: exactly these objects, or any `n` of them.
    pub(super) fn so_many(
        &self,
        tree: &Tree,
        meant: Meant,
        (n, is_exact): (usize, bool),
    ) -> Meaning {
        let there = meant.things.len();
        let how = match (is_exact, there == n, n) {
            _ if there == 0 && !is_exact => return self.nonempty(tree, meant),
            _ if there < n => {
                let why = format!("there are {there}: {}", list(&meant.things));
                return Err(self.none(tree, why));
            }
            (true, false, _) => return Err(self.several(tree, &meant.things)),
            (false, true, 1) => How::The,
            (_, true, _) => How::All,
            (false, false, _) => How::Any(n),
        };
        Ok(meant.so_many(how))
    }
}
