//! Resolves noun phrases to objects.

mod layers;
mod narrowing;
mod nouns;
mod sets;

pub(crate) use layers::plain;

use crate::ast::{Determiner, NounPhrase, Np, Word};
use crate::reader::{Meaning, Reader, number};
use crate::referent::{How, Meant, ReadingError, Referent, Resolved, list};

impl Reader<'_> {
    /// Resolves a noun phrase and, unless it is a pronoun, marks its objects as mentioned.
    pub(crate) fn np(&mut self, np: &Np) -> Meaning {
        let left = self.patience.get().checked_sub(1);
        let too_long = || self.nonsense(&np.tree, "_ is too complicated; use shorter sentences");
        self.patience.set(left.ok_or_else(too_long)?);
        let phrase = self.phrase(&np.tree);
        let mut answers = self.context.answered.iter();
        let meant = match answers.find(|(asked, _)| *asked == phrase) {
            Some((_, thing)) => Meant::one(thing.clone()),
            None => self.np_quietly(np)?,
        };
        if !matches!(np.is, NounPhrase::Pronoun { .. }) {
            self.context.mentioned.push(meant.clone());
        }
        Ok(meant)
    }

    /// Resolves a noun phrase without marking its objects as mentioned.
    pub(crate) fn np_quietly(&mut self, np: &Np) -> Meaning {
        let tree = &np.tree;
        match &np.is {
            NounPhrase::Noun { .. } if np.is.is_without_noun() => self.one_in(np),
            NounPhrase::Noun { .. } => self.noun_in(np),
            NounPhrase::And { first, second } => self.both(first, second),
            NounPhrase::Or { first, second } => self.either(first, second),
            NounPhrase::Except { all, but } => self.all_but(tree, all, but),
            NounPhrase::AllOthers { but } => self.all_others(tree, but),
            NounPhrase::Only { np } => match self.np(np)? {
                some if some.is_new => Err(self.nonsense(tree, "_ does not say which objects")),
                meant => Ok(meant),
            },
            NounPhrase::Corrected { wrong, right } => self.corrected(tree, wrong, right),
            NounPhrase::Pronoun { word } => self.pronoun(tree, word),
            NounPhrase::Everything { some, rest, posts } => {
                // After "one cube", the rest are cubes.
                let divided = self.context.divided().filter(|_| rest.is_some());
                let things = match divided {
                    Some(noun) => self.called(noun)?,
                    None => self.loose().map(Referent::of).collect(),
                };
                let is_of_kind = divided.is_some();
                let kind = [some.is_none(), rest.is_some()];
                let mut meant = self.everything(tree, things, kind, posts)?;
                meant.is_rest &= !is_of_kind;
                Ok(meant)
            }
            NounPhrase::SomeOf { det, np } => {
                use Determiner::{All, Exactly, Share};
                let mut meant = match det.is {
                    All { .. } | Share { .. } => self.np_or_all(np, How::All)?,
                    _ => self.np(np)?,
                };
                meant.is_exact = matches!(det.is, Exactly { .. });
                meant.is_new = det.is.number().is_some_and(|(_, is_exact)| !is_exact);
                let number = match &det.is {
                    Share { part } => Some((self.share(part, &meant)?, false)),
                    det => det.number(),
                };
                match number {
                    Some(number) => self.so_many(tree, meant, number),
                    None => self.nonempty(tree, meant.so_many(How::All)),
                }
            }
            NounPhrase::Among { set, np } => self.among(set, np),
            NounPhrase::Part { sides, noun, whole } => self.part(tree, sides, noun, whole.as_ref()),
        }
    }

    /// Number of objects that a fraction of several means: "half" of four is two.
    fn share(&self, part: &Word, all: &Meant) -> Resolved<usize> {
        let n_all = all.things.len();
        let n = number(part).unwrap_or(1.0) * n_all as f64;
        let is_whole = (n - n.round()).abs() < 0.1 && n.round() > 0.0;
        let of = || format!("_ of {n_all}: say how many of {}", list(&all.things));
        let not_whole = || self.impossible(&part.tree, of());
        is_whole.then_some(n.round() as usize).ok_or_else(not_whole)
    }

    /// Resolves a phrase that must mean one object.
    pub(crate) fn one(&mut self, np: &Np) -> Resolved<Referent> {
        let meant = self.np(np)?;
        match (meant.single(), meant.how) {
            (Some(one), _) => Ok(one.clone()),
            (None, How::Any(1)) => Err(self.several(&np.tree, &meant.things)),
            _ => Err(self.nonsense(&np.tree, "_ names several objects, but one is expected")),
        }
    }

    /// Resolves a phrase for a place, which must be hollow if `wants_inside`.
    pub(crate) fn one_there(
        &mut self,
        np: &Np,
        [at_place, wants_inside]: [bool; 2],
    ) -> Resolved<Referent> {
        (self.context.at_place, self.context.wants_inside) = (at_place, wants_inside);
        let one = self.one(np);
        (self.context.at_place, self.context.wants_inside) = (false, false);
        one
    }

    /// Resolves a phrase, with all candidates if it is ambiguous.
    pub(crate) fn np_or_all(&mut self, np: &Np, how: How) -> Meaning {
        match self.np(np) {
            Err(ReadingError::Several { phrase, candidates })
                if phrase == self.phrase(&np.tree) =>
            {
                Ok(Meant {
                    how,
                    noun: self.noun_of(np),
                    ..Meant::all(candidates)
                })
            }
            meant => meant,
        }
    }

    /// Resolves a phrase, where the whole object is preferred to its zones: "on the shelf" is
    /// anywhere on it.
    pub(crate) fn whole_or(&mut self, np: &Np) -> Meaning {
        let meant = self.np(np);
        meant.or_else(|error| error.settled(|thing| thing.zone().is_none()))
    }

    /// Resolves a phrase that may omit its noun, which is then `noun`.
    pub(crate) fn np_of(&mut self, np: &Np, noun: &[String]) -> Meaning {
        if !np.is.is_without_noun() || noun.is_empty() {
            return self.np(np);
        }
        let n_before = self.context.mentioned.len();
        self.context.mentioned.push(Meant::called(noun.to_vec()));
        let meant = self.one_called(np);
        self.context.mentioned.remove(n_before);
        self.context.mentioned.extend(meant.clone().ok());
        meant
    }
}
