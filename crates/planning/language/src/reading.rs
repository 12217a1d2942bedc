//! The readings of a text: word for word, with pauses anywhere, or without what is told besides.

use std::cell::Cell;
use std::rc::Rc;

use crate::asides::without_asides;
use crate::context::{Context, Said};
use crate::lexicon::Lexicon;
use crate::parse::{Mode, Parser};
use crate::parse_context::ParseContext;
use crate::reader::Reader;
use crate::sentences::TaskBuilder;
use crate::thing::Trouble;
use crate::tokens::Token;
use crate::tree::Tree;

/// A text as it can be read.
pub(crate) struct Readings {
    /// Its words, without what is told besides if that does not fit.
    pub(crate) tokens: Vec<Token>,
    /// Each way to read it.
    pub(crate) trees: Vec<Rc<Tree>>,
    /// What was mentioned besides.
    pub(crate) before: Context,
    /// The furthest place that any reading got to.
    pub(crate) furthest: usize,
}

impl Readings {
    /// Reads a text in the strictest way that leads to anything.
    pub(crate) fn of(
        tokens: Vec<Token>,
        scene: &ParseContext<'_>,
        lexicon: &Lexicon,
        patience: &Cell<usize>,
    ) -> Self {
        let (mut trees, furthest) = read(&tokens, scene, lexicon, Mode::STRICT);
        let reader = scene.reader(lexicon, &tokens, patience);
        // What makes no sense word for word may have left out a pause.
        if trees.iter().all(|tree| is_nonsense(tree, reader)) {
            let (loose, _) = read(&tokens, scene, lexicon, Mode::LOOSE);
            if !loose.is_empty() {
                trees = loose;
            }
        }
        if trees.is_empty()
            && let Some(plain) = plain(&tokens, scene, lexicon, reader)
        {
            return plain;
        }
        Self {
            tokens,
            trees,
            before: Context::default(),
            furthest,
        }
    }
}

/// The ways to read a whole text, and the furthest place that any reading got to.
pub(crate) fn read(
    tokens: &[Token],
    scene: &ParseContext<'_>,
    lexicon: &Lexicon,
    mode: Mode,
) -> (Vec<Rc<Tree>>, usize) {
    let names = |word: &str| scene.is_name(word, lexicon);
    Parser::new(lexicon, tokens, &names, mode).whole("task")
}

/// Returns true if a reading makes no sense, and is not only unclear or names what is not there.
fn is_nonsense(tree: &Rc<Tree>, reader: Reader<'_>) -> bool {
    let task = TaskBuilder::new(reader, &[]).task(tree);
    matches!(task, Err(Trouble::Nonsense(_)))
}

/// The text without what is told besides, and what was mentioned there.
fn plain(
    tokens: &[Token],
    scene: &ParseContext<'_>,
    lexicon: &Lexicon,
    reader: Reader<'_>,
) -> Option<Readings> {
    let plain = without_asides(tokens, lexicon, &|word| scene.is_seen(word, lexicon))?;
    let (mut trees, mut furthest) = read(&plain.tokens, scene, lexicon, Mode::STRICT);
    if trees.is_empty() {
        (trees, furthest) = read(&plain.tokens, scene, lexicon, Mode::LOOSE);
    }
    let mut before = Context::default();
    let names = |word: &str| scene.is_name(word, lexicon);
    let mut parser = Parser::new(lexicon, tokens, &names, Mode::STRICT);
    for (from, to) in plain.asides {
        let mut at = from;
        while at < to {
            at = mentioned_at(at, to, &mut parser, reader, &mut before).unwrap_or(at + 1);
        }
        let words = tokens[from..to].iter().map(Token::shown);
        before.said.push(Said {
            phrase: words.collect::<Vec<_>>().join(" "),
            means: vec![],
            why: "said besides: it asks for nothing".into(),
        });
    }
    Some(Readings {
        tokens: plain.tokens,
        trees,
        before,
        furthest,
    })
}

/// Takes up what is mentioned at a place, and tells where that ends.
fn mentioned_at(
    at: usize,
    to: usize,
    parser: &mut Parser<'_>,
    reader: Reader<'_>,
    before: &mut Context,
) -> Option<usize> {
    let mut trees = parser.at("one_np", at);
    trees.retain(|tree| tree.to <= to && tree.label != "pronoun");
    trees.sort_by_key(|tree| std::cmp::Reverse(tree.to));
    let mut own = before.clone();
    let mut found = trees
        .iter()
        .filter_map(|tree| Some((tree, reader.np(tree, &mut own).ok()?)));
    let (tree, meant) = found.next()?;
    // "The tin is empty, so put it in there."
    if meant.single().is_some_and(|t| !reader.is_small(t)) {
        before.fixed.push((tree.clone(), meant.clone()));
        before.place = Some(tree.as_place());
    }
    before.moved.push(meant.clone());
    before.mentioned.push(meant);
    Some(tree.to)
}
