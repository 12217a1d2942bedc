//! Words and clauses beside a noun that restrict its meaning.

mod order;
mod relations;
pub(crate) mod select;

use regrasp_api::{PerceivedObject, Zone};

use crate::ast::{Modified, Modifier, Np};
use crate::lexicon::KINDS;
use crate::modifiers::select::{Selector, choose};
use crate::properties::size_of;
use crate::reader::Reader;
use crate::referent::{ReadingError, Referent, Resolved, join, those};
use crate::tree::Tree;
use crate::words::Names;

impl Reader<'_> {
    pub(crate) fn is_such(&mut self, thing: &Referent, qual: &Modified) -> Resolved<bool> {
        let mut things = vec![thing.clone()];
        match self.apply_modifier(qual, &mut things, [false; 2])? {
            None => Ok(!things.is_empty()),
            Some(_) => Err(self.nonsense(&qual.tree, "a single object cannot be _")),
        }
    }

    /// Keeps the objects that fit a modifier. Returns a selector if the modifier chooses among
    /// several, which is applied later. If `negated`, the caller removes the kept objects.
    pub(crate) fn apply_modifier<'m>(
        &mut self,
        modifier: &'m Modified,
        things: &mut Vec<Referent>,
        [negated, plural]: [bool; 2],
    ) -> Resolved<Option<Selector<'m>>> {
        let tree = &modifier.tree;
        match &modifier.is {
            Modifier::Color { word } | Modifier::Material { word } => {
                // "wood screws" are screws of that name, whatever their material.
                let written = self.phrase(&word.tree);
                things.retain(|t| self.has_word(t, &word.means) || self.has_word(t, &written));
            }
            Modifier::Shape { word } => {
                let is_so = |o| self.is_called(o, &word.means);
                things.retain(|thing| self.object(thing).is_some_and(is_so));
            }
            Modifier::Size { length } => {
                let metres = self.length_m(length)?;
                let alike = |s: &f64| (s - metres).abs() < 0.1 * metres;
                let size = |thing: &Referent| self.object(thing).map(size_of);
                things.retain(|thing| size(thing).is_some_and(|s| s.iter().any(alike)));
            }
            Modifier::LargerThan { word, length } => {
                let metres = self.length_m(length)?;
                things.retain(|thing| self.is_more_than(thing, &word.means, metres));
            }
            Modifier::State { word } => things.retain(|thing| self.is_state(thing, &word.means)),
            Modifier::SeenFrom { whose } => self.check_view(tree, whose.means == "mine")?,
            Modifier::Related { relation, np }
                if relation.means == "in" && self.keep_in_stack(np, things) => {}
            Modifier::Related { relation, np } => {
                self.by_relation(&relation.means, np, [negated, plural], things)?;
            }
            Modifier::Has { np } => self.keep_having(np, things)?,
            Modifier::InBetween { np } => self.keep_between(np, things)?,
            Modifier::Belonging { np } if self.keep_in_stack(np, things) => {}
            Modifier::Belonging { np } => self.keep_belonging(np, things)?,
            Modifier::IsA { np } => {
                let those = self.np_quietly(np)?;
                things.retain(|thing| those.things.contains(thing));
            }
            Modifier::MoreThan { word, np } => {
                let other = self.one(np)?;
                // An object is neither larger nor "not larger" than itself.
                things.retain(|thing| match *thing == other {
                    true => negated,
                    false => self.is_more(thing, &other, &word.means),
                });
            }
            Modifier::SameColor { np } => {
                let other = self.one(np)?;
                let color = self.object(&other).and_then(|o| o.color.clone());
                let color = color.ok_or_else(|| self.none(tree, "_: its colour is not known"))?;
                things.retain(|thing| *thing != other && self.has_word(thing, &color));
            }
            Modifier::Such { not, of } => {
                return self.such(not.is_some(), of, things, plural);
            }
            Modifier::Two { first, second } => {
                self.keep_both(tree, [first, second], things, plural)?
            }
            Modifier::Either { first, second } => {
                let one = self.all_such(tree, first, things.clone(), plural)?;
                let other = self.all_such(tree, second, things.clone(), plural)?;
                *things = join(one, other);
            }
            _ => return self.selector(modifier, things),
        }
        Ok(None)
    }

    /// Keeps the objects that fit two modifiers; of several objects ("the red and blue cubes"), those
    /// that fit either if none fits both.
    fn keep_both(
        &mut self,
        tree: &Tree,
        [first, second]: [&Modified; 2],
        things: &mut Vec<Referent>,
        plural: bool,
    ) -> Resolved<()> {
        let one = self.all_such(tree, first, things.clone(), plural)?;
        let from = if plural { things.clone() } else { one.clone() };
        let other = self.all_such(tree, second, from, plural)?;
        let has_both = |t: &Referent| one.contains(t) && other.contains(t);
        let both = those(things, has_both);
        let is_color = |qual: &Modified| matches!(qual.is, Modifier::Color { .. });
        let lacks = is_color(first) && (one.is_empty() || other.is_empty());
        let either = plural && both.is_empty() && !lacks;
        things.retain(|t| has_both(t) || either && (one.contains(t) || other.contains(t)));
        Ok(())
    }

    /// Returns all objects that fit a modifier, even if it is a selector.
    fn all_such(
        &mut self,
        tree: &Tree,
        modifier: &Modified,
        mut things: Vec<Referent>,
        plural: bool,
    ) -> Resolved<Vec<Referent>> {
        match self.apply_modifier(modifier, &mut things, [false, plural])? {
            None => Ok(things),
            Some(selector) => choose(self, tree, &things, &[selector], !plural, None),
        }
    }

    /// Reads a modifier that chooses among several objects, unless it is a part of some of their
    /// names.
    fn selector<'m>(
        &mut self,
        modifier: &'m Modified,
        things: &mut Vec<Referent>,
    ) -> Resolved<Option<Selector<'m>>> {
        let tree = &modifier.tree;
        let (by, is_negated, mut other) = (&modifier.is, false, None);
        match &modifier.is {
            Modifier::Count { .. }
            | Modifier::Nth { .. }
            | Modifier::NthMost { .. }
            | Modifier::CountedFrom { .. } => {}
            Modifier::Most { word } => {
                let written = self.phrase(&word.tree);
                let own = those(things, |t| self.has_word(t, &written));
                if !own.is_empty() && own.len() < things.len() {
                    // The quality is a part of the name.
                    *things = own;
                    return Ok(None);
                }
            }
            Modifier::AtSide { side, table } => {
                self.check_mine(tree)?;
                // "in the middle of the table" is a place, and does not choose the middle object.
                if side.means == "middle" && table.is_some() {
                    return Err(self.nonsense(tree, "_ is a place and chooses no object"));
                }
                if self.keep_on_side(&side.means, things) {
                    return Ok(None);
                }
            }
            Modifier::NearestTo { whom, .. } => self.check_view(tree, whom.means == "me")?,
            Modifier::Nearest { np, .. } => other = Some(self.one(np)?),
            _ => return Err(self.nonsense(tree, "_ does not describe an object")),
        }
        Ok(Some(Selector {
            by,
            is_negated,
            other,
        }))
    }

    /// Keeps the objects with a side in their name, or the zone of that name of the only object
    /// ("the bottom shelf"). Returns false if there are none.
    pub(crate) fn keep_on_side(&self, side: &str, things: &mut Vec<Referent>) -> bool {
        let has = |t: &Referent| side.split('_').all(|w| self.has_word(t, w));
        if things.iter().any(has) {
            things.retain(has);
            return true;
        }
        let zone = Zone::new(side);
        match things.as_slice() {
            [Referent::Object(whole)]
                if self.scene.percept.declared_zone(whole, &zone).is_some() =>
            {
                *things = vec![Referent::Zone(whole.clone(), zone)];
                true
            }
            _ => false,
        }
    }

    /// Applies "that is red" or "that is not red".
    fn such<'m>(
        &mut self,
        negated: bool,
        of: &'m Modified,
        things: &mut Vec<Referent>,
        plural: bool,
    ) -> Resolved<Option<Selector<'m>>> {
        let mut those = things.clone();
        let selector = self.apply_modifier(of, &mut those, [negated, plural])?;
        match (selector, negated) {
            (None, false) => *things = those,
            (None, true) => things.retain(|thing| !those.contains(thing)),
            (selector, false) => return Ok(selector),
            (Some(selector), true) => {
                let not_clear = || self.nonsense(&of.tree, "the opposite of _ is not clear");
                return selector.negated().ok_or_else(not_clear).map(Some);
            }
        }
        Ok(None)
    }

    /// Compares a size with a length, as in "larger than 5 cm" or "thinner than 1 cm".
    pub(super) fn is_more_than(&self, thing: &Referent, most: &str, metres: f64) -> bool {
        let size = self.object(thing).map(size_of);
        size.is_some_and(|size| match most {
            "small" | "short" => size.max() < metres - SAME_M,
            "thin" => size.min() < metres - SAME_M,
            "tall" | "high" => size.z > metres + SAME_M,
            _ => size.max() > metres + SAME_M,
        })
    }

    /// Keeps the parts of an object and "the lid for the jar", whose name contains that of the jar.
    fn keep_belonging(&mut self, np: &Np, things: &mut Vec<Referent>) -> Resolved<()> {
        let words = self.noun_of(np);
        let whole = self.owner(np);
        let has_all = |o: &PerceivedObject| {
            let names = Names::of(o);
            !words.is_empty() && words.iter().all(|w| names.has(&self.lexicon.singular(w)))
        };
        let is_part = |t: &Referent| match &whole {
            Ok(whole) if t == whole => false,
            Ok(whole) if self.belongs(t, whole) => true,
            _ => self.object(t).is_some_and(has_all),
        };
        // "the left one of the cans" is one of them, and nothing for cans.
        let are_several = matches!(whole, Err(ReadingError::Nonsense(_)));
        things.retain(|t| !are_several && is_part(t));
        match things.is_empty() {
            true => whole.map(drop),
            false => Ok(()),
        }
    }

    /// Returns true if a word such as "large" fits an object better than another, by over 1 mm.
    pub(crate) fn is_more(&self, thing: &Referent, other: &Referent, word: &str) -> bool {
        let score = |thing: &Referent| self.score_of(thing, word);
        matches!((score(thing), score(other)), (Some(a), Some(b)) if a > b + 1e-3)
    }

    pub(crate) fn has_word(&self, thing: &Referent, word: &str) -> bool {
        let object = self.object(thing);
        let color = object.and_then(|o| o.color.as_deref());
        let is_called = match thing {
            Referent::Zone(_, zone) => Names::from_texts(zone.as_str(), "").has(word),
            Referent::Object(_) => {
                object.is_some_and(|o| Names::of(o).all.iter().any(|own| own == word))
            }
        };
        is_called || color.is_some_and(|color| KINDS.same(color, word))
    }
}

/// Largest difference of lengths that count as equal, m.
const SAME_M: f64 = 1e-6;
