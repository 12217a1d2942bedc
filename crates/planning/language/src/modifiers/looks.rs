//! Looks of things: colours, shapes and sizes, and the words that they are called by.

use std::rc::Rc;

use regrasp_api::PerceivedObject;

use crate::context::Context;
use crate::modifiers::choose::score_of;
use crate::reader::Reader;
use crate::thing::{Thing, Trouble};
use crate::tree::Tree;
use crate::words::Names;

/// Lengths that differ by less are the same, m.
const SAME_M: f64 = 1e-6;

impl Reader<'_> {
    pub(super) fn keep_colored(&self, tree: &Tree, things: &mut Vec<Thing>) {
        let (word, said) = (self.word(tree), self.phrase(tree));
        // "wood screws" are called so, whatever they are made of.
        things.retain(|t| self.has_word(t, &word) || self.has_word(t, &said));
    }

    /// "the red and white mug", or "the red and white mugs" of which some are red, others white.
    pub(super) fn keep_two_colored(&self, tree: &Tree, plural: bool, things: &mut Vec<Thing>) {
        let colors = [0, 1].map(|i| self.word(&tree.parts[i]));
        let has_both = |t: &Thing| colors.iter().all(|color| self.has_word(t, color));
        if !plural || things.iter().any(has_both) {
            things.retain(has_both);
            return;
        }
        let is_there = |color: &String| things.iter().any(|t| self.has_word(t, color));
        let all = colors.iter().all(is_there);
        things.retain(|t| all && colors.iter().any(|color| self.has_word(t, color)));
    }

    pub(super) fn keep_shaped(&self, tree: &Tree, things: &mut Vec<Thing>) {
        let word = self.word(tree);
        let is_so = |t: &Thing| self.object(t).is_some_and(|o| self.is_called(o, &word));
        things.retain(is_so);
    }

    /// "the 5 cm cube".
    pub(super) fn keep_sized(&self, tree: &Tree, things: &mut Vec<Thing>) {
        let unit = self.number(&tree.parts[1]).unwrap_or(1.0);
        let size_m = self.number(&tree.parts[0]).unwrap_or(0.0) * unit;
        let fits = |o: &PerceivedObject| {
            let size = o.aabb_in_world().size();
            size.iter().any(|s| (s - size_m).abs() < 0.1 * size_m)
        };
        things.retain(|thing| self.object(thing).is_some_and(fits));
    }

    /// "larger than 5 cm".
    pub(super) fn keep_larger(
        &self,
        tree: &Tree,
        negated: bool,
        things: &mut Vec<Thing>,
    ) -> Result<(), Trouble> {
        let most = self.word_of(tree, "most");
        let metres = self.length(tree)?.unwrap_or(0.0);
        let fits = |o: &PerceivedObject| {
            let size = o.aabb_in_world().size();
            match most.as_str() {
                "small" | "short" => size.max() < metres - SAME_M,
                "thin" => size.min() < metres - SAME_M,
                "tall" | "high" => size.z > metres + SAME_M,
                _ => size.max() > metres + SAME_M,
            }
        };
        things.retain(|thing| self.object(thing).is_some_and(fits) != negated);
        Ok(())
    }

    /// "the lid for the jar": what has the other's name in its own.
    pub(super) fn keep_for(&self, tree: &Rc<Tree>, things: &mut Vec<Thing>, context: &Context) {
        let other = tree.nps().next_back();
        let words = other.map_or_else(Vec::new, |other| self.noun_of(other));
        // Nothing is of itself: "the right of the plate" is a place beside it.
        let itself = other.and_then(|other| self.np(other, &mut context.clone()).ok());
        let itself = itself.map_or_else(Vec::new, |meant| meant.things);
        let has_all = |o: &PerceivedObject| {
            let names = Names::of(o);
            words.iter().all(|w| names.has(&self.lexicon.singular(w)))
        };
        let is_for = |t: &Thing| !itself.contains(t) && self.object(t).is_some_and(has_all);
        things.retain(|t| !words.is_empty() && is_for(t));
    }

    /// Returns true if a thing is more of what a word says than another.
    pub(crate) fn is_more(&self, thing: &Thing, other: &Thing, word: &str) -> bool {
        let score = |thing: &Thing| score_of(self, thing, word);
        matches!((score(thing), score(other)), (Some(a), Some(b)) if a > b + 1e-3)
    }

    pub(crate) fn has_word(&self, thing: &Thing, word: &str) -> bool {
        let Some(object) = self.object(thing) else {
            return matches!(thing, Thing::Zone(_, zone) if has(zone.as_str(), word));
        };
        let color = object.color.as_deref();
        match thing {
            Thing::Zone(_, zone) => has(zone.as_str(), word) || color == Some(word),
            Thing::Object(_) => {
                let names = Names::of(object);
                let color = color.map(|c| if c == "grey" { "gray" } else { c });
                color == Some(word) || names.has(word) || (word == "gray" && names.has("grey"))
            }
        }
    }
}

/// Returns true if a word is one of a name.
fn has(name: &str, word: &str) -> bool {
    Names::from_texts(name, "").has(word)
}
