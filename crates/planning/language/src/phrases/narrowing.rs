//! Restricts objects by the modifiers of a noun, and by its quantity.

use std::cmp::Ordering;

use regrasp_relations::not_within;

use crate::ast::{Determiner, Modified, Modifier};
use crate::modifiers::select::{Selector, choose};
use crate::phrases::nouns::Noun;
use crate::reader::{Meaning, Reader};
use crate::referent::{How, Meant, Referent, Resolved, list, those};
use crate::tree::Tree;
use crate::words::Names;

/// Restricting modifiers as text, and selectors for the remaining objects.
type Restrictions<'t> = (Vec<String>, Vec<(Selector<'t>, String)>);

impl Reader<'_> {
    /// Returns the objects that fit all modifiers, with an explanation.
    pub(super) fn narrowed(
        &mut self,
        tree: &Tree,
        mut things: Vec<Referent>,
        noun: &Noun<'_>,
    ) -> Resolved<(Vec<Referent>, String)> {
        let all = list(&things);
        let n_all = things.len();
        self.keep_places(&mut things, noun);
        let (mut restrictions, selectors) = self.keep_modified(&mut things, noun)?;
        if !noun.plural {
            self.without_more_colors(&mut things, noun);
        }
        if noun.is_other() {
            self.keep_others(tree, &mut things)?;
            restrictions.push("other".into());
        }
        let (selectors, phrases): (Vec<_>, Vec<_>) = selectors.into_iter().unzip();
        restrictions.extend(phrases);
        if !selectors.is_empty() {
            let number = noun.det.and_then(Determiner::number);
            let all = things;
            things = choose(self, tree, &all, &selectors, !noun.plural, number)?;
            // The objects may have been moved by earlier steps, so that another one may fit the
            // description by then.
            let was_put = |t: &Referent| self.context.placed.contains(t.id());
            let by_size = self.context.current.is_some() && selectors.iter().all(Selector::by_size);
            if things.len() < all.len() && !by_size && things.iter().any(was_put) {
                let all = list(&things);
                return Err(self.unclear(tree, format!("_: {all}, or another one after that?")));
            }
        }
        let restrictions = restrictions.join(" and ");
        let why = match (n_all, restrictions.is_empty(), things.len()) {
            (1, true, _) => "the only object with that name".to_owned(),
            (_, true, n) => format!("{n} of {n_all} objects with that name"),
            (_, false, 1) => format!("the only one of {all} that is {restrictions}"),
            (_, false, _) => format!("those of {all} that are {restrictions}"),
        };
        Ok((things, why))
    }

    /// Keeps the zones of an object and drops the whole, if modifiers choose among zones.
    fn keep_places(&self, things: &mut Vec<Referent>, noun: &Noun<'_>) {
        if !noun.quals.is_empty() || noun.is_other() {
            let zones = things.iter().filter(|t| t.zone().is_some());
            let wholes: Vec<_> = zones.map(|t| t.id().clone()).collect();
            things.retain(|t| t.zone().is_some() || !wholes.contains(t.id()));
        }
        // Words that are a part of names come first: "the open middle drawer".
        for qual in noun.quals {
            if let Modifier::AtSide { side, .. } = &qual.is {
                self.keep_on_side(&side.means, things);
            }
        }
    }

    /// Applies each restricting modifier, and returns the selectors for later.
    fn keep_modified<'t>(
        &mut self,
        things: &mut Vec<Referent>,
        noun: &Noun<'t>,
    ) -> Resolved<Restrictions<'t>> {
        let (mut restrictions, mut selectors) = Restrictions::default();
        let quals = noun.quals.iter().map(|qual| (qual, false));
        let modifiers = quals.chain(noun.posts.iter().map(|post| (post, true)));
        for (modifier, is_behind) in modifiers {
            if self.is_of_group(&modifier.is, noun) {
                continue;
            }
            let tree = &modifier.tree;
            let before = things.clone();
            let is_where = match modifier.is.plain() {
                Modifier::Related { .. } | Modifier::InBetween { .. } => true,
                Modifier::Two { first, .. } => !matches!(first.is, Modifier::Color { .. }),
                Modifier::AtSide { .. } if is_behind => {
                    self.check_side(tree, [tree.from, tree.to + 1])?;
                    true
                }
                _ => false,
            };
            self.context.n_idle += usize::from(is_where && before.len() == 1);
            let phrase = self.phrase(tree);
            if let Some(selector) = self.apply_modifier(modifier, things, [false, noun.plural])? {
                selectors.push((selector, phrase));
                continue;
            }
            if things.is_empty() {
                let all = list(&before);
                let why = format!("_: read as a description, it fits none of {all}");
                return Err(self.none(tree, why));
            }
            restrictions.push(phrase);
        }
        Ok((restrictions, selectors))
    }

    /// Returns true if a colour is that of a group of small objects, which means its container:
    /// "the orange beads".
    fn is_of_group(&self, qual: &Modifier, noun: &Noun<'_>) -> bool {
        let Modifier::Color { word } = qual else {
            return false;
        };
        let mut groups = self.scene.percept.groups.iter();
        let has_its = |color: &Option<String>| color.as_ref() == Some(&word.means);
        let is_called = |names: Names| names.fit(&noun.words, self.lexicon).is_some();
        groups.any(|g| has_its(&g.color) && is_called(Names::of(&g.as_object())))
    }

    /// Prefers a white mug to a white and yellow one for "the white mug".
    fn without_more_colors(&self, things: &mut Vec<Referent>, noun: &Noun<'_>) {
        let said = noun.quals.iter().flat_map(|qual| qual.is.colors());
        let said: Vec<String> = said.collect();
        let has_no_more = |thing: &Referent| {
            let names = self.object(thing).map(Names::of);
            let named = names.iter().flat_map(|names| &names.all);
            let mut colors = named.filter_map(|word| self.lexicon.meaning_of("color", word));
            colors.all(|color| said.contains(&color))
        };
        if !said.is_empty() && things.len() > 1 && things.iter().any(has_no_more) {
            things.retain(has_no_more);
        }
    }

    /// Keeps the objects that were not mentioned.
    fn keep_others(&self, tree: &Tree, things: &mut Vec<Referent>) -> Resolved<()> {
        let mut any = self.context.mentioned.iter().filter(|m| m.is_any());
        if any.any(|m| m.things.iter().any(|t| things.contains(t))) {
            return Err(self.unclear(tree, "_: other than which?"));
        }
        // Among zones, the present one of the moved object is excluded.
        let current = self.context.current.as_ref();
        let is_there = |thing: &Referent| {
            let (Some(zone), Some(whole)) = (thing.zone(), self.object(thing)) else {
                return false;
            };
            let is_in = |o| not_within(self.scene.percept, o, whole, zone).is_none();
            let mut moved = current.iter().flat_map(|meant| &meant.things);
            moved.any(|thing| self.object(thing).is_some_and(is_in))
        };
        // "Each cube in a different mug" would need an assignment.
        if current.is_some_and(|moved| moved.how == How::All && moved.things.len() > 1) {
            return Err(self.unclear(tree, "_: which one for each object?"));
        }
        let used = self.context.used();
        things.retain(|thing| !used.contains(thing) && !is_there(thing));
        Ok(())
    }

    /// Applies the determiner and the number of the noun.
    pub(super) fn determined(
        &self,
        tree: &Tree,
        things: Vec<Referent>,
        noun: &Noun<'_>,
    ) -> Meaning {
        let is_count = |qual: &Modified| matches!(qual.is, Modifier::Count { .. });
        let number = noun.det.and_then(Determiner::number);
        let mut meant = Meant {
            things,
            how: if noun.plural { How::All } else { How::The },
            is_new: matches!(number, Some((_, false)))
                || noun.det.is_none() && noun.quals.first().is_some_and(is_count),
            is_each: matches!(noun.det, Some(Determiner::All { .. })) && !noun.plural,
            is_more: matches!(noun.det, Some(Determiner::Another)),
            is_exact: matches!(noun.det, Some(Determiner::Exactly { .. })),
            ..Meant::called(noun.words.clone())
        };
        // An indefinite phrase means none of the objects that were moved before.
        if meant.is_new && self.context.current.is_none() {
            let before = self.context.moved.iter().filter(|m| !m.is_any());
            let before: Vec<_> = before.flat_map(|m| m.things.clone()).collect();
            let n = meant.things.len();
            meant.things.retain(|thing| !before.contains(thing));
            if n > 0 && meant.things.is_empty() {
                return Err(self.none(tree, "_: there is no other one"));
            }
        }
        match (noun.det, number) {
            (Some(Determiner::A), _) if noun.plural => {
                let n = meant.things.len().min(2);
                self.so_many(tree, meant, (n, false))
            }
            (_, Some(number)) => self.so_many(tree, meant, number),
            (Some(Determiner::All { .. }), _) => self.nonempty(tree, meant.so_many(How::All)),
            _ => {
                let known = self.context.all_mentioned();
                let spoken_of = those(&meant.things, |thing| {
                    let is_described = !(noun.quals.is_empty() && noun.posts.is_empty());
                    known.contains(thing) && !(is_described && self.is_current(thing))
                });
                match (meant.how, spoken_of.as_slice()) {
                    // "the drawer" is the one that was mentioned before.
                    (How::The, [_]) => Ok(meant.with(spoken_of)),
                    _ => self.count(tree, meant),
                }
            }
        }
    }

    /// Returns true for an object of the current clause, which is not put on or beside itself.
    fn is_current(&self, thing: &Referent) -> bool {
        let current = self.context.current.as_ref();
        current.is_some_and(|moved| moved.things.contains(thing))
    }

    /// Reduces a phrase in the singular to one object.
    pub(super) fn count(&self, tree: &Tree, meant: Meant) -> Meaning {
        let mut meant = self.nonempty(tree, meant)?;
        if meant.how != How::The || meant.things.len() == 1 {
            return Ok(meant);
        }
        meant.things.retain(|thing| !self.is_current(thing));
        if meant.things.len() == 1 {
            return Ok(meant);
        }
        // "In the dish" means a bowl rather than a plate.
        let hollow = those(&meant.things, |t| self.has_inside(t));
        if self.context.wants_inside && hollow.len() == 1 {
            return Ok(meant.with(hollow));
        }
        let is_moved = self.context.current.is_none();
        let is_loose = |t: &Referent| is_moved && self.object(t).is_some_and(|o| o.movable);
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
            true => Err(self.none(tree, "_: there is no such object")),
            false => Ok(meant),
        }
    }

    /// Applies a number: exactly these objects, or any `n` of them.
    pub(crate) fn so_many(
        &self,
        tree: &Tree,
        meant: Meant,
        (n, is_exact): (usize, bool),
    ) -> Meaning {
        let there = meant.things.len();
        match (is_exact, there.cmp(&n)) {
            (false, _) if there == 0 => self.nonempty(tree, meant),
            (_, Ordering::Less) => {
                let why = format!("_: there are {there}: {}", list(&meant.things));
                Err(self.none(tree, why))
            }
            (true, Ordering::Greater) => Err(self.several(tree, &meant.things)),
            (false, Ordering::Greater) => Ok(meant.so_many(How::Any(n))),
            (false, Ordering::Equal) if n == 1 => Ok(meant.so_many(How::The)),
            (_, Ordering::Equal) => Ok(meant.so_many(How::All)),
        }
    }
}
