//! Nouns with their modifiers, and the objects with their names.

use std::iter::successors;

use regrasp_api::Zone;

use crate::ast::{Determiner, Modified, Modifier, Name, NounPhrase, Np};
use crate::reader::{Meaning, Reader, count};
use crate::referent::{How, Meant, ReadingError, Referent, Resolved, those};
use crate::tree::Tree;
use crate::words::{Fit, Names};

const ALL: Determiner = Determiner::All { n: None };

impl Reader<'_> {
    /// Resolves "everything on the plate", "something red" or "the rest", of some objects.
    pub(crate) fn everything(
        &mut self,
        tree: &Tree,
        mut things: Vec<Referent>,
        [plural, is_rest]: [bool; 2],
        posts: &[Modified],
    ) -> Meaning {
        if is_rest {
            let known = self.context.all_mentioned();
            things.retain(|thing| !known.contains(thing));
        }
        let noun = Noun {
            det: Some(if plural { &ALL } else { &Determiner::A }),
            posts,
            plural,
            ..Noun::default()
        };
        let meant = self.of_things(things, tree, &noun)?;
        let is_rest = is_rest && posts.is_empty();
        Ok(Meant { is_rest, ..meant })
    }

    pub(super) fn noun_in(&mut self, np: &Np) -> Meaning {
        let mut noun = Noun::of(&np.is);
        noun.words = self.noun_of(np);
        let article = self.words(&np.tree).next();
        let is_many = article.is_some_and(|w| self.lexicon.is_of("plural_the", w));
        let is_own_plural = |w: &String| is_many && self.lexicon.is_own_plural(w);
        let may_be_plural = noun.words.last().is_some_and(is_own_plural);
        noun.plural = may_be_plural || self.lexicon.are_plural(&noun.words);
        if let Some(stack) = self.stack_called(np) {
            self.note(&np.tree, &stack, "the last stack, or the only one");
            self.context.stacked = Some(stack.clone());
            return Ok(stack);
        }
        self.under_head(noun.words.clone(), |own| own.called_so(&np.tree, &noun))
    }

    /// Resolves "the blue one" or "the blue", whose noun was mentioned before.
    pub(super) fn one_in(&mut self, np: &Np) -> Meaning {
        if np.is.is_bare() {
            self.check_bare(&np.tree, &Noun::of(&np.is))?;
        }
        let (from, to) = (np.tree.from, np.tree.to);
        if self
            .lexicon
            .ends("pronoun", self.tokens, from)
            .contains(&to)
        {
            return Err(self.nonsense(&np.tree, "_ is a pronoun; name the object"));
        }
        self.one_called(np)
    }

    /// Resolves a phrase as [`Self::one_in`] does, also where the noun follows later: "the top and
    /// the bottom drawer".
    pub(super) fn one_called(&mut self, np: &Np) -> Meaning {
        let tree = &np.tree;
        let mut noun = Noun::of(&np.is);
        // Only "ones" is a plural.
        noun.plural = self.plural_one(np).unwrap_or(noun.plural);
        let is_other = matches!(noun.det, Some(Determiner::Other { .. }));
        if is_other && self.context.earlier().next().is_none() {
            return Err(self.unclear(tree, "_: other than which?"));
        }
        let (mut first, mut shallow) = (None, None);
        // "to the upper one" means a shelf rather than a towel.
        let chooses = |q: &Modified| {
            matches!(
                q.is,
                Modifier::AtSide { .. } | Modifier::Most { .. } | Modifier::Nth { .. }
            )
        };
        let is_placed = self.context.current.is_some() && noun.quals.iter().all(chooses);
        let colored = noun.quals.iter().any(|qual| !qual.is.colors().is_empty());
        let wants_inside = self.context.wants_inside;
        let can_be = |own: &Self, thing: &Referent| {
            (!wants_inside || own.has_inside(thing))
                && (!is_placed || thing.zone().is_some() || !own.is_small(thing))
        };
        // If a phrase fits several possible objects of one kind, no other kind is tried.
        let is_other_kind = |own: &Self, why: &ReadingError| match why {
            ReadingError::None(_) | ReadingError::Unseen { .. } => true,
            ReadingError::Several { candidates, .. } => !candidates.iter().any(|t| can_be(own, t)),
            _ => false,
        };
        let is_number = matches!(noun.det, Some(Determiner::A | Determiner::Number { .. }));
        let is_of_all = |own: &Self, noun: &[String]| {
            let last = own.context.earlier().find(|meant| meant.noun == noun);
            is_number && last.is_some_and(|meant| meant.how == How::All)
        };
        let mut nouns = self.context.nouns_before();
        // "The red one" or "red", without a noun before it, is any red object. A word that is also
        // a noun may mean an object that is not there.
        let is_hue = |q: &Modified| match &q.is {
            Modifier::Color { word } => !self.lexicon.is_noun(&self.phrase(&word.tree)),
            _ => false,
        };
        let is_described = match np.is.is_bare() {
            false => !(noun.quals.is_empty() && noun.posts.is_empty()),
            true => noun.quals.iter().all(is_hue),
        };
        if nouns.is_empty() && is_described {
            nouns.push((vec!["thing".into()], vec![]));
        }
        for (words, colors) in nouns {
            noun.words = words;
            // In "the smaller blue cube … the bigger one", the second is blue, too, if there is
            // such a cube.
            noun.colors = if colored { vec![] } else { colors };
            let alike = self.called_so(tree, &noun);
            noun.colors.clear();
            let meant = match alike {
                // After "the red cubes", "one" is one of them.
                Err(why) if is_of_all(self, &noun.words) => return Err(why),
                Err(why) if is_other_kind(self, &why) => self.called_so(tree, &noun),
                alike => alike,
            };
            // An object is not put on itself.
            if let (Ok(meant), Some(moved)) = (&meant, &self.context.current)
                && meant.things == moved.things
            {
                continue;
            }
            match meant {
                Ok(meant) if meant.things.iter().all(|t| can_be(self, t)) => return Ok(meant),
                Ok(meant) => shallow = shallow.or(Some(meant)),
                Err(why) if is_other_kind(self, &why) => first = first.or(Some(why)),
                Err(why) => return Err(why),
            }
        }
        shallow.ok_or_else(|| first.unwrap_or_else(|| self.unclear(tree, "_ of what?")))
    }

    /// Returns true for "ones", and false for "one".
    fn plural_one(&self, np: &Np) -> Option<bool> {
        let NounPhrase::Noun { name, .. } = &np.is else {
            return None;
        };
        match &name.as_ref()?.is {
            Name::One { word } => Some(self.lexicon.is_plural(&word.means)),
            _ => None,
        }
    }

    /// Rejects qualities that cannot stand for an object by themselves.
    fn check_bare(&self, tree: &Tree, noun: &Noun<'_>) -> Resolved<()> {
        let is_count = |q: &Modified| matches!(q.is, Modifier::Count { .. });
        let is_side = |q: &Modified| matches!(q.is, Modifier::AtSide { .. });
        let is_not = |q: &Modified| matches!(q.is, Modifier::Such { .. });
        if noun.quals.last().is_some_and(is_count) {
            return Err(self.nonsense(tree, "_ of what?"));
        }
        let is_incomplete = match noun.det {
            Some(_) => noun.quals.iter().all(is_side) && noun.posts.is_empty(),
            None => noun.quals.iter().any(is_not),
        };
        match is_incomplete {
            true => Err(self.nonsense(tree, "_ is not an object")),
            false => Ok(()),
        }
    }

    /// Resolves "the cabinet's", or "its", which means an object that was mentioned before the
    /// moved one.
    pub(crate) fn owner(&mut self, np: &Np) -> Resolved<Referent> {
        let is_pronoun = matches!(np.is, NounPhrase::Pronoun { .. });
        let at_place = std::mem::replace(&mut self.context.at_place, is_pronoun);
        let owner = self.one(np);
        self.context.at_place = at_place;
        // "put it in its dish" means the dish of the moved object, if nothing else was mentioned.
        let current = self.context.current.as_ref().and_then(Meant::single);
        match current.filter(|_| is_pronoun) {
            Some(current) => owner.or_else(|_| Ok(current.clone())),
            None => owner,
        }
    }

    /// Resolves a noun with its modifiers. A plural means the objects of this kind, if there are
    /// several, and otherwise the widest match.
    fn called_so(&mut self, tree: &Tree, noun: &Noun<'_>) -> Meaning {
        if let Some(Determiner::Unstated { why }) = noun.det {
            return Err(self.nonsense(tree, format!("_: {}", why.means)));
        }
        let is_nth = |qual: &Modified| matches!(qual.is, Modifier::Nth { .. });
        let is_each = matches!(noun.det, Some(Determiner::All { .. })) && !noun.plural;
        if is_each && noun.quals.iter().any(is_nth) {
            return Err(self.impossible(tree, "_: they have no order; name the objects"));
        }
        // "The smaller mug" compares all mugs, even one with the id "mug", "the yellow bottle" may
        // be another than `bottle`, and "the other mug" is another.
        let is_described = !noun.quals.is_empty() || !noun.posts.is_empty();
        let is_name = matches!(noun.det, None | Some(Determiner::The));
        let alike = match noun.plural || is_described || !is_name {
            true => self.called_within(&noun.words, Fit::Exact)?,
            false => vec![],
        };
        let things = match alike.len() {
            0 | 1 => self.called(&noun.words)?,
            _ => alike,
        };
        self.of_things(things, tree, noun)
    }

    fn of_things(&mut self, mut things: Vec<Referent>, tree: &Tree, noun: &Noun<'_>) -> Meaning {
        // Only the outer phrase is restricted.
        let within = self.context.within.take();
        things.retain(|t| within.as_ref().is_none_or(|within| within.contains(t)));
        things.retain(|t| noun.colors.iter().all(|color| self.has_word(t, color)));
        let narrowed = self.narrowed(tree, things, noun);
        self.context.within = within;
        let (things, why) = narrowed?;
        let mut meant = self.determined(tree, things, noun)?;
        let own = noun.quals.iter().flat_map(|qual| qual.is.colors());
        meant.colors = own.chain(noun.colors.iter().cloned()).collect();
        self.note(tree, &meant, &why);
        Ok(meant)
    }

    /// Nouns of a phrase or the last one of a list, whether or not an object has this name.
    pub(crate) fn noun_of(&self, np: &Np) -> Vec<String> {
        if let NounPhrase::And { second, .. } = &np.is {
            return self.noun_of(second);
        }
        let NounPhrase::Noun {
            name: Some(name), ..
        } = &np.is
        else {
            return vec![];
        };
        let (first, more, last) = match &name.is {
            Name::Words { first, more } => (first, more, None),
            Name::Of { first, of, more } => (of, more, Some(first)),
            Name::One { .. } => return vec![],
        };
        let words = std::iter::once(first).chain(more).chain(last);
        words.map(|word| word.means.clone()).collect()
    }

    /// Returns the last stack for "the tower", or the only one that stands there, unless an object
    /// has this name.
    pub(crate) fn stack_called(&self, np: &Np) -> Option<Meant> {
        let noun = self.noun_of(np);
        let is_one = !self.lexicon.are_plural(&noun);
        let is_stack = is_one && self.means(&noun, "stack") && self.fits(&noun).is_empty();
        let stacked = self.context.stacked.clone();
        is_stack.then(|| stacked.or_else(|| self.standing_stack()))?
    }

    /// Returns the objects that stand on one another, from the bottom, if there is one such pile.
    fn standing_stack(&self) -> Option<Meant> {
        let below = |thing: &Referent| self.support_of(thing, "on").filter(|t| self.is_small(t));
        let loose: Vec<_> = self.loose().map(Referent::of).collect();
        let carried: Vec<_> = loose.iter().filter_map(below).collect();
        let is_top = |t: &Referent| below(t).is_some() && !carried.contains(t);
        let top = Meant::all(those(&loose, is_top)).single()?.clone();
        let mut stack: Vec<_> = successors(Some(top), below).collect();
        stack.reverse();
        Some(Meant::all(stack))
    }

    /// Keeps the objects of a stack that stands there. Returns false if a phrase means none.
    pub(crate) fn keep_in_stack(&self, np: &Np, things: &mut Vec<Referent>) -> bool {
        let stack = self.stack_called(np);
        let stack = stack.filter(|stack| self.standing_stack().as_ref() == Some(stack));
        things.retain(|t| stack.as_ref().is_none_or(|stack| stack.things.contains(t)));
        stack.is_some()
    }

    /// Returns true if a noun has only this meaning in scenes; `thing` means any object.
    pub(super) fn means(&self, noun: &[String], word: &str) -> bool {
        let meanings = noun.iter().flat_map(|w| self.lexicon.scene_words(w));
        meanings.eq([word])
    }

    /// Returns the objects that a noun names: for a plural the widest match, for a singular the
    /// best.
    pub(crate) fn called(&self, words: &[String]) -> Resolved<Vec<Referent>> {
        let plural = self.lexicon.are_plural(words);
        self.called_within(words, if plural { Fit::Same } else { Fit::Id })
    }

    /// Returns the objects that match a noun best, and all that match at least as well as `least`.
    fn called_within(&self, words: &[String], least: Fit) -> Resolved<Vec<Referent>> {
        if self.means(words, "thing") {
            return Ok(self.loose().map(Referent::of).collect());
        }
        let fits = self.fits(words);
        let Some(best) = fits.iter().map(|(fit, _)| *fit).min() else {
            return Err(ReadingError::Unseen {
                name: words.join(" "),
                moved: false,
            });
        };
        let within = best.max(least);
        // A zone that matches only by a hypernym is not meant if a whole object has the name.
        let is_whole = |(fit, thing): &(Fit, Referent)| thing.zone().is_none() && *fit <= within;
        let has_whole = fits.iter().any(is_whole);
        // A zone may be meant besides the object with this id: "the top shelf".
        let fits = fits.into_iter().filter(|(fit, thing)| match thing {
            Referent::Object(_) => *fit <= within,
            Referent::Zone(..) if has_whole => *fit <= within.clamp(Fit::Exact, Fit::Same),
            Referent::Zone(..) => *fit <= within.max(Fit::Exact),
        });
        Ok(fits.map(|(_, thing)| thing).collect())
    }

    fn fits(&self, words: &[String]) -> Vec<(Fit, Referent)> {
        let objects = self.scene.percept.objects.iter();
        let objects = objects.map(|o| (Names::of(o), Referent::of(o)));
        let zones = self.scene.named_zones().map(|(of, name)| {
            let thing = Referent::Zone(of.clone(), Zone::new(name));
            (Names::from_texts(name, name), thing)
        });
        let groups = self.scene.percept.groups.iter().filter_map(|group| {
            let holder = self.holder(group)?;
            Some((Names::of(&group.as_object()), Referent::Object(holder)))
        });
        let named = objects.chain(zones).chain(groups);
        let fit = |(names, thing): (Names, _)| Some((names.fit(words, self.lexicon)?, thing));
        named.filter_map(fit).collect()
    }
}

#[derive(Default)]
pub(super) struct Noun<'t> {
    pub(super) det: Option<&'t Determiner>,
    pub(super) quals: &'t [Modified],
    pub(super) posts: &'t [Modified],
    pub(super) words: Vec<String>,
    /// Colours from the phrase for which "one" stands.
    pub(super) colors: Vec<String>,
    pub(super) plural: bool,
}

impl<'t> Noun<'t> {
    pub(super) fn of(np: &'t NounPhrase) -> Self {
        let [quals, posts] = np.modifiers();
        Self {
            det: np.det(),
            quals,
            posts,
            ..Self::default()
        }
    }

    /// Returns true for "the other one" and "another one".
    pub(super) fn is_other(&self) -> bool {
        matches!(
            self.det,
            Some(Determiner::Other { .. } | Determiner::Another)
        )
    }
}

impl Determiner {
    /// Number of objects, and true if there must be exactly that many.
    pub(super) fn number(&self) -> Option<(usize, bool)> {
        match self {
            Self::A | Self::Another => Some((1, false)),
            Self::Number { n } | Self::Exactly { n } => Some((count(n), false)),
            Self::Just { n } | Self::All { n: Some(n) } | Self::Other { n: Some(n) } => {
                Some((count(n), true))
            }
            _ => None,
        }
    }
}
