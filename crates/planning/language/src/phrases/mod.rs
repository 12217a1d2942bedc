//! From noun phrases to the things that they mean.

mod counting;
mod layers;
mod names;
mod narrowing;
mod noun;
mod nouns;
mod parts;
mod pronouns;
mod sets;

use crate::ast::{Determiner, NounPhrase, Np};
use crate::context::Context;
use crate::reader::{Meaning, Reader, count};
use crate::referent::{How, Meant, ReadingError, Referent};

impl Reader<'_> {
    /// The meaning of a noun phrase.
    pub(crate) fn np(&self, np: &Np, context: &mut Context) -> Meaning {
        match self.patience.get().checked_sub(1) {
            Some(left) => self.patience.set(left),
            None => return Err(ReadingError::Nonsense("it is too involved".into())),
        }
        let phrase = self.phrase(&np.tree);
        let answer = context.answered.iter().find(|(asked, _)| *asked == phrase);
        let meant = match answer {
            Some((_, thing)) => Meant::one(thing.clone()),
            None => self.np_quietly(np, context)?,
        };
        if !matches!(np.is, NounPhrase::Pronoun { .. }) {
            context.mentioned.push(meant.clone());
        }
        Ok(meant)
    }

    /// The same, without taking it for mentioned.
    pub(crate) fn np_quietly(&self, np: &Np, context: &mut Context) -> Meaning {
        let tree = &np.tree;
        match &np.is {
            NounPhrase::Noun { .. } | NounPhrase::Owned { .. } => self.noun_in(np, context),
            NounPhrase::One { .. } | NounPhrase::Bare { .. } => self.one_in(np, context),
            NounPhrase::And { first, second } => self.both(first, second, context),
            NounPhrase::Or { first, second } => self.either(first, second, context),
            NounPhrase::Except { all, but } => self.all_but(tree, all, but, context),
            NounPhrase::Corrected { wrong, right } => self.corrected(tree, wrong, right, context),
            NounPhrase::Pronoun { word } => self.pronoun(tree, word, context),
            NounPhrase::Everything { rest, posts } => {
                self.everything(tree, [true, rest.is_some()], posts, context)
            }
            NounPhrase::Something { posts } => self.everything(tree, [false; 2], posts, context),
            NounPhrase::SomeOf { det, np } => {
                let meant = self.np(np, context)?;
                match &det.is {
                    Determiner::Both => self.exactly(tree, meant, 2),
                    Determiner::Number { n } => self.some(tree, meant, count(n)),
                    Determiner::A => Ok(meant.so_many(How::Any(1))),
                    _ => Ok(meant.so_many(How::All)),
                }
            }
            NounPhrase::RestOf { np } => self.rest_of(tree, np, context),
            NounPhrase::OfSet { set, .. } => self.of_set(np, set, context),
            NounPhrase::Among { set, np } => self.among(set, np, context),
            NounPhrase::Contents { relation, np } => {
                self.contents(tree, &relation.means, np, context)
            }
            NounPhrase::Part { sides, noun, whole } => {
                self.part(tree, sides, noun, whole.as_ref(), context)
            }
            NounPhrase::OtherOne => self.other_one(tree, context),
        }
    }

    /// The meaning of a phrase that means one thing.
    pub(crate) fn one(&self, np: &Np, context: &mut Context) -> Result<Referent, ReadingError> {
        let meant = self.np(np, context)?;
        match (meant.single(), meant.how) {
            (Some(one), _) => Ok(one.clone()),
            (None, How::Any(1)) => Err(self.several(&np.tree, &meant.things)),
            _ => Err(self.senseless(&np.tree, "_ are several, where one thing is expected")),
        }
    }

    /// The meaning of a phrase that tells where something is, if `wants_inside` in what is hollow.
    pub(crate) fn one_there(
        &self,
        np: &Np,
        [at_place, wants_inside]: [bool; 2],
        context: &mut Context,
    ) -> Result<Referent, ReadingError> {
        (context.at_place, context.wants_inside) = (at_place, wants_inside);
        let one = self.one(np, context);
        (context.at_place, context.wants_inside) = (false, false);
        one
    }

    /// The meaning of a phrase; every candidate, if it does not say which.
    pub(crate) fn np_or_all(&self, np: &Np, how: How, context: &mut Context) -> Meaning {
        match self.np(np, context) {
            Err(ReadingError::Several { candidates, .. }) => Ok(Meant {
                how,
                noun: self.noun_of(np),
                ..Meant::all(candidates)
            }),
            meant => meant,
        }
    }

    /// The meaning of a phrase, where a whole is meant rather than its parts: "on the shelf" is
    /// anywhere on it.
    pub(crate) fn whole_or(&self, np: &Np, context: &mut Context) -> Meaning {
        let meant = self.np(np, context);
        meant.or_else(|trouble| trouble.settled(|thing| thing.zone().is_none()))
    }

    /// A phrase whose noun may be left out, because another one said it.
    pub(crate) fn np_of(&self, np: &Np, noun: &[String], context: &mut Context) -> Meaning {
        let is_without = matches!(np.is, NounPhrase::Bare { .. } | NounPhrase::One { .. });
        if !is_without || noun.is_empty() {
            return self.np(np, context);
        }
        let mut own = context.clone();
        own.mentioned.push(Meant::called(noun.to_vec()));
        let meant = self.one_in(np, &mut own)?;
        context.mentioned.push(meant.clone());
        context.said = own.said;
        Ok(meant)
    }
}
