//! So many of some things as a phrase says.

use crate::ast::Determiner;
use crate::phrases::noun::Noun;
use crate::reader::{Meaning, Reader, count};
use crate::referent::{How, Meant, ReadingError, Referent, list, those};
use crate::tree::Tree;

impl Reader<'_> {
    /// So many of some things as the determiner and the noun say.
    pub(super) fn determined(
        &self,
        tree: &Tree,
        things: Vec<Referent>,
        noun: &Noun<'_>,
    ) -> Meaning {
        let meant = Meant {
            things,
            how: if noun.plural { How::All } else { How::The },
            ..Meant::called(noun.words.clone())
        };
        match noun.det {
            Some(Determiner::A) if noun.plural => Ok(meant),
            Some(Determiner::A | Determiner::Another) => self.some(tree, meant, 1),
            Some(Determiner::All { n: None }) => self.nonempty(tree, meant.so_many(How::All)),
            Some(
                Determiner::All { n: Some(n) }
                | Determiner::Just { n }
                | Determiner::Other { n: Some(n) },
            ) => self.exactly(tree, meant, count(n)),
            Some(Determiner::Both) => self.exactly(tree, meant, 2),
            Some(Determiner::Number { n }) => self.some(tree, meant, count(n)),
            Some(Determiner::No) => Err(self.senseless(tree, "_ is nothing")),
            Some(Determiner::The | Determiner::Other { n: None }) | None => {
                let spoken_of = self.context.spoken_of(&meant.things);
                match (meant.how, meant.things.len(), spoken_of.len()) {
                    // "the drawer" is the one that was spoken of.
                    (How::The, 2.., 1) => Ok(meant.with(spoken_of)),
                    _ => self.count(tree, meant),
                }
            }
        }
    }

    /// One, if one is meant.
    pub(super) fn count(&self, tree: &Tree, meant: Meant) -> Meaning {
        let meant = self.nonempty(tree, meant)?;
        if meant.how != How::The || meant.things.len() == 1 {
            return Ok(meant);
        }
        let is_loose = |t: &Referent| self.object(t).is_some_and(|o| o.movable);
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
            true => Err(self.none(tree, "there is no such thing")),
            false => Ok(meant),
        }
    }

    pub(super) fn exactly(&self, tree: &Tree, meant: Meant, n: usize) -> Meaning {
        match meant.things.len() {
            there if there == n => Ok(meant.so_many(How::All)),
            there if there > n => Err(self.several(tree, &meant.things)),
            _ => Err(self.too_few(tree, &meant)),
        }
    }

    pub(super) fn some(&self, tree: &Tree, meant: Meant, n: usize) -> Meaning {
        let meant = self.nonempty(tree, meant)?;
        let there = meant.things.len();
        if there < n {
            return Err(self.too_few(tree, &meant));
        }
        let how = match (there == n, n) {
            (true, 1) => How::The,
            (true, _) => How::All,
            (false, _) => How::Any(n),
        };
        Ok(meant.so_many(how))
    }

    fn too_few(&self, tree: &Tree, meant: &Meant) -> ReadingError {
        let why = format!("there are {}: {}", meant.things.len(), list(&meant.things));
        self.none(tree, why)
    }
}
