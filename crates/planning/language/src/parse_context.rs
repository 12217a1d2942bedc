//! Context that a text is read in.

use std::cell::Cell;

use regrasp_api::{ObjectId, Percept, Viewpoint};

use crate::context::Context;
use crate::lexicon::Lexicon;
use crate::reader::Reader;
use crate::related::named_zones;
use crate::tokens::Token;
use crate::words::Names;

/// What a text is said about.
#[derive(Clone, Copy, Debug)]
pub struct ParseContext<'a> {
    /// Objects that are seen.
    pub percept: &'a Percept,
    /// What is in the hand.
    pub held: Option<&'a ObjectId>,
    /// Where the robot's base stands, seen from above in World, m.
    pub base: [f64; 2],
    /// From where left and right are meant.
    pub viewpoint: Viewpoint,
    /// Questions that were asked about the text, and the answers.
    pub answers: &'a [(String, String)],
}

impl<'a> ParseContext<'a> {
    /// What is seen, from a robot that stands at the origin, holds nothing and was asked nothing.
    pub fn of(percept: &'a Percept) -> Self {
        Self {
            percept,
            held: None,
            base: [0.0; 2],
            viewpoint: Viewpoint::Robot,
            answers: &[],
        }
    }

    pub(crate) fn reader<'r>(
        &'r self,
        lexicon: &'r Lexicon,
        tokens: &'r [Token],
        patience: &'r Cell<usize>,
    ) -> Reader<'r> {
        Reader {
            percept: self.percept,
            lexicon,
            viewpoint: &self.viewpoint,
            tokens,
            held: self.held,
            base: self.base.into(),
            patience,
            context: Context::default(),
        }
    }

    /// The names of everything that is seen, and of its places.
    fn names(&self) -> impl Iterator<Item = Names> {
        let groups = self.percept.groups.iter();
        let groups = groups.map(|group| Names::of(&group.as_object()));
        let zones = named_zones(self.percept).map(|(_, name)| Names::from_texts(name, ""));
        let objects = self.percept.objects.iter().map(Names::of);
        objects.chain(zones).chain(groups)
    }

    /// Returns true if something that is seen may be called by a word.
    pub(crate) fn is_seen(&self, word: &str, lexicon: &Lexicon) -> bool {
        let noun = [word.to_owned()];
        self.names()
            .any(|names| names.fit(&noun, lexicon).is_some())
    }

    /// Returns true if a thing that is seen has a word in its name.
    pub(crate) fn has_object(&self, word: &str) -> bool {
        let mut names = self.percept.objects.iter().map(Names::of);
        names.any(|names| names.has(word))
    }

    /// Returns true if a word may name something.
    pub(crate) fn is_name(&self, word: &str, lexicon: &Lexicon) -> bool {
        // "black" tells of things, even where it is a part of a name.
        if lexicon.is_noun(word) || lexicon.tells(word) {
            return lexicon.is_noun(word);
        }
        let one = lexicon.singular(word);
        let words = lexicon.scene_words(word);
        self.names()
            .any(|names| names.has(word) || names.has(&one) || words.iter().all(|w| names.has(w)))
    }
}
