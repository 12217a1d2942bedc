//! Reader of phrases, with the text and the perceived objects.

use std::cell::Cell;
use std::rc::Rc;

use regrasp_api::{ObjectJoint, PerceivedObject};

use crate::ast::{Field, Node, Sort, Source, Word};
use crate::context::{Context, PhraseMeaning};
use crate::lexicon::Lexicon;
use crate::parse::Parser;
use crate::parse_context::ParseContext;
use crate::referent::{Meant, ReadingError, Referent, Resolved};
use crate::tokens::{Token, shown};
use crate::tree::Tree;

/// Number of phrase look-ups after which a text is given up. People's sentences take about a tenth
/// of that.
pub(crate) const MAX_PHRASES: usize = 4_000;

/// Resolves phrases in the scene and in the context of the text before them.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    pub(crate) scene: ParseContext<'a>,
    pub(crate) lexicon: &'a Lexicon,
    pub(crate) tokens: &'a [Token],
    /// Number of phrases that may still be looked up. It is limited, since nested phrases are
    /// looked up repeatedly.
    pub(crate) patience: Rc<Cell<usize>>,
    pub(crate) context: Context,
}

pub(crate) type Meaning = Resolved<Meant>;
pub(crate) type Wanted = fn(&ObjectJoint) -> bool;

impl<'a> Reader<'a> {
    pub(crate) fn new(scene: &ParseContext<'a>, lexicon: &'a Lexicon, tokens: &'a [Token]) -> Self {
        Self {
            scene: *scene,
            lexicon,
            tokens,
            patience: Rc::new(Cell::new(MAX_PHRASES)),
            context: Context::default(),
        }
    }

    /// Creates a parser of the text. Unknown words count as names if `is_open`.
    pub(crate) fn parser(&self, is_open: bool) -> Parser<'a> {
        let names = |word: &str| self.scene.is_name(word, self.lexicon);
        Parser::new(self.lexicon, self.tokens, &names, is_open)
    }

    pub(crate) fn after(&self, context: Context) -> Self {
        let patience = self.patience.clone();
        Self {
            patience,
            context,
            ..*self
        }
    }

    /// Reads a phrase inside a phrase with the noun `head`, for which "one" may stand.
    pub(crate) fn under_head<T>(
        &mut self,
        head: Vec<String>,
        read: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.context.heads.push(Meant::called(head));
        let found = read(self);
        self.context.heads.pop();
        found
    }

    /// Reads a phrase that means some of these objects, for whose noun "one" may stand.
    pub(crate) fn within<T>(&mut self, all: &Meant, read: impl FnOnce(&mut Self) -> T) -> T {
        self.context.within = Some(all.things.clone());
        let found = self.under_head(all.noun.clone(), read);
        self.context.within = None;
        found
    }

    /// Reads a phrase that means some of these objects or, if it fits none of them, any others.
    pub(crate) fn within_or_beyond(
        &mut self,
        things: Vec<Referent>,
        read: impl Fn(&mut Self) -> Meaning,
    ) -> Meaning {
        let mut own = self.clone();
        let before = own.context.within.replace(things);
        let Ok(meant) = read(&mut own) else {
            return read(self);
        };
        own.context.within = before;
        *self = own;
        Ok(meant)
    }

    pub(crate) fn typed<T: Sort>(&self, tree: &Rc<Tree>) -> Rc<Node<T>> {
        let meaning = |class: &str, words: &[Token]| self.lexicon.meaning(class, words);
        let source = Source {
            tokens: self.tokens,
            meaning: &meaning,
        };
        Field::read(tree, &source)
    }

    pub(crate) fn words(&self, tree: &Tree) -> impl Iterator<Item = &'a str> {
        self.tokens[tree.from..tree.to]
            .iter()
            .filter_map(Token::word)
    }

    /// Returns true if a clause has a word for its order: "then", or "before" and "after" within
    /// it.
    pub(crate) fn says_order(&self, from: usize, to: usize) -> bool {
        let begins = |class: &str, at: usize| self.lexicon.begins(class, self.tokens, at);
        begins("in_turn", from) || (from..to).any(|at| begins("order", at))
    }

    pub(crate) fn phrase(&self, tree: &Tree) -> String {
        shown(&self.tokens[tree.from..tree.to])
    }

    /// Rejects a phrase if words for a side start at a token and end at another or later: "the
    /// left" in "to the left of".
    pub(crate) fn check_side(&self, tree: &Tree, [from, to]: [usize; 2]) -> Resolved<()> {
        let mut ends = self.lexicon.ends("side_of", self.tokens, from).into_iter();
        match ends.any(|end| end >= to) {
            true => Err(self.nonsense(tree, "_ belongs to a place and is not an object")),
            false => Ok(()),
        }
    }

    /// Rejects "my left" while the speaker's position is not known.
    pub(crate) fn check_mine(&self, tree: &Tree) -> Resolved<()> {
        let mut words = self.words(tree);
        self.check_view(tree, words.any(|w| self.lexicon.is_of("mine", w)))
    }

    /// Rejects the speaker's viewpoint while the speaker's position is not known.
    pub(crate) fn check_view(&self, tree: &Tree, is_mine: bool) -> Resolved<()> {
        match is_mine && self.scene.viewpoint.position().is_none() {
            true => Err(self.unclear(tree, "_: where are you? (set a viewpoint)")),
            false => Ok(()),
        }
    }

    pub(crate) fn object(&self, thing: &Referent) -> Option<&'a PerceivedObject> {
        self.scene.percept.object(thing.id())
    }

    pub(crate) fn see(&self, thing: &Referent) -> Resolved<&'a PerceivedObject> {
        let seen = self.object(thing);
        seen.ok_or_else(|| ReadingError::Nonsense(format!("{thing} is not seen")))
    }

    pub(crate) fn objects(&self) -> impl Iterator<Item = &'a PerceivedObject> + use<'a> {
        self.scene.percept.objects.iter()
    }

    /// Movable objects.
    pub(crate) fn loose(&self) -> impl Iterator<Item = &'a PerceivedObject> + use<'a> {
        self.objects().filter(|o| o.movable)
    }

    pub(crate) fn joint(&self, thing: &Referent) -> Option<&'a ObjectJoint> {
        self.joints(|_| true).find(|j| &j.child == thing.id())
    }

    pub(crate) fn joints(&self, wanted: Wanted) -> impl Iterator<Item = &'a ObjectJoint> {
        let joints = self.scene.percept.joints.iter();
        joints.filter(move |joint| wanted(joint))
    }
}

pub(crate) fn number(word: &Word) -> Option<f64> {
    word.means.parse().ok()
}

pub(crate) fn count(word: &Word) -> usize {
    number(word).unwrap_or(1.0) as usize
}

/// Constructors of errors; the first `_` in a text stands for the phrase.
impl Reader<'_> {
    fn about(&self, tree: &Tree, text: impl AsRef<str>) -> String {
        let phrase = format!("`{}`", self.phrase(tree));
        text.as_ref().replacen('_', &phrase, 1)
    }

    pub(crate) fn nonsense(&self, tree: &Tree, why: impl AsRef<str>) -> ReadingError {
        ReadingError::Nonsense(self.about(tree, why))
    }

    pub(crate) fn impossible(&self, tree: &Tree, why: impl AsRef<str>) -> ReadingError {
        ReadingError::Impossible(self.about(tree, why))
    }

    pub(crate) fn unclear(&self, tree: &Tree, question: impl AsRef<str>) -> ReadingError {
        ReadingError::Unclear(self.about(tree, question))
    }

    pub(crate) fn none(&self, tree: &Tree, why: impl AsRef<str>) -> ReadingError {
        ReadingError::None(self.about(tree, why))
    }

    pub(crate) fn several(&self, tree: &Tree, things: &[Referent]) -> ReadingError {
        ReadingError::Several {
            phrase: self.phrase(tree),
            candidates: things.to_vec(),
        }
    }

    pub(crate) fn note(&mut self, tree: &Tree, meant: &Meant, why: &str) {
        let meaning = PhraseMeaning {
            phrase: self.phrase(tree),
            means: meant.things.iter().map(Referent::to_string).collect(),
            why: why.to_owned(),
        };
        self.context.meanings.push(meaning);
    }
}
