//! From noun phrases to the things that they mean.

use std::collections::BTreeMap;
use std::rc::Rc;

use nalgebra::{Vector2, Vector3};
use regrasp_api::{ObjectId, PerceivedObject, Percept, Zone};

use crate::choose::{Chooser, choose};
use crate::lexicon::Lexicon;
use crate::parse::Tree;
use crate::related::{self, Sense, is_between, is_related};
use crate::thing::{How, Meant, Thing, Trouble};
use crate::tokens::Token;
use crate::words::{Fit, Names};
use regrasp_api::Viewpoint;

/// What is talked about, while a text is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    /// What was moved or named last, the latest at the end.
    pub(crate) moved: Vec<Meant>,
    pub(crate) mentioned: Vec<Meant>,
    /// Where something was put last.
    pub(crate) place: Option<Rc<Tree>>,
    /// Where things will be that have been moved by then, m.
    pub(crate) expected: BTreeMap<ObjectId, Vector3<f64>>,
    /// What is being moved: "it" means something else then.
    pub(crate) current: Option<Meant>,
    /// Whether what is looked for has to be hollow.
    pub(crate) wants_inside: bool,
    /// Whether the place itself is looked for, not what tells of it.
    pub(crate) at_place: bool,
    /// The words for the things whose phrases are being read: "the cube on the blue one".
    pub(crate) heads: Vec<Vec<String>>,
    /// Whether what was moved last went into something that can be moved itself.
    pub(crate) went_into_it: bool,
    /// What was opened or closed last.
    pub(crate) slid: Option<Meant>,
    /// What phrases mean that "there" takes up later, when other things have been named.
    pub(crate) fixed: Vec<(Rc<Tree>, Meant)>,
    /// How many relations were said of things that nothing else is called like: rather a place
    /// was meant.
    pub(crate) n_idle: usize,
    /// Those of which the next phrase means some: "of the two mugs, the left one".
    pub(crate) within: Option<Vec<Thing>>,
    /// What phrases mean that somebody was asked about.
    pub(crate) answered: Vec<(String, Thing)>,
    /// What phrases were found to mean, for whoever asks.
    pub(crate) said: Vec<Said>,
}

/// What a phrase was found to mean, and why.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Said {
    /// The words.
    pub phrase: String,
    /// What they mean.
    pub means: Vec<String>,
    /// Why.
    pub why: String,
}

/// Reads phrases against what is seen.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) percept: &'a Percept,
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) viewpoint: &'a Viewpoint,
    pub(crate) tokens: &'a [Token],
    pub(crate) held: Option<&'a ObjectId>,
    pub(crate) base: Vector2<f64>,
}

/// What a noun phrase says, apart from its noun.
#[derive(Default)]
struct Noun<'t> {
    det: Option<&'t Tree>,
    quals: Vec<&'t Tree>,
    posts: Vec<&'t Tree>,
    words: Vec<String>,
    /// Colours that it has because what it takes up has them.
    colors: Vec<String>,
    plural: bool,
}

type Meaning = Result<Meant, Trouble>;

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

    fn none(&self, tree: &Tree, why: impl Into<String>) -> Trouble {
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

    fn np_quietly(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
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
    fn apposed(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
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
    fn one_of_these(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
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

    fn several(&self, tree: &Tree, things: &[Thing]) -> Trouble {
        Trouble::Several {
            phrase: self.phrase(tree),
            candidates: things.to_vec(),
        }
    }

    fn both(&self, a: &Rc<Tree>, b: &Rc<Tree>, context: &mut Context) -> Meaning {
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
    fn np_of(&self, tree: &Rc<Tree>, noun: &[String], context: &mut Context) -> Meaning {
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

    fn pronoun(&self, tree: &Rc<Tree>, context: &Context) -> Meaning {
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
            "them" => moved.find(|m| m.things.len() > 1).cloned().ok_or_else(lost),
            "both" => moved
                .find(|m| m.things.len() == 2)
                .cloned()
                .or_else(|| last_two(context))
                .ok_or_else(lost),
            _ => Err(lost()),
        }
    }

    /// "it" as a place: what was moved before, what that was brought to, or what was opened; by
    /// "in" only what is hollow can be meant.
    fn it_there(&self, tree: &Tree, context: &Context) -> Meaning {
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
            let hollow = |t: &Thing| {
                t.zone().is_some() || self.object(t).is_some_and(|o| o.shape.cavity().is_some())
            };
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
    fn loose(&self) -> Vec<&'a PerceivedObject> {
        self.percept.objects.iter().filter(|o| o.movable).collect()
    }

    fn everything(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let is_rest = tree.label == "rest" || tree.parts.iter().any(|p| p.label == "else");
        let mut noun = Noun::default();
        for part in &tree.parts {
            match part.label.as_str() {
                "list" => noun.posts.extend(part.parts.iter().map(|p| &**p)),
                "else" | "" => {}
                _ => noun.quals.push(part),
            }
        }
        let mut things: Vec<Thing> = self
            .loose()
            .into_iter()
            .map(|o| Thing::Object(o.id.clone()))
            .collect();
        if is_rest {
            let known = all_mentioned(context);
            things.retain(|thing| !known.contains(thing));
        }
        noun.plural = tree.label != "something";
        let said_more = !(noun.quals.is_empty() && noun.posts.is_empty());
        let (things, why) = self.narrowed(tree, things, &noun, context)?;
        let how = if noun.plural { How::All } else { How::Any(1) };
        let meant = Meant {
            things,
            how,
            noun: vec![],
            colors: vec![],
            is_rest: is_rest && !said_more,
        };
        let meant = self.nonempty(tree, meant)?;
        self.note(tree, &meant, &why, context);
        Ok(meant)
    }

    /// "the leftmost of the front cubes".
    fn of_set(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        let [det, qual, quals] = [0, 1, 2].map(|i| &tree.parts[i]);
        let set = tree.parts.last().unwrap_or(tree);
        let meant = self.np(set, context)?;
        if meant.how == How::The {
            return Err(Trouble::Nonsense(format!(
                "`{}` is one thing",
                self.phrase(set)
            )));
        }
        let mut noun = Noun {
            det: Some(det).filter(|d| !d.label.is_empty()).map(|d| &**d),
            quals: vec![&**qual],
            ..Noun::default()
        };
        noun.quals.extend(quals.parts.iter().map(|q| &**q));
        let (things, why) = self.narrowed(tree, meant.things, &noun, context)?;
        let meant = Meant {
            things,
            how: How::The,
            ..meant
        };
        let meant = self.count(tree, meant)?;
        self.note(tree, &meant, &why, context);
        Ok(meant)
    }

    fn noun(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        self.noun_in(tree, None, context)
    }

    /// A noun phrase, of what belongs to something if that is known.
    fn noun_in(&self, tree: &Rc<Tree>, whole: Option<Thing>, context: &mut Context) -> Meaning {
        let mut noun = Noun::default();
        let mut owner = None;
        for (i, part) in tree.parts.iter().enumerate() {
            match part.label.as_str() {
                "" => {}
                "noun" | "pronoun" if i == 0 => owner = Some(part),
                "name" | "name_of" => noun.words = self.name(part),
                "list" => {
                    let posts = part.parts.iter().map(|p| &**p);
                    let (quals, rest): (Vec<_>, Vec<_>) = posts.partition(|p| is_qual(p));
                    noun.quals.extend(quals);
                    noun.posts.extend(rest);
                }
                _ if i == 0 => noun.det = Some(part),
                _ if is_qual(part) => noun.quals.push(part),
                _ => noun.posts.push(part),
            }
        }
        if tree.label == "bare" {
            // Its determiner is not optional, and one quality stands by itself.
            noun.det = tree.parts.first().map(|p| &**p);
        }
        if tree.label == "bare" && noun.quals.last().is_some_and(|q| q.label == "count_qual") {
            return Err(Trouble::Nonsense(format!(
                "`{}` of what?",
                self.phrase(tree)
            )));
        }
        if tree.label == "bare"
            && noun.quals.iter().all(|q| q.label == "side")
            && noun.posts.is_empty()
            && noun.det.is_some_and(|det| !det.label.is_empty())
        {
            return Err(Trouble::Nonsense(format!(
                "`{}` is no thing",
                self.phrase(tree)
            )));
        }
        let is_bare = tree.label == "bare" && noun.det.is_some_and(|d| d.label.is_empty());
        if is_bare && noun.quals.iter().any(|q| q.label == "non") {
            return Err(Trouble::Nonsense(format!(
                "`{}` is no thing",
                self.phrase(tree)
            )));
        }
        let owner = owner.map(|owner| self.owner(owner, context)).transpose()?;
        let whole = whole.or(owner);
        if !matches!(tree.label.as_str(), "one" | "bare") {
            noun.plural = noun.words.last().is_some_and(|w| self.lexicon.is_plural(w));
            context.heads.push(noun.words.clone());
            let meant = self.called_so(tree, &noun, whole.as_ref(), context);
            context.heads.pop();
            return meant;
        }
        noun.plural = self.says_ones(tree);
        let mut first = None;
        let mut shallow = None;
        // "to the upper one" is rather a shelf than a towel.
        let chooses = |q: &&Tree| matches!(q.label.as_str(), "side" | "most" | "nth");
        let is_placed = context.current.is_some() && noun.quals.iter().all(|q| chooses(&q));
        let colored = noun.quals.iter().any(|q| q.label.starts_with("color"));
        for (words, colors) in nouns_before(context) {
            noun.words = words;
            // "the smaller blue cube … the bigger one" is another blue cube, if there is one.
            noun.colors = if colored { vec![] } else { colors };
            let alike = self.called_so(tree, &noun, whole.as_ref(), context);
            noun.colors.clear();
            let meant = alike.or_else(|_| self.called_so(tree, &noun, whole.as_ref(), context));
            // What something is put on is not that itself.
            let moved = context.current.as_ref().filter(|_| whole.is_none());
            if let (Ok(meant), Some(moved)) = (&meant, moved)
                && meant.things == moved.things
            {
                continue;
            }
            match meant {
                Ok(meant)
                    if (!context.wants_inside || self.has_inside(&meant))
                        && (!is_placed || self.carries(&meant)) =>
                {
                    return Ok(meant);
                }
                Ok(meant) => shallow = shallow.or(Some(meant)),
                Err(why) => first = first.or(Some(why)),
            }
        }
        shallow.ok_or_else(|| {
            first.unwrap_or_else(|| Trouble::Unclear {
                question: format!("`{}` of what?", self.phrase(tree)),
            })
        })
    }

    /// "the cabinet's", or "its" of what was named before what is moved.
    fn owner(&self, tree: &Rc<Tree>, context: &mut Context) -> Result<Thing, Trouble> {
        let at_place = context.at_place;
        context.at_place = tree.label == "pronoun";
        let owner = self.one(tree, context);
        context.at_place = false;
        // "put it in its dish": of what is moved, if nothing else was named.
        let current = context.current.as_ref().and_then(Meant::single).cloned();
        let owner = match (owner, current) {
            (Err(_), Some(current)) if tree.label == "pronoun" => Ok(current),
            (owner, _) => owner,
        };
        context.at_place = at_place;
        owner
    }

    /// Whether things can be put on all that is meant.
    fn carries(&self, meant: &Meant) -> bool {
        let things = meant.things.iter();
        let mut things = things.map(|t| t.zone().is_some() || !self.is_small(t));
        things.all(|carries| carries)
    }

    /// Whether things can be put into all that is meant.
    fn has_inside(&self, meant: &Meant) -> bool {
        meant.things.iter().all(|t| {
            t.zone().is_some() || self.object(t).is_some_and(|o| o.shape.cavity().is_some())
        })
    }

    /// Whether "ones" are meant, not "one".
    fn says_ones(&self, tree: &Tree) -> bool {
        let said = &self.tokens[tree.from..tree.to];
        said.iter().any(|token| token.word() == Some("ones"))
    }

    /// What a noun phrase means whose words are known.
    fn called_so(
        &self,
        tree: &Rc<Tree>,
        noun: &Noun<'_>,
        whole: Option<&Thing>,
        context: &mut Context,
    ) -> Meaning {
        let mut things = self.called(tree, &noun.words)?;
        if let Some(within) = context.within.take() {
            things.retain(|t| within.contains(t));
        }
        things.retain(|t| noun.colors.iter().all(|color| self.has_word(t, color)));
        if let Some(whole) = whole {
            things.retain(|thing| self.belongs(thing, whole));
        }
        let (things, why) = self.narrowed(tree, things, noun, context)?;
        let mut meant = self.determined(tree, things, noun, context)?;
        let said = noun.quals.iter().filter(|q| q.label == "color");
        meant.colors = said
            .map(|q| self.word(q))
            .chain(noun.colors.iter().cloned())
            .collect();
        self.note(tree, &meant, &why, context);
        Ok(meant)
    }

    /// Whether a colour is that of small things, which stand for what they are in: "the orange
    /// beads".
    fn is_of_group(&self, qual: &Tree, noun: &Noun<'_>) -> bool {
        let groups = self.percept.groups.iter();
        let mut named = groups.filter(|g| {
            Names::of(&g.as_object())
                .fit(&noun.words, self.lexicon)
                .is_some()
        });
        qual.label == "color" && named.any(|g| g.color.as_deref() == Some(self.word(qual).as_str()))
    }

    /// The words for what a phrase means, found or not.
    pub(crate) fn noun_of(&self, tree: &Tree) -> Vec<String> {
        let name = tree
            .parts
            .iter()
            .find(|p| matches!(p.label.as_str(), "name" | "name_of"));
        name.map_or_else(Vec::new, |name| self.name(name))
    }

    fn name(&self, tree: &Tree) -> Vec<String> {
        let name = |t: &Rc<Tree>| self.phrase(t);
        let mut words: Vec<String> = tree
            .parts
            .iter()
            .flat_map(|part| match part.label.as_str() {
                "list" => part.parts.iter().map(name).collect(),
                _ => vec![name(part)],
            })
            .collect();
        if tree.label == "name_of" {
            // "the box of biscuits" is a biscuit box.
            words.rotate_left(1);
        }
        words
    }

    /// The things, and declared places of things, that are called so.
    fn called(&self, tree: &Tree, words: &[String]) -> Result<Vec<Thing>, Trouble> {
        let said: Vec<String> = words
            .iter()
            .flat_map(|w| self.lexicon.scene_words(w))
            .collect();
        if said == ["thing"] {
            return Ok(self
                .loose()
                .into_iter()
                .map(|o| Thing::Object(o.id.clone()))
                .collect());
        }
        let objects = self
            .percept
            .objects
            .iter()
            .map(|o| (Names::of(o), Thing::Object(o.id.clone())));
        let zones = self.percept.known.iter().flat_map(|known| {
            known.zones.iter().map(|zone| {
                let names = Names::from_texts(&zone.name, &zone.name);
                (
                    names,
                    Thing::Zone(known.object.clone(), Zone::new(&zone.name)),
                )
            })
        });
        let groups = self.percept.groups.iter().filter_map(|group| {
            let holder = self.holder(group)?;
            let object = group.as_object();
            Some((Names::of(&object), Thing::Object(holder)))
        });
        let fits: Vec<(Fit, Thing)> = objects
            .chain(zones)
            .chain(groups)
            .filter_map(|(names, thing)| Some((names.fit(words, self.lexicon)?, thing)))
            .collect();
        let Some(best) = fits.iter().map(|(fit, _)| *fit).min() else {
            return Err(Trouble::Unseen {
                phrase: self.phrase(tree),
                name: words.join(" "),
                moved: false,
            });
        };
        let plural = words.last().is_some_and(|w| self.lexicon.is_plural(w));
        // Many are meant by the widest sense, one by the closest.
        let within = if plural { best.max(Fit::Same) } else { best };
        // A place called so may be meant beside the thing with that id: "the top shelf".
        let fits = fits.into_iter().filter(|(fit, thing)| {
            let own = if thing.zone().is_some() {
                Fit::Exact
            } else {
                Fit::Id
            };
            *fit <= within.max(own)
        });
        Ok(fits.map(|(_, thing)| thing).collect())
    }

    /// What holds small things: to pour "the beads" is to pour what they are in.
    fn holder(&self, group: &regrasp_api::PerceivedGroup) -> Option<ObjectId> {
        let counts = self.loose().into_iter().map(|o| (group.inside(o).len(), o));
        let (n, holder) = counts.max_by_key(|(n, _)| *n)?;
        (n > 0).then(|| holder.id.clone())
    }

    fn object(&self, thing: &Thing) -> Option<&'a PerceivedObject> {
        self.percept.object(thing.id())
    }

    /// Whether a thing is a part of another: a drawer of its cabinet, a burner of a stove.
    fn belongs(&self, thing: &Thing, whole: &Thing) -> bool {
        match thing {
            Thing::Zone(of, _) => of == whole.id(),
            Thing::Object(id) => {
                let joint = self.percept.joints.iter().find(|j| &j.child == id);
                joint.is_some_and(|j| &j.parent == whole.id())
                    || id.as_str().starts_with(&format!("{}_", whole.id()))
            }
        }
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

    /// Those of some things that are as a phrase says, and what it said.
    fn narrowed(
        &self,
        tree: &Rc<Tree>,
        mut things: Vec<Thing>,
        noun: &Noun<'_>,
        context: &mut Context,
    ) -> Result<(Vec<Thing>, String), Trouble> {
        let n_all = things.len();
        let mut told = vec![];
        let mut choosers = vec![];
        let known: Vec<Thing> = things.clone();
        // What chooses among places of a thing does not mean the whole.
        let is_other = noun
            .det
            .is_some_and(|det| matches!(det.label.as_str(), "other" | "another"));
        if !noun.quals.is_empty() || is_other {
            let wholes: Vec<ObjectId> = things
                .iter()
                .filter(|t| t.zone().is_some())
                .map(|t| t.id().clone())
                .collect();
            things.retain(|t| t.zone().is_some() || !wholes.contains(t.id()));
        }
        // Words that are a part of names come first: "the open middle drawer".
        for qual in noun.quals.iter().filter(|q| q.label == "side") {
            let side = self.word(qual);
            let has = |t: &Thing| side.split('_').all(|w| self.has_word(t, w));
            if things.iter().any(has) {
                things.retain(has);
            }
        }
        let told_of = noun.quals.iter().chain(&noun.posts);
        for tree in told_of.filter(|tree| !self.is_of_group(tree, noun)) {
            let before = things.clone();
            let is_relation = matches!(
                tree.label.as_str(),
                "rel" | "lies" | "that_lies" | "between"
            );
            context.n_idle += usize::from(is_relation && before.len() == 1);
            match self.told(tree, &mut things, noun.plural, context)? {
                None => {
                    told.push(self.phrase(tree));
                    if things.is_empty() {
                        let why = match before.as_slice() {
                            [one] => {
                                format!("{one} is the only one, and is not `{}`", self.phrase(tree))
                            }
                            _ => format!("none of {} is `{}`", list(&before), self.phrase(tree)),
                        };
                        return Err(self.none(tree, why));
                    }
                }
                Some(chooser) => choosers.push((chooser, self.phrase(tree))),
            }
        }
        if noun
            .det
            .is_some_and(|det| matches!(det.label.as_str(), "other" | "another"))
        {
            let used = used(context);
            let any = context.mentioned.iter().any(|m| {
                matches!(m.how, How::Any(_)) && m.things.iter().any(|t| things.contains(t))
            });
            if any {
                return Err(Trouble::Unclear {
                    question: format!("`{}`: other than which?", self.phrase(tree)),
                });
            }
            // Of places, one is where the thing is that is to be moved.
            let is_there = |thing: &Thing| {
                let (Some(zone), Some(whole)) = (thing.zone(), self.object(thing)) else {
                    return false;
                };
                let moved = context.current.iter().flat_map(|meant| &meant.things);
                let mut moved = moved.filter_map(|t| self.object(t));
                moved.any(|o| self.percept.not_within(o, whole, zone).is_none())
            };
            things.retain(|thing| !used.contains(thing) && !is_there(thing));
            told.push("other".into());
        }
        if !choosers.is_empty() {
            let wants_one = !noun.plural;
            let found = choose(self, &things, &choosers, wants_one).map_err(|why| match why {
                crate::choose::Undecided::Several(things) => self.several(tree, &things),
                crate::choose::Undecided::None(why) => self.none(tree, why),
            })?;
            things = found;
            told.extend(choosers.into_iter().map(|(_, said)| said));
        }
        let why = match (n_all, told.is_empty()) {
            (1, true) => "the only one that is called so".to_owned(),
            (_, true) => format!("{} of {n_all} that are called so", things.len()),
            (_, false) if things.len() == 1 => {
                format!(
                    "the only one of {} that is {}",
                    list(&known),
                    told.join(" and ")
                )
            }
            _ => format!("those of {} that are {}", list(&known), told.join(" and ")),
        };
        Ok((things, why))
    }

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
    fn told(
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
                let is_for = |t: &Thing| {
                    let names = self.object(t).map(Names::of);
                    !words.is_empty()
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
                return Ok(Some(Chooser::Side(self.word(part(0)))));
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
                self.by_relation(part(n - 2), part(n - 1), negated, things, context)?;
            }
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
                things.retain(|thing| {
                    let object = self.object(thing);
                    object.is_some_and(|o| o.id != a.id && o.id != b.id && is_between(o, a, b))
                });
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

    /// Whether a thing is more of what a word says than another.
    pub(crate) fn is_more(&self, thing: &Thing, other: &Thing, word: &str) -> bool {
        let score = |thing: &Thing| crate::choose::score_of(self, thing, word);
        matches!((score(thing), score(other)), (Some(a), Some(b)) if a > b + 1e-3)
    }

    /// A superlative, or a quality that is one among several.
    fn most(&self, tree: &Tree, things: &mut Vec<Thing>) -> Chooser {
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
    fn by_side(&self, side: &str, things: &mut Vec<Thing>) -> Option<Chooser> {
        let words: Vec<&str> = side.split('_').collect();
        let has = |t: &Thing| words.iter().all(|w| self.has_word(t, w));
        if things.iter().any(has) {
            things.retain(has);
            return None;
        }
        Some(Chooser::Side(side.to_owned()))
    }

    fn has_word(&self, thing: &Thing, word: &str) -> bool {
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

    fn with_state(&self, things: &mut Vec<Thing>, state: &str) {
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
                !others.any(|o| has("in", o) || has("on", o)) && self.percept.count_in(object) == 0
            }
            "full" => {
                others.any(|o| has("in", o) || has("on", o)) || self.percept.count_in(object) > 0
            }
            "clear" => !others.any(|o| has("on", o)),
            "covered" => others.any(|o| has("on", o)),
            "held" => self.held == Some(&object.id),
            _ => false,
        }
    }

    fn by_relation(
        &self,
        relation: &Tree,
        other: &Rc<Tree>,
        negated: bool,
        things: &mut Vec<Thing>,
        context: &mut Context,
    ) -> Result<(), Trouble> {
        let word = self.relation(relation);
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
            let one = |other: &Thing| object.is_some_and(|o| self.related(&word, o, other, sense));
            match others.how {
                How::Any(_) => others.things.iter().any(one),
                How::The | How::All => others.things.iter().all(one),
            }
        };
        // "the drawer in the cabinet", "the burner on the stove".
        let is_part = |thing: &Thing| others.things.iter().any(|whole| self.belongs(thing, whole));
        let parts = matches!(word.as_str(), "in" | "on" | "off") && things.iter().any(is_part);
        let found = |sense: Sense| -> Vec<Thing> {
            let fits = |t: &&Thing| holds(t, sense) || (parts && is_part(t));
            things.iter().filter(fits).cloned().collect()
        };
        let senses = [Sense::Exact, Sense::Strict, Sense::Loose].into_iter();
        let those = senses
            .map(found)
            .find(|those| !those.is_empty())
            .unwrap_or_default();
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

    /// So many of some things as the determiner and the noun say.
    fn determined(
        &self,
        tree: &Rc<Tree>,
        things: Vec<Thing>,
        noun: &Noun<'_>,
        context: &Context,
    ) -> Meaning {
        let label = noun.det.map_or("", |det| det.label.as_str());
        let number = noun.det.and_then(|det| {
            let count = det
                .parts
                .iter()
                .rev()
                .find(|p| matches!(p.label.as_str(), "count" | "number"));
            self.number(count?)
        });
        let n = number.map(|n| n as usize);
        let meant = Meant {
            things,
            how: if noun.plural { How::All } else { How::The },
            noun: noun.words.clone(),
            colors: vec![],
            is_rest: false,
        };
        match (label, n) {
            ("a", _) if noun.plural => Ok(Meant {
                how: How::All,
                ..meant
            }),
            ("a" | "another" | "any_of", _) => self.some(tree, meant, 1),
            ("all", None) => self.nonempty(
                tree,
                Meant {
                    how: How::All,
                    ..meant
                },
            ),
            ("all" | "the_count", Some(n)) => self.exactly(tree, meant, n),
            ("both", _) => self.exactly(tree, meant, 2),
            ("number", Some(n)) => self.some(tree, meant, n),
            ("other", Some(n)) => self.exactly(tree, meant, n),
            ("none", _) => Err(Trouble::Nonsense(format!(
                "`{}` is nothing",
                self.phrase(tree)
            ))),
            ("same", _) => {
                let known = all_mentioned(context);
                let things = meant
                    .things
                    .iter()
                    .filter(|t| known.contains(t))
                    .cloned()
                    .collect();
                self.count(tree, Meant { things, ..meant })
            }
            _ => {
                // "the drawer" is the one that was spoken of.
                let known = all_mentioned(context);
                let spoken_of: Vec<Thing> = meant
                    .things
                    .iter()
                    .filter(|t| known.contains(t))
                    .cloned()
                    .collect();
                match (meant.how, meant.things.len(), spoken_of.len()) {
                    (How::The, 2.., 1) => Ok(Meant {
                        things: spoken_of,
                        ..meant
                    }),
                    _ => self.count(tree, meant),
                }
            }
        }
    }

    /// One, if one is meant.
    fn count(&self, tree: &Tree, meant: Meant) -> Meaning {
        let meant = self.nonempty(tree, meant)?;
        if meant.how != How::The || meant.things.len() == 1 {
            return Ok(meant);
        }
        let movable = |t: &&Thing| self.object(t).is_some_and(|o| o.movable);
        let loose: Vec<Thing> = meant.things.iter().filter(movable).cloned().collect();
        let slides = |t: &&Thing| self.percept.joints.iter().any(|j| &j.child == t.id());
        let sliding: Vec<Thing> = meant.things.iter().filter(slides).cloned().collect();
        match (loose.as_slice(), sliding.as_slice()) {
            ([one], _) if meant.things.len() == 2 => Ok(Meant {
                things: vec![one.clone()],
                ..meant
            }),
            (_, [one]) if loose.is_empty() => Ok(Meant {
                things: vec![one.clone()],
                ..meant
            }),
            _ => Err(self.several(tree, &meant.things)),
        }
    }

    fn nonempty(&self, tree: &Tree, meant: Meant) -> Meaning {
        match meant.things.is_empty() {
            true => Err(self.none(tree, "there is no such thing")),
            false => Ok(meant),
        }
    }

    fn exactly(&self, tree: &Tree, meant: Meant, n: usize) -> Meaning {
        match meant.things.len() == n {
            true => Ok(Meant {
                how: How::All,
                ..meant
            }),
            false if meant.things.len() > n => Err(self.several(tree, &meant.things)),
            false => Err(self.none(
                tree,
                format!("there are {}: {}", meant.things.len(), list(&meant.things)),
            )),
        }
    }

    fn some(&self, tree: &Tree, meant: Meant, n: usize) -> Meaning {
        let meant = self.nonempty(tree, meant)?;
        let there = meant.things.len();
        if there < n {
            return Err(self.none(tree, format!("there are {there}: {}", list(&meant.things))));
        }
        let how = match (there == n, n) {
            (true, 1) => How::The,
            (true, _) => How::All,
            (false, _) => How::Any(n),
        };
        Ok(Meant { how, ..meant })
    }

    /// "the left side of the plate", "the cabinet's top", "the middle".
    fn part(&self, tree: &Rc<Tree>, context: &mut Context) -> Meaning {
        self.part_in(tree, None, context)
    }

    fn part_in(&self, tree: &Rc<Tree>, whole: Option<Thing>, context: &mut Context) -> Meaning {
        let sides: Vec<String> = tree
            .parts
            .iter()
            .flat_map(|p| {
                if p.label == "list" {
                    p.parts.clone()
                } else {
                    vec![p.clone()]
                }
            })
            .filter(|p| matches!(p.label.as_str(), "side" | "corner"))
            .map(|p| self.word(&p))
            .collect();
        let noun = tree.parts.iter().find(|p| p.label == "part_noun");
        let noun = noun.map_or_else(String::new, |p| self.word(p));
        let whole = match tree.label.as_str() {
            _ if whole.is_some() => whole.ok_or_else(|| self.none(tree, "of what?"))?,
            "part_near_robot" | "part_near_me" => {
                let np = tree.parts.iter().rfind(|p| crate::clauses::is_np(p));
                self.one(np.unwrap_or(tree), context)?
            }
            "part" => self.one(tree.parts.last().unwrap_or(tree), context)?,
            "part_of" => self.owner(&tree.parts[0], context)?,
            _ => {
                let table = related::table(self.percept);
                let table = table.ok_or_else(|| self.none(tree, "of what?"))?;
                Thing::Object(table.id.clone())
            }
        };
        if noun == "top" && sides.is_empty() {
            return Ok(Meant::one(whole));
        }
        let zone = match tree.label.as_str() {
            "part_near_robot" => self.zone_of(tree, &["front"], &noun)?,
            "part_near_me" => {
                self.check_mine(tree)?;
                self.zone(tree, &["front".to_owned()], &noun)?
            }
            _ => self.zone(tree, &sides, &noun)?,
        };
        let meant = Meant::one(Thing::Zone(whole.id().clone(), zone));
        self.note(tree, &meant, "the place that is called so", context);
        Ok(meant)
    }

    /// A place by its words, as the robot sees it.
    fn zone(&self, tree: &Tree, sides: &[String], noun: &str) -> Result<Zone, Trouble> {
        let mut words: Vec<&str> = sides.iter().flat_map(|s| s.split('_')).collect();
        if matches!(noun, "left" | "right" | "front" | "back" | "middle") {
            words.push(noun);
        }
        let unclear = || Trouble::Unclear {
            question: format!("where is `{}`: which side?", self.phrase(tree)),
        };
        if matches!(noun, "rim" | "handle" | "lid" | "bottom" | "inside") {
            return Err(Trouble::Nonsense(format!(
                "`{}` is no place to put things",
                self.phrase(tree)
            )));
        }
        if words == ["middle"] {
            return Ok(Zone::new("middle"));
        }
        let mut own = vec![];
        for word in words {
            let side = self.viewpoint.side(word).ok_or_else(unclear)?;
            own.push(crate::clauses::side_word(side));
        }
        self.zone_of(tree, &own, noun)
    }

    /// A place by sides as the robot sees them.
    fn zone_of(&self, tree: &Tree, sides: &[&str], noun: &str) -> Result<Zone, Trouble> {
        let unclear = || Trouble::Unclear {
            question: format!("where is `{}`: which side?", self.phrase(tree)),
        };
        let mut own = sides.to_vec();
        own.sort_by_key(|word| matches!(*word, "left" | "right"));
        match (own.as_slice(), noun) {
            ([one], "edge") => Ok(Zone::new(format!("{one}_edge"))),
            ([_], "corner") => Err(unclear()),
            ([one], _) => Ok(Zone::new(*one)),
            ([a @ ("front" | "back"), b @ ("left" | "right")], _) => {
                Ok(Zone::new(format!("{a}_{b}")))
            }
            _ => Err(unclear()),
        }
    }

    fn note(&self, tree: &Tree, meant: &Meant, why: &str, context: &mut Context) {
        context.said.push(Said {
            phrase: self.phrase(tree),
            means: meant.things.iter().map(Thing::to_string).collect(),
            why: why.to_owned(),
        });
    }
}

/// Whether a node is a quality, not something behind the noun.
fn is_qual(tree: &Tree) -> bool {
    const QUALS: [&str; 17] = [
        "shape",
        "color",
        "colors",
        "material",
        "most",
        "very",
        "some_most",
        "side",
        "side_most",
        "nth",
        "nth_most",
        "state",
        "count_qual",
        "size",
        "non",
        "color_after",
        "count",
    ];
    QUALS.contains(&tree.label.as_str())
}

fn join(mut a: Vec<Thing>, b: Vec<Thing>) -> Vec<Thing> {
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

/// The nouns that "one" may stand for, the likeliest first: what was moved, then the rest.
fn nouns_before(context: &Context) -> Vec<(Vec<String>, Vec<String>)> {
    let meant = context
        .moved
        .iter()
        .rev()
        .chain(context.mentioned.iter().rev());
    let heads = context.heads.iter().rev();
    let mut nouns: Vec<(Vec<String>, Vec<String>)> =
        heads.map(|noun| (noun.clone(), vec![])).collect();
    for meant in meant.filter(|m| !m.noun.is_empty()) {
        if nouns.iter().all(|(noun, _)| *noun != meant.noun) {
            nouns.push((meant.noun.clone(), meant.colors.clone()));
        }
    }
    nouns
}

/// What was moved, and what was named by itself: "the other one" is none of these.
fn used(context: &Context) -> Vec<Thing> {
    let single = context.mentioned.iter().filter(|m| m.things.len() == 1);
    let meant = single.chain(&context.moved);
    meant.flat_map(|m| m.things.clone()).collect()
}

fn all_mentioned(context: &Context) -> Vec<Thing> {
    let meant = context.mentioned.iter().chain(&context.moved);
    meant.flat_map(|m| m.things.clone()).collect()
}

fn mentioned(context: &Context, but: &[Thing]) -> Vec<Thing> {
    let last = context.mentioned.len().saturating_sub(1);
    let meant = context.mentioned[..last].iter().chain(&context.moved);
    let all = meant.filter(|m| m.things != but);
    all.flat_map(|m| m.things.clone()).collect()
}

fn last_two(context: &Context) -> Option<Meant> {
    let mut ones: Vec<Thing> = vec![];
    for meant in context
        .moved
        .iter()
        .rev()
        .chain(context.mentioned.iter().rev())
    {
        for thing in &meant.things {
            if !ones.contains(thing) {
                ones.push(thing.clone());
            }
        }
        if ones.len() >= 2 {
            break;
        }
    }
    ones.reverse();
    (ones.len() == 2).then(|| Meant {
        things: ones,
        how: How::All,
        noun: vec![],
        colors: vec![],
        is_rest: false,
    })
}
