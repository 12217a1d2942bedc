//! What words and clauses beside a noun say of things.

use regrasp_relations::count_in;
use std::rc::Rc;

use regrasp_api::PerceivedObject;

use crate::choose::Chooser;
use crate::closest::closest_sense;
use crate::context::Context;
use crate::parse::Tree;
use crate::refer::Reader;
use crate::related::{Sense, is_between};
use crate::thing::{How, Meant, Thing, Trouble};
use crate::tokens::Token;
use crate::words::Names;

impl<'a> Reader<'a> {
    /// "my left" says nothing as long as nobody knows where I am.
    pub(crate) fn check_mine(&self, tree: &Tree) -> Result<(), Trouble> {
        let said = &self.tokens[tree.from..tree.to];
        let mine = said
            .iter()
            .filter_map(Token::word)
            .any(|w| self.lexicon.is_mine(w));
        match mine && self.viewpoint.position().is_none() {
            true => Err(Trouble::Unclear {
                question: format!(
                    "`{}`: where are you? (a viewpoint says so)",
                    self.phrase(tree)
                ),
            }),
            false => Ok(()),
        }
    }

    /// Whether a thing is as a quality says.
    pub(crate) fn is_such(
        &self,
        thing: &Thing,
        qual: &Tree,
        context: &mut Context,
    ) -> Result<bool, Trouble> {
        let mut things = vec![thing.clone()];
        match self.told(qual, &mut things, false, context)? {
            None => Ok(!things.is_empty()),
            Some(_) => Err(Trouble::Nonsense(format!(
                "whether it is `{}` cannot be told",
                self.phrase(qual)
            ))),
        }
    }

    /// Keeps what is as a quality or a clause behind the noun says; what chooses among several
    /// comes later.
    pub(crate) fn told(
        &self,
        tree: &Tree,
        things: &mut Vec<Thing>,
        plural: bool,
        context: &mut Context,
    ) -> Result<Option<Chooser>, Trouble> {
        let part = |i: usize| &tree.parts[i];
        let is_negated = tree.parts.iter().any(|p| p.label == "not");
        match tree.label.as_str() {
            "color" | "material" | "color_after" => {
                let class = tree.parts.last().map_or(tree, |t| t);
                let (word, said) = (self.word(class), self.phrase(class));
                // "wood screws" are called so, whatever they are made of.
                let is_so = |t: &Thing| self.has_word(t, &word) || self.has_word(t, &said);
                things.retain(is_so);
            }
            "colors" => {
                let [a, b] = [self.word(part(0)), self.word(part(1))];
                let has_both = |t: &Thing| self.has_word(t, &a) && self.has_word(t, &b);
                if !plural || things.iter().any(has_both) {
                    things.retain(has_both);
                } else {
                    let all = [&a, &b]
                        .iter()
                        .all(|w| things.iter().any(|t| self.has_word(t, w)));
                    things.retain(|t| all && (self.has_word(t, &a) || self.has_word(t, &b)));
                }
            }
            "non" | "neither" => {
                for qual in &tree.parts {
                    let mut those = things.clone();
                    if self.told(qual, &mut those, plural, context)?.is_some() {
                        return Err(Trouble::Nonsense(format!(
                            "`{}` is not clear",
                            self.phrase(tree)
                        )));
                    }
                    things.retain(|thing| !those.contains(thing));
                }
            }
            "shape" => {
                let word = [self.word(tree)];
                let is_so = |t: &Thing| {
                    let names = self.object(t).map(Names::of);
                    names.is_some_and(|n| n.fit(&word, self.lexicon).is_some())
                };
                things.retain(is_so);
            }
            "my_view" => {
                if self.viewpoint.position().is_none() {
                    return Err(Trouble::Unclear {
                        question: format!("`{}`: where are you?", self.phrase(tree)),
                    });
                }
            }
            "state" => {
                let state = self.word(tree);
                self.with_state(things, &state);
            }
            "size" => {
                let unit: f64 = self.number(part(1)).unwrap_or(1.0);
                let size_m = self.number(part(0)).unwrap_or(0.0) * unit;
                let fits = |o: &PerceivedObject| {
                    let size = o.aabb_in_world().size();
                    size.iter().any(|s| (s - size_m).abs() < 0.1 * size_m)
                };
                things.retain(|thing| self.object(thing).is_some_and(fits));
            }
            "count_qual" => {
                let n = self.number(part(0)).unwrap_or(0.0) as usize;
                return Ok(Some(Chooser::Count(n)));
            }
            "most_post" => return Ok(Some(Chooser::Most(self.word(tree)))),
            "most" => return Ok(Some(self.most(tree, things))),
            "very" => return Ok(Some(self.most(part(0), things))),
            "some_most" => {
                return Err(Trouble::Nonsense(format!(
                    "`{}` is not understood yet",
                    self.phrase(tree)
                )));
            }
            "side" => {
                let side = self.word(tree);
                return Ok(self.by_side(&side, things));
            }
            "for_what" => {
                let other = tree.parts.iter().rfind(|p| crate::clauses::is_np(p));
                let words = other.map_or_else(Vec::new, |other| self.noun_of(other));
                // Nothing is of itself: "the right of the plate" is a place beside it.
                let itself = other.and_then(|other| self.np(other, &mut context.clone()).ok());
                let itself = itself.map_or_else(Vec::new, |meant| meant.things);
                let is_for = |t: &Thing| {
                    let names = self.object(t).map(Names::of);
                    !words.is_empty()
                        && !itself.contains(t)
                        && names
                            .is_some_and(|n| words.iter().all(|w| n.has(&self.lexicon.singular(w))))
                };
                things.retain(is_for);
            }
            "side_most" => return Ok(Some(Chooser::Most(self.word(part(0))))),
            "nth" => return Ok(Some(Chooser::Nth(self.number(tree).unwrap_or(1.0) as i64))),
            "nth_most" => {
                let n = self.number(part(0)).unwrap_or(1.0) as i64;
                return Ok(Some(Chooser::NthMost(n, self.word(part(1)))));
            }
            "counted_from" => return Ok(Some(Chooser::CountedFrom(self.word(part(0))))),
            "at" => {
                self.check_mine(tree)?;
                let side = tree.parts.iter().find(|p| p.label == "side");
                let side = self.word(side.unwrap_or(part(0)));
                // "in the middle of the table" is a place, not the middle one of several.
                if side == "middle" && self.names_table(tree) {
                    return Err(Trouble::Nonsense(format!(
                        "`{}` is a place",
                        self.phrase(tree)
                    )));
                }
                return Ok(Some(Chooser::Side(side)));
            }
            "at_front" => return Ok(Some(Chooser::Side("front".into()))),
            "at_back" => return Ok(Some(Chooser::Side("back".into()))),
            "at_top" => return Ok(Some(Chooser::Side("top".into()))),
            "lies_at" => {
                let at = tree.parts.iter().find(|p| p.label.starts_with("at"));
                return at.map_or(Ok(None), |at| self.told(at, things, plural, context));
            }
            "that_is_at" => {
                let negated = is_negated;
                let at = tree.parts.last().map_or(tree, |t| t);
                if negated {
                    let side = at
                        .parts
                        .first()
                        .map_or_else(|| "front".into(), |p| self.word(p));
                    return Ok(Some(Chooser::NotSide(side)));
                }
                return self.told(at, things, plural, context);
            }
            "near_robot" => return Ok(Some(Chooser::Near(self.base, true))),
            "far_robot" => return Ok(Some(Chooser::Near(self.base, false))),
            "near_me" | "far_me" => {
                self.check_mine(tree)?;
                let from = self.viewpoint.position().unwrap_or(self.base);
                return Ok(Some(Chooser::Near(from, tree.label == "near_me")));
            }
            "nearest" | "that_is_nearest" => {
                let n = tree.parts.len();
                let near = self.word(part(n - 2)) == "near";
                let to = self.one(part(n - 1), context)?;
                return Ok(Some(Chooser::To(to, near)));
            }
            "noise" => {}
            "held" => {
                things.retain(|thing| self.held == Some(thing.id()));
            }
            "rel" | "lies" | "that_lies" | "not_rel" | "that_is" => {
                let n = tree.parts.len();
                let negated = tree.label == "not_rel" || (tree.label == "that_is" && is_negated);
                let word = self.relation(part(n - 2));
                self.by_relation(&word, part(n - 1), [negated, plural], things, context)?;
            }
            "at_part" => self.by_relation("on", part(0), [false, plural], things, context)?,
            "that_is_what" => {
                let negated = is_negated;
                let qual = tree.parts.last().map_or(tree, |t| t);
                let mut those = things.clone();
                let chooser = self.told(qual, &mut those, plural, context)?;
                match (chooser, negated) {
                    (None, false) => *things = those,
                    (None, true) => things.retain(|thing| !those.contains(thing)),
                    (chooser, false) => return Ok(chooser),
                    (Some(Chooser::Most(most)), true) => return Ok(Some(Chooser::NotMost(most))),
                    (Some(_), true) => {
                        return Err(Trouble::Nonsense(format!(
                            "`{}` is not clear",
                            self.phrase(tree)
                        )));
                    }
                }
            }
            "that_is_a" => {
                let negated = is_negated;
                let those = self.np_quietly(tree.parts.last().unwrap_or(part(0)), context)?;
                things.retain(|thing| those.things.contains(thing) != negated);
            }
            "that_is_size" | "size_than" => {
                let most = tree.parts.iter().find(|p| p.label == "most");
                let most = most.map_or_else(String::new, |p| self.word(p));
                let metres = self.length(tree)?.unwrap_or(0.0);
                let negated = tree.label == "that_is_size" && is_negated;
                let fits = |o: &PerceivedObject| {
                    let size = o.aabb_in_world().size();
                    match most.as_str() {
                        "small" | "short" => size.max() < metres - 1e-6,
                        "thin" => size.min() < metres - 1e-6,
                        "tall" | "high" => size.z > metres + 1e-6,
                        _ => size.max() > metres + 1e-6,
                    }
                };
                things.retain(|thing| self.object(thing).is_some_and(fits) != negated);
            }
            "more_than" => {
                let most = tree.parts.iter().find(|p| p.label == "most");
                let word = most.map_or_else(String::new, |p| self.word(p));
                let negated = is_negated;
                let other = self.one(tree.parts.last().unwrap_or(part(0)), context)?;
                things.retain(|thing| {
                    *thing != other && self.is_more(thing, &other, &word) != negated
                });
            }
            "same_color" => {
                let other = self.one(tree.parts.last().unwrap_or(part(0)), context)?;
                let color = self.object(&other).and_then(|o| o.color.clone());
                let color = color.ok_or_else(|| self.none(tree, "its colour is not known"))?;
                things.retain(|thing| *thing != other && self.has_word(thing, &color));
            }
            "has" | "has_not" => {
                let np = tree.parts.iter().rfind(|p| crate::clauses::is_np(p));
                let inside = self.np(np.unwrap_or(part(0)), context)?;
                let negated = tree.label == "has_not";
                things.retain(|thing| {
                    let is_there = |i: &Thing| {
                        self.object(i).is_some_and(|o| {
                            self.related("on", o, thing, Sense::Strict)
                                || self.related("in", o, thing, Sense::Strict)
                        })
                    };
                    inside.things.iter().all(is_there) != negated
                });
            }
            "between" => {
                let pair = self.np(part(0), context)?;
                let [a, b] = pair.things.as_slice() else {
                    return Err(Trouble::Nonsense(format!(
                        "`{}` needs two things",
                        self.phrase(tree)
                    )));
                };
                let (Some(a), Some(b)) = (self.object(a), self.object(b)) else {
                    return Ok(None);
                };
                let is_there = |thing: &Thing, sense: Sense| {
                    let object = self.object(thing);
                    let mut others = object.filter(|o| o.id != a.id && o.id != b.id).into_iter();
                    others.any(|o| is_between(o, a, b, sense))
                };
                *things = closest_sense(things, is_there);
            }
            "of" => {
                let whole = self.one(part(0), context)?;
                things.retain(|thing| self.belongs(thing, &whole));
            }
            "to_after" => {
                return Err(Trouble::Nonsense(format!(
                    "`{}` is not clear",
                    self.phrase(tree)
                )));
            }
            _ => {
                return Err(Trouble::Nonsense(format!(
                    "`{}` says nothing of a thing",
                    self.phrase(tree)
                )));
            }
        }
        Ok(None)
    }

    /// Whether a thing is more of what a word says than another.
    pub(crate) fn is_more(&self, thing: &Thing, other: &Thing, word: &str) -> bool {
        let score = |thing: &Thing| crate::choose::score_of(self, thing, word);
        matches!((score(thing), score(other)), (Some(a), Some(b)) if a > b + 1e-3)
    }

    /// A superlative, or a quality that is one among several.
    pub(crate) fn most(&self, tree: &Tree, things: &mut Vec<Thing>) -> Chooser {
        let said = self.phrase(tree);
        let own: Vec<_> = things
            .iter()
            .filter(|t| self.has_word(t, &said))
            .cloned()
            .collect();
        if !own.is_empty() && own.len() < things.len() {
            *things = own;
            return Chooser::Count(things.len());
        }
        Chooser::Most(self.word(tree))
    }

    /// "left" may be a part of what things are called; else it chooses among them.
    pub(crate) fn by_side(&self, side: &str, things: &mut Vec<Thing>) -> Option<Chooser> {
        let words: Vec<&str> = side.split('_').collect();
        let has = |t: &Thing| words.iter().all(|w| self.has_word(t, w));
        if things.iter().any(has) {
            things.retain(has);
            return None;
        }
        Some(Chooser::Side(side.to_owned()))
    }

    pub(crate) fn has_word(&self, thing: &Thing, word: &str) -> bool {
        match thing {
            Thing::Zone(id, zone) => {
                Names::from_texts(zone.as_str(), "").has(word)
                    || self
                        .percept
                        .object(id)
                        .is_some_and(|o| o.color.as_deref() == Some(word))
            }
            Thing::Object(id) => self.percept.object(id).is_some_and(|o| {
                let color = o
                    .color
                    .as_deref()
                    .map(|c| if c == "grey" { "gray" } else { c });
                color == Some(word)
                    || Names::of(o).has(word)
                    || (word == "gray" && Names::of(o).has("grey"))
            }),
        }
    }

    pub(crate) fn with_state(&self, things: &mut Vec<Thing>, state: &str) {
        things.retain(|thing| self.is_state(thing, state));
    }

    /// Whether something is open, closed, empty, full, covered, clear or held.
    pub(crate) fn is_state(&self, thing: &Thing, state: &str) -> bool {
        let Some(object) = self.object(thing) else {
            return false;
        };
        let joint = self.percept.joints.iter().find(|j| j.child == object.id);
        let mut others = self.percept.objects.iter().filter(|o| o.movable);
        let has =
            |relation: &str, o: &PerceivedObject| self.related(relation, o, thing, Sense::Strict);
        match state {
            "open" => joint.is_some_and(|j| j.is_open()),
            "closed" => joint.is_some_and(|j| j.is_closed()),
            "empty" => {
                !others.any(|o| has("in", o) || has("on", o)) && count_in(self.percept, object) == 0
            }
            "full" => {
                others.any(|o| has("in", o) || has("on", o)) || count_in(self.percept, object) > 0
            }
            "clear" => !others.any(|o| has("on", o)),
            "covered" => others.any(|o| has("on", o)),
            "held" => self.held == Some(&object.id),
            _ => false,
        }
    }

    pub(crate) fn by_relation(
        &self,
        word: &str,
        other: &Rc<Tree>,
        [negated, plural]: [bool; 2],
        things: &mut Vec<Thing>,
        context: &mut Context,
    ) -> Result<(), Trouble> {
        let others = match self.np(other, context) {
            // Which of them is told by what is there.
            Err(Trouble::Several { candidates, .. }) if !negated => Meant {
                things: candidates,
                how: How::Any(1),
                noun: vec![],
                colors: vec![],
                is_rest: false,
            },
            meant => meant?,
        };
        let holds = |thing: &Thing, sense: Sense| {
            let object = match thing {
                Thing::Object(id) => self.percept.object(id),
                Thing::Zone(..) => None,
            };
            let one = |other: &Thing| object.is_some_and(|o| self.related(word, o, other, sense));
            match others.how {
                How::Any(_) => others.things.iter().any(one),
                How::The | How::All => others.things.iter().all(one),
            }
        };
        // "the drawer in the cabinet", "the burner on the stove".
        let is_part = |thing: &Thing| others.things.iter().any(|whole| self.belongs(thing, whole));
        let parts = matches!(word, "in" | "on" | "off") && things.iter().any(is_part);
        let fits = |t: &Thing, sense: Sense| holds(t, sense) || (parts && is_part(t));
        let mut those = closest_sense(things, fits);
        if !plural && !negated && !parts {
            those = self.clearly_nearest(word, those, &others.things);
        }
        match negated {
            true => things.retain(|thing| !those.contains(thing)),
            false => *things = those,
        }
        Ok(())
    }

    /// The name of a relation.
    pub(crate) fn relation(&self, tree: &Tree) -> String {
        match tree.label.as_str() {
            "side_of" => self.word(tree),
            "from" => "off".to_owned(),
            label => label.to_owned(),
        }
    }
}
