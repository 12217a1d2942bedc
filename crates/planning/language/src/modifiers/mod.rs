//! What words and clauses beside a noun say of things.

pub(crate) mod choose;
mod closest;
mod looks;
mod relations;
mod states;

use std::rc::Rc;

use crate::context::Context;
use crate::modifiers::choose::Chooser;
use crate::reader::Reader;
use crate::thing::{Thing, Trouble};
use crate::tree::Tree;

impl Reader<'_> {
    /// Returns true if a thing is as a quality says.
    pub(crate) fn is_such(
        &self,
        thing: &Thing,
        qual: &Rc<Tree>,
        context: &mut Context,
    ) -> Result<bool, Trouble> {
        let mut things = vec![thing.clone()];
        match self.apply_modifier(qual, &mut things, false, context)? {
            None => Ok(!things.is_empty()),
            Some(_) => Err(self.senseless(qual, "whether it is _ cannot be told")),
        }
    }

    /// Keeps what is as a quality or a clause behind the noun says; what chooses among several
    /// comes later.
    pub(crate) fn apply_modifier(
        &self,
        tree: &Rc<Tree>,
        things: &mut Vec<Thing>,
        plural: bool,
        context: &mut Context,
    ) -> Result<Option<Chooser>, Trouble> {
        let is_negated = tree.has("not");
        match tree.label.as_str() {
            "noise" => {}
            "color" | "material" | "color_after" => self.keep_colored(tree.last(), things),
            "colors" => self.keep_two_colored(tree, plural, things),
            "shape" => self.keep_shaped(tree, things),
            "size" => self.keep_sized(tree, things),
            "that_is_size" | "size_than" => self.keep_larger(tree, is_negated, things)?,
            "state" => {
                let state = self.word(tree);
                things.retain(|thing| self.is_state(thing, &state));
            }
            "held" => things.retain(|thing| self.held == Some(thing.id())),
            "non" | "neither" => self.keep_neither(tree, things, plural, context)?,
            "for_what" => self.keep_for(tree, things, context),
            "my_view" if self.viewpoint.position().is_none() => {
                return Err(self.unclear(tree, "_: where are you?"));
            }
            "my_view" => {}
            "rel" | "lies" | "that_lies" | "not_rel" | "that_is" => {
                let negated = tree.label == "not_rel" || (tree.label == "that_is" && is_negated);
                let word = self.relation(&tree.parts[tree.parts.len() - 2]);
                self.by_relation(&word, tree.last(), [negated, plural], things, context)?;
            }
            "at_part" => {
                self.by_relation("on", &tree.parts[0], [false, plural], things, context)?;
            }
            "has" | "has_not" => self.keep_having(tree, things, context)?,
            "between" => self.keep_between(tree, things, context)?,
            "of" => {
                let whole = self.one(&tree.parts[0], context)?;
                things.retain(|thing| self.belongs(thing, &whole));
            }
            "that_is_a" => {
                let those = self.np_quietly(tree.last(), context)?;
                things.retain(|thing| those.things.contains(thing) != is_negated);
            }
            "more_than" => {
                let word = self.word_of(tree, "most");
                let other = self.one(tree.last(), context)?;
                let is_more = |t: &Thing| self.is_more(t, &other, &word);
                things.retain(|thing| *thing != other && is_more(thing) != is_negated);
            }
            "same_color" => {
                let other = self.one(tree.last(), context)?;
                let color = self.object(&other).and_then(|o| o.color.clone());
                let color = color.ok_or_else(|| self.none(tree, "its colour is not known"))?;
                things.retain(|thing| *thing != other && self.has_word(thing, &color));
            }
            "that_is_what" => return self.that_is_what(tree, things, plural, context),
            "that_is_at" if is_negated => {
                let side = tree.last().parts.first();
                let side = side.map_or_else(|| "front".into(), |side| self.word(side));
                return Ok(Some(Chooser::NotSide(side)));
            }
            "that_is_at" => return self.apply_modifier(tree.last(), things, plural, context),
            "lies_at" => {
                let at = tree.parts.iter().find(|p| p.label.starts_with("at"));
                return at.map_or(Ok(None), |at| {
                    self.apply_modifier(at, things, plural, context)
                });
            }
            "some_most" => return Err(self.senseless(tree, "_ is not understood yet")),
            "to_after" => return Err(self.senseless(tree, "_ is not clear")),
            _ => return self.chooser(tree, things, context),
        }
        Ok(None)
    }

    /// Modifiers that choose among several things, unless a part of their name does.
    fn chooser(
        &self,
        tree: &Rc<Tree>,
        things: &mut Vec<Thing>,
        context: &mut Context,
    ) -> Result<Option<Chooser>, Trouble> {
        let part = |i: usize| &tree.parts[i];
        let label = tree.label.as_str();
        let chooser = match label {
            "count_qual" => Chooser::Count(self.number(part(0)).unwrap_or(0.0) as usize),
            "most_post" => Chooser::Most(self.word(tree)),
            "most" => self.most(tree, things),
            "very" => self.most(part(0), things),
            "side_most" => Chooser::Most(self.word(part(0))),
            "side" => {
                let side = self.word(tree);
                if self.keep_on_side(&side, things) {
                    return Ok(None);
                }
                Chooser::Side(side)
            }
            "nth" => Chooser::Nth(self.number(tree).unwrap_or(1.0) as i64),
            "nth_most" => {
                let n = self.number(part(0)).unwrap_or(1.0) as i64;
                Chooser::NthMost(n, self.word(part(1)))
            }
            "counted_from" => Chooser::CountedFrom(self.word(part(0))),
            "at" => {
                self.check_mine(tree)?;
                let side = self.word(tree.part("side").unwrap_or(part(0)));
                // "in the middle of the table" is a place, not the middle one of several.
                if side == "middle" && self.names_table(tree) {
                    return Err(self.senseless(tree, "_ is a place"));
                }
                Chooser::Side(side)
            }
            "at_front" | "at_back" | "at_top" => Chooser::Side(label[3..].to_owned()),
            "near_robot" | "far_robot" => Chooser::Near(self.base, label == "near_robot"),
            "near_me" | "far_me" => {
                self.check_mine(tree)?;
                let from = self.viewpoint.position().unwrap_or(self.base);
                Chooser::Near(from, label == "near_me")
            }
            "nearest" | "that_is_nearest" => {
                let near = self.word(part(tree.parts.len() - 2)) == "near";
                Chooser::To(self.one(tree.last(), context)?, near)
            }
            _ => return Err(self.senseless(tree, "_ says nothing of a thing")),
        };
        Ok(Some(chooser))
    }

    /// A superlative, or a quality that is one among several.
    fn most(&self, tree: &Tree, things: &mut Vec<Thing>) -> Chooser {
        let said = self.phrase(tree);
        let own = things.iter().filter(|t| self.has_word(t, &said));
        let own: Vec<_> = own.cloned().collect();
        if !own.is_empty() && own.len() < things.len() {
            *things = own;
            return Chooser::Count(things.len());
        }
        Chooser::Most(self.word(tree))
    }

    /// Keeps what has a side in its name, if anything has.
    pub(crate) fn keep_on_side(&self, side: &str, things: &mut Vec<Thing>) -> bool {
        let has = |t: &Thing| side.split('_').all(|w| self.has_word(t, w));
        let any = things.iter().any(has);
        if any {
            things.retain(has);
        }
        any
    }

    /// Drops what is as any of some qualities say.
    fn keep_neither(
        &self,
        tree: &Rc<Tree>,
        things: &mut Vec<Thing>,
        plural: bool,
        context: &mut Context,
    ) -> Result<(), Trouble> {
        for qual in &tree.parts {
            let mut those = things.clone();
            if self
                .apply_modifier(qual, &mut those, plural, context)?
                .is_some()
            {
                return Err(self.senseless(tree, "_ is not clear"));
            }
            things.retain(|thing| !those.contains(thing));
        }
        Ok(())
    }

    /// "that is (not) red".
    fn that_is_what(
        &self,
        tree: &Rc<Tree>,
        things: &mut Vec<Thing>,
        plural: bool,
        context: &mut Context,
    ) -> Result<Option<Chooser>, Trouble> {
        let mut those = things.clone();
        let chooser = self.apply_modifier(tree.last(), &mut those, plural, context)?;
        match (chooser, tree.has("not")) {
            (None, false) => *things = those,
            (None, true) => things.retain(|thing| !those.contains(thing)),
            (chooser, false) => return Ok(chooser),
            (Some(Chooser::Most(most)), true) => return Ok(Some(Chooser::NotMost(most))),
            (Some(_), true) => return Err(self.senseless(tree, "_ is not clear")),
        }
        Ok(None)
    }
}
