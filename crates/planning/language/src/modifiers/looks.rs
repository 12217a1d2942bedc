//! Appearance of objects: colours, shapes, sizes, and descriptive words.

use regrasp_api::PerceivedObject;

use crate::ast::{Np, Word};
use crate::lexicon::KINDS;
use crate::modifiers::select::score_of;
use crate::reader::Reader;
use crate::referent::Referent;
use crate::words::Names;

/// Largest difference of equal lengths, m.
const SAME_M: f64 = 1e-6;

impl Reader<'_> {
    pub(super) fn keep_colored(&self, word: &Word, things: &mut Vec<Referent>) {
        let written = self.phrase(&word.tree);
        // "wood screws" are screws of that name, whatever their material.
        things.retain(|t| self.has_word(t, &word.means) || self.has_word(t, &written));
    }

    /// Keeps "the red and white mug", or "the red and white mugs", some of which are red and others
    /// white.
    pub(super) fn keep_two_colored(
        &self,
        colors: [&Word; 2],
        plural: bool,
        things: &mut Vec<Referent>,
    ) {
        let colors = colors.map(|color| &color.means);
        let has_both = |t: &Referent| colors.iter().all(|color| self.has_word(t, color));
        if !plural || things.iter().any(has_both) {
            things.retain(has_both);
            return;
        }
        let is_there = |color: &&String| things.iter().any(|t| self.has_word(t, color));
        let all = colors.iter().all(is_there);
        things.retain(|t| all && colors.iter().any(|color| self.has_word(t, color)));
    }

    pub(super) fn is_sized(&self, thing: &Referent, size_m: f64) -> bool {
        let size = self.object(thing).map(|o| o.aabb_in_world().size());
        size.is_some_and(|size| size.iter().any(|s| (s - size_m).abs() < 0.1 * size_m))
    }

    /// Returns true if a size exceeds a length: "larger than 5 cm".
    pub(super) fn is_more_than(&self, thing: &Referent, most: &str, metres: f64) -> bool {
        let size = self.object(thing).map(|o| o.aabb_in_world().size());
        size.is_some_and(|size| match most {
            "small" | "short" => size.max() < metres - SAME_M,
            "thin" => size.min() < metres - SAME_M,
            "tall" | "high" => size.z > metres + SAME_M,
            _ => size.max() > metres + SAME_M,
        })
    }

    /// Keeps "the lid for the jar", whose name contains that of the jar.
    pub(super) fn keep_for(&self, np: &Np, things: &mut Vec<Referent>) {
        let words = self.noun_of(np);
        // The object itself is excluded: "the right of the plate" is a place beside it.
        let itself = self.clone().np(np);
        let itself = itself.map_or_else(|_| vec![], |meant| meant.things);
        let has_all = |o: &PerceivedObject| {
            let names = Names::of(o);
            words.iter().all(|w| names.has(&self.lexicon.singular(w)))
        };
        let is_for = |t: &Referent| !itself.contains(t) && self.object(t).is_some_and(has_all);
        things.retain(|t| !words.is_empty() && is_for(t));
    }

    /// Compares two objects by a word such as "large".
    pub(crate) fn is_more(&self, thing: &Referent, other: &Referent, word: &str) -> bool {
        let score = |thing: &Referent| score_of(self, thing, word);
        matches!((score(thing), score(other)), (Some(a), Some(b)) if a > b + 1e-3)
    }

    pub(crate) fn has_word(&self, thing: &Referent, word: &str) -> bool {
        let Some(object) = self.object(thing) else {
            return matches!(thing, Referent::Zone(_, zone) if has(zone.as_str(), word));
        };
        let is_color = object.color.as_deref().is_some_and(|c| KINDS.same(c, word));
        match thing {
            Referent::Zone(_, zone) => has(zone.as_str(), word) || is_color,
            Referent::Object(_) => is_color || Names::of(object).words().any(|own| own == word),
        }
    }
}

fn has(name: &str, word: &str) -> bool {
    Names::from_texts(name, "").has(word)
}
