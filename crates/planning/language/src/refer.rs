//! From noun phrases to the things that they mean.

use std::cell::Cell;
use std::rc::Rc;

use nalgebra::Vector2;
use regrasp_api::{ObjectId, PerceivedObject, Percept};

use crate::context::{Context, Said, last_two, mentioned, used};
use crate::lexicon::Lexicon;
use crate::parse::Tree;
use crate::related::{Sense, is_related};
use crate::thing::{How, Meant, Thing, Trouble};
use crate::tokens::Token;
use regrasp_api::Viewpoint;

/// Reads phrases against what is seen.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) percept: &'a Percept,
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) viewpoint: &'a Viewpoint,
    pub(crate) tokens: &'a [Token],
    pub(crate) held: Option<&'a ObjectId>,
    pub(crate) base: Vector2<f64>,
    /// Phrases that may still be looked up: nested ones are looked up often.
    pub(crate) patience: &'a Cell<usize>,
}

pub(crate) type Meaning = Result<Meant, Trouble>;

impl<'a> Reader<'a> {
    pub(crate) fn phrase(&self, tree: &Tree) -> String {
        let words = self.tokens[tree.from..tree.to].iter().map(Token::shown);
        words.collect::<Vec<_>>().join(" ")
    }

    /// What a word or several of a class mean.
    pub(crate) fn word(&self, tree: &Tree) -> String {
        let said = &self.tokens[tree.from..tree.to];
        let meaning = self.lexicon.meaning(&tree.label, said);
        meaning.map_or_else(|| self.phrase(tree), str::to_owned)
    }

    /// Where words of a class end that begin at a place.
    pub(crate) fn ends(&self, class: &str, at: usize) -> Vec<usize> {
        self.lexicon.ends(class, self.tokens, at)
    }

    /// Whether nothing can be put into it or on it, as into a bowl or on a plate.
    pub(crate) fn is_small(&self, thing: &Thing) -> bool {
        self.object(thing)
            .is_some_and(|o| o.movable && !self.is_receptacle(o))
    }

    pub(crate) fn number(&self, tree: &Tree) -> Option<f64> {
        self.word(tree).parse().ok()
    }

    pub(crate) fn none(&self, tree: &Tree, why: impl Into<String>) -> Trouble {
        Trouble::None {
            phrase: self.phrase(tree),
            why: why.into(),
        }
    }

    /// What a noun phrase means.
    pub(crate) fn np(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let fixed = context
            .fixed
            .iter()
            .rev()
            .find(|(t, _)| Rc::ptr_eq(t, tree));
        if let Some((_, meant)) = fixed {
            return Ok(meant.clone());
        }
        match self.patience.get().checked_sub(1) {
            Some(left) => self.patience.set(left),
            None => return Err(Trouble::Nonsense("it is too involved".into())),
        }
        let phrase = self.phrase(tree);
        let answer = context.answered.iter().find(|(asked, _)| *asked == phrase);
        let meant = match answer {
            Some((_, thing)) => Meant::one(thing.clone()),
            None => self.np_quietly(tree, context)?,
        };
        if !matches!(tree.label.as_str(), "pronoun") {
            context.mentioned.push(meant.clone());
        }
        Ok(meant)
    }

    pub(crate) fn np_quietly(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let part = |i: usize| &tree.parts[i];
        match tree.label.as_str() {
            "and" => self.both(part(0), part(1), context),
            "or" => {
                let [a, b] = [self.np(part(0), context)?, self.np(part(1), context)?];
                Ok(Meant {
                    things: join(a.things, b.things),
                    how: How::Any(1),
                    ..a
                })
            }
            "except" => {
                let mut meant = match self.np(part(0), context) {
                    // The exception may be what tells them apart.
                    Err(Trouble::Several { candidates, .. }) => Meant {
                        noun: self.noun_of(part(0)),
                        things: candidates,
                        how: How::The,
                        colors: vec![],
                        is_rest: false,
                    },
                    meant => meant?,
                };
                let without = self.np_of(part(1), &meant.noun, context)?;
                let n_before = meant.things.len();
                meant.things.retain(|thing| !without.things.contains(thing));
                if meant.things.len() == n_before {
                    return Err(self.none(part(1), "it is none of those that it is excepted from"));
                }
                if meant.things.is_empty() {
                    return Err(self.none(tree, "nothing is left"));
                }
                self.count(tree, meant)
            }
            "pronoun" | "gap" => self.pronoun(tree, context),
            "apposed" => self.apposed(tree, context),
            "from_set" => self.one_of_these(tree, context),
            "noun" | "one" | "owned" | "bare" => self.noun(tree, context),
            "everything" | "everything_that" | "something" | "rest" => {
                self.everything(tree, context)
            }
            "all_of" => Ok(Meant {
                how: How::All,
                ..self.np(part(0), context)?
            }),
            "both_of" => {
                let meant = self.np(part(0), context)?;
                self.exactly(tree, meant, 2)
            }
            "some_of" => Err(Trouble::Unclear {
                question: format!("how many are `{}`?", self.phrase(tree)),
            }),
            "corrected" => {
                let first = self.np(part(0), context);
                let noun = match &first {
                    Ok(meant) => meant.noun.clone(),
                    Err(_) => self.noun_of(part(0)),
                };
                // "the block in the cup, no, the ball": rather the cup is taken back.
                let has_place =
                    |t: &Tree| t.label == "rel" || t.parts.iter().any(|p| p.label == "rel");
                let listed = part(0).parts.iter().any(|p| has_place(p));
                if listed && matches!(first, Err(Trouble::None { .. })) {
                    return first;
                }
                let second = tree.parts.iter().rfind(|p| crate::clauses::is_np(p));
                let second = self.np_of(second.unwrap_or(tree), &noun, context)?;
                // "on the shelf, no, the blue book" corrects something else.
                let first = match first {
                    Err(Trouble::Several { candidates, .. }) => Ok(Meant {
                        things: candidates,
                        how: How::All,
                        noun: self.noun_of(part(0)),
                        colors: vec![],
                        is_rest: false,
                    }),
                    first => first,
                };
                match first {
                    Ok(first) if !self.are_alike(&first, &second) => Err(Trouble::Nonsense(
                        format!("`{}`: these are different things", self.phrase(tree)),
                    )),
                    _ => Ok(second),
                }
            }
            "other_one" => {
                let last = context.mentioned.iter().rev().find(|m| !m.noun.is_empty());
                let noun = last.map(|m| m.noun.clone()).unwrap_or_default();
                let any = last.is_some_and(|m| matches!(m.how, How::Any(_)));
                let known = used(context);
                let mut things = if noun.is_empty() {
                    vec![]
                } else {
                    self.called(tree, &noun)?
                };
                things.retain(|t| !known.contains(t));
                if any || things.is_empty() {
                    return Err(Trouble::Unclear {
                        question: format!("`{}`: other than which?", self.phrase(tree)),
                    });
                }
                let meant = Meant {
                    noun,
                    ..Meant::one(things[0].clone())
                };
                self.count(tree, Meant { things, ..meant })
            }
            "one_of" => Ok(Meant {
                how: How::Any(1),
                ..self.np(part(0), context)?
            }),
            "count_of" => {
                let meant = self.np(part(1), context)?;
                let n = self.number(part(0)).unwrap_or(1.0) as usize;
                self.some(tree, meant, n)
            }
            "rest_of" => {
                // All of them first, whatever was spoken of.
                let mut plain = context.clone();
                if part(0).label == "noun" {
                    plain.moved.clear();
                    plain.mentioned.clear();
                }
                let mut meant = match self.np(part(0), &mut plain) {
                    Err(Trouble::Several { candidates, .. }) => Meant {
                        things: candidates,
                        how: How::All,
                        noun: self.noun_of(part(0)),
                        colors: vec![],
                        is_rest: false,
                    },
                    meant => meant?,
                };
                context.mentioned.push(meant.clone());
                let known = mentioned(context, &meant.things);
                meant.things.retain(|thing| !known.contains(thing));
                self.nonempty(
                    tree,
                    Meant {
                        how: How::All,
                        ..meant
                    },
                )
            }
            "of_set" => self.of_set(tree, context),
            "half_of" => {
                let meant = self.np(part(0), context)?;
                match meant.things.len() {
                    n if n % 2 == 0 => self.some(tree, meant, n / 2),
                    n => Err(self.none(tree, format!("there are {n}"))),
                }
            }
            "contents" | "things_on" => {
                let relation = if tree.label == "contents" { "in" } else { "on" };
                let holds = |whole: &&Thing| {
                    let mut loose = self.percept.objects.iter().filter(|o| o.movable);
                    loose.any(|o| self.related(relation, o, whole, Sense::Strict))
                };
                let whole = match self.one(part(0), context) {
                    // Which of them is told by that there is something.
                    Err(Trouble::Several { phrase, candidates }) => {
                        match candidates.iter().filter(holds).collect::<Vec<_>>()[..] {
                            [one] => one.clone(),
                            _ => return Err(Trouble::Several { phrase, candidates }),
                        }
                    }
                    whole => whole?,
                };
                let inside = self
                    .percept
                    .objects
                    .iter()
                    .filter(|o| o.movable && self.related(relation, o, &whole, Sense::Strict));
                let things = inside.map(|o| Thing::Object(o.id.clone())).collect();
                let meant = Meant {
                    things,
                    how: How::All,
                    noun: vec![],
                    colors: vec![],
                    is_rest: false,
                };
                self.nonempty(tree, meant)
            }
            "part" | "part_of" | "part_alone" | "part_near_robot" | "part_near_me" => {
                self.part(tree, context)
            }
            _ => Err(Trouble::Nonsense(format!(
                "`{}` is no thing",
                self.phrase(tree)
            ))),
        }
    }

    /// Whether things are of a kind, as far as one is said instead of the other.
    pub(crate) fn are_alike(&self, a: &Meant, b: &Meant) -> bool {
        let kind = |meant: &Meant| {
            let first = meant.things.first()?;
            let object = self.object(first)?;
            let is_place = first.zone().is_some() || !object.movable;
            Some((is_place, !is_place && object.shape.cavity().is_some()))
        };
        (a.noun.last() == b.noun.last() && a.noun.last().is_some()) || kind(a) == kind(b)
    }

    /// "the caddy, back compartment".
    pub(crate) fn apposed(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let whole = self.one(&tree.parts[0], context)?;
        let part = tree.parts.last().unwrap_or(tree);
        match part.label.as_str() {
            "part_alone" => self.part_in(part, Some(whole), context),
            "noun" => self.noun_in(part, Some(whole), context),
            _ => Err(Trouble::Nonsense(format!(
                "`{}` is said twice",
                self.phrase(part)
            ))),
        }
    }

    /// "of the two mugs, the left one".
    pub(crate) fn one_of_these(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let set = self.np(&tree.parts[0], context)?;
        context.heads.push(set.noun.clone());
        context.within = Some(set.things);
        let meant = self.np(&tree.parts[1], context);
        context.within = None;
        context.heads.pop();
        meant
    }

    /// What a phrase means that means one thing.
    pub(crate) fn one(&self, tree: &Rc<Tree>, context: &mut Context) -> Result<Thing, Trouble> {
        let meant = self.np(tree, context)?;
        match (meant.single(), meant.how) {
            (Some(one), _) => Ok(one.clone()),
            (None, How::Any(1)) => Err(self.several(tree, &meant.things)),
            _ => Err(Trouble::Nonsense(format!(
                "`{}` are several, where one thing is expected",
                self.phrase(tree)
            ))),
        }
    }

    /// The same, where a whole is meant rather than its parts: "on the shelf" is anywhere on it.
    pub(crate) fn whole_or(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        match self.np(tree, context) {
            Err(Trouble::Several { phrase, candidates }) => {
                let whole = |t: &&Thing| t.zone().is_none();
                match candidates.iter().filter(whole).collect::<Vec<_>>()[..] {
                    [one] => Ok(Meant::one(one.clone())),
                    _ => Err(Trouble::Several { phrase, candidates }),
                }
            }
            meant => meant,
        }
    }

    pub(crate) fn several(&self, tree: &Tree, things: &[Thing]) -> Trouble {
        Trouble::Several {
            phrase: self.phrase(tree),
            candidates: things.to_vec(),
        }
    }

    pub(crate) fn both(&self, a: &Rc<Tree>, b: &Rc<Tree>, context: &mut Context) -> Meaning {
        let has_det =
            |t: &Tree| t.label != "noun" || t.parts.first().is_some_and(|p| !p.label.is_empty());
        let plural = |t: &Tree| {
            self.tokens[t.from..t.to]
                .iter()
                .filter_map(Token::word)
                .any(|w| self.lexicon.is_noun(w) && self.lexicon.is_plural(w))
        };
        if a.label == "bare" && !has_det(b) && !plural(b) {
            return Err(Trouble::Nonsense(format!(
                "`{}` is one thing",
                self.phrase(b)
            )));
        }
        if b.label == "everything" {
            return Err(Trouble::Nonsense(format!(
                "`{}` beside others is not clear",
                self.phrase(b)
            )));
        }
        context.heads.push(self.noun_of(a));
        let second = self.np(b, context);
        context.heads.pop();
        let second = second?;
        // "the red and the blue cube": the noun stands behind the last.
        let first = self.np_of(a, &second.noun, context)?;
        if [&first, &second]
            .iter()
            .any(|m| matches!(m.how, How::Any(n) if n < m.things.len()))
        {
            return Err(Trouble::Unclear {
                question: format!(
                    "which of them are `{}` and `{}`?",
                    self.phrase(a),
                    self.phrase(b)
                ),
            });
        }
        Ok(Meant {
            things: join(first.things, second.things),
            how: How::All,
            noun: second.noun,
            colors: vec![],
            is_rest: first.is_rest || second.is_rest,
        })
    }

    /// A phrase whose noun may be left out, because another one said it.
    pub(crate) fn np_of(&self, tree: &Rc<Tree>, noun: &[String], context: &mut Context) -> Meaning {
        if matches!(tree.label.as_str(), "bare" | "one") && !noun.is_empty() {
            let mut own = context.clone();
            own.mentioned.push(Meant {
                things: vec![],
                how: How::The,
                noun: noun.to_vec(),
                colors: vec![],
                is_rest: false,
            });
            let meant = self.noun(tree, &mut own)?;
            context.mentioned.push(meant.clone());
            context.said = own.said;
            return Ok(meant);
        }
        self.np(tree, context)
    }

    /// "it", "them", "both", or "either" where a word may be one or many.
    pub(crate) fn pronoun_word(&self, tree: &Tree) -> String {
        self.word(tree.parts.first().map_or(tree, |part| part))
    }

    pub(crate) fn pronoun(&self, tree: &Rc<Tree>, context: &Context) -> Meaning {
        let word = match tree.label.as_str() {
            "gap" => "gap".to_owned(),
            _ => self.pronoun_word(tree),
        };
        let lost = || Trouble::Unclear {
            question: format!("what is `{}`?", self.phrase(tree)),
        };
        let earlier = context
            .moved
            .iter()
            .rev()
            .chain(context.mentioned.iter().rev());
        let mut moved = earlier.filter(|m| !m.things.is_empty());
        match word.as_str() {
            "it" if context.at_place => self.it_there(tree, context),
            "it" => {
                let found = moved.find(|m| m.things.len() == 1 || matches!(m.how, How::Any(1)));
                match found {
                    Some(meant) => Ok(meant.clone()),
                    None => {
                        let held = self.held.map(|id| Meant::one(Thing::Object(id.clone())));
                        held.ok_or_else(lost)
                    }
                }
            }
            "gap" => moved.next().cloned().ok_or_else(lost),
            "either" if context.at_place => self.it_there(tree, context),
            // Into what it went, or what went there?
            "either" if context.went_into_it => Err(lost()),
            "either" => moved.next().cloned().ok_or_else(lost),
            // "the cookies" may be one pack.
            "them" => moved
                .find(|m| m.things.len() > 1 || m.how == How::All)
                .cloned()
                .or_else(|| self.stack(context))
                .ok_or_else(lost),
            "both" => moved
                .find(|m| m.things.len() == 2)
                .cloned()
                .or_else(|| last_two(context))
                .ok_or_else(lost),
            _ => Err(lost()),
        }
    }

    /// What was stacked, from below: "stack the bowls and put them in the tray".
    pub(crate) fn stack(&self, context: &Context) -> Option<Meant> {
        let [upper, lower] = context.stacked.clone()?;
        Some(Meant {
            things: vec![lower, upper],
            how: How::All,
            noun: vec![],
            colors: vec![],
            is_rest: false,
        })
    }

    /// "it" as a place: what was moved before, what that was brought to, or what was opened; by
    /// "in" only what is hollow can be meant.
    pub(crate) fn it_there(&self, tree: &Tree, context: &Context) -> Meaning {
        let mut found: Vec<Thing> = vec![];
        let earlier = context
            .moved
            .iter()
            .rev()
            .chain(context.mentioned.iter().rev());
        let current = context.current.as_ref();
        for meant in earlier.filter(|m| Some(*m) != current) {
            let single = meant
                .single()
                .filter(|t| current.is_none_or(|c| !c.things.contains(t)));
            found.extend(single.filter(|t| !found.contains(t)).cloned());
        }
        if context.wants_inside {
            found = found.iter().map(|thing| self.inner_of(thing)).collect();
            let hollow = |t: &Thing| t.zone().is_some() || self.is_hollow(t);
            found.retain(hollow);
        }
        // What was moved last comes first.
        match found.first() {
            Some(first) => Ok(Meant::one(first.clone())),
            None => Err(Trouble::Unclear {
                question: format!("what is `{}`?", self.phrase(tree)),
            }),
        }
    }

    /// The things that may be meant by anything at all: what can be moved.
    pub(crate) fn loose(&self) -> Vec<&'a PerceivedObject> {
        self.percept.objects.iter().filter(|o| o.movable).collect()
    }

    pub(crate) fn object(&self, thing: &Thing) -> Option<&'a PerceivedObject> {
        self.percept.object(thing.id())
    }

    pub(crate) fn related(
        &self,
        relation: &str,
        thing: &PerceivedObject,
        other: &Thing,
        sense: Sense,
    ) -> bool {
        is_related(self.percept, self.viewpoint, relation, thing, other, sense)
    }

    /// A thing with what tells it from others: its colour, and where it is.
    pub(crate) fn told_apart(&self, thing: &Thing) -> String {
        let Some(object) = self.object(thing) else {
            return thing.to_string();
        };
        let center = object.aabb_in_world().center();
        let color = object
            .color
            .as_deref()
            .map_or_else(String::new, |c| format!("{c}, "));
        format!("{thing} ({color}at x={:.2} y={:.2})", center.x, center.y)
    }

    pub(crate) fn note(&self, tree: &Tree, meant: &Meant, why: &str, context: &mut Context) {
        context.said.push(Said {
            phrase: self.phrase(tree),
            means: meant.things.iter().map(Thing::to_string).collect(),
            why: why.to_owned(),
        });
    }
}

pub(crate) fn join(mut a: Vec<Thing>, b: Vec<Thing>) -> Vec<Thing> {
    for thing in b {
        if !a.contains(&thing) {
            a.push(thing);
        }
    }
    a
}

pub(crate) fn list(things: &[Thing]) -> String {
    let names: Vec<_> = things.iter().map(Thing::to_string).collect();
    names.join(", ")
}
