//! All readings of a sequence of words.

use std::collections::HashMap;
use std::rc::Rc;

use crate::lexicon::Lexicon;
use crate::rules::{Item, Rules};
use crate::tokens::Token;

/// What was matched: a labelled node, a word of a class, or nothing.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    /// A rule's label, a class, `list`, or empty for what is not there.
    pub(crate) label: String,
    pub(crate) parts: Vec<Rc<Tree>>,
    /// The words it covers.
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// Readings of one rule at one place that are kept: what has more is hopeless anyhow.
const MAX_READINGS: usize = 160;

/// Label of what is only literals: it is not kept.
const WORDS_ONLY: &str = "~";

type Readings = Rc<Vec<Rc<Tree>>>;

/// A label, the parts' addresses, and the words covered.
type Shape = (String, Vec<*const Tree>, usize, usize);

/// Reads a text by rules, from left to right, keeping every way that fits.
pub(crate) struct Parser<'a> {
    rules: &'a Rules,
    lexicon: &'a Lexicon,
    tokens: &'a [Token],
    /// Words that count as names although nothing is called so.
    open: bool,
    names: &'a dyn Fn(&str) -> bool,
    known: HashMap<(usize, usize), Readings>,
    /// Every tree that was made: what is alike is the same, so that comparing takes one step
    /// however deep they are.
    made: HashMap<Shape, Rc<Tree>>,
    /// The furthest place at which something was still looked for.
    furthest: usize,
}

impl<'a> Parser<'a> {
    /// `names` tells whether a word may name something; if `open`, any word may that the
    /// lexicon does not know.
    pub(crate) fn new(
        lexicon: &'a Lexicon,
        tokens: &'a [Token],
        names: &'a dyn Fn(&str) -> bool,
        open: bool,
    ) -> Self {
        Self {
            rules: &lexicon.rules,
            lexicon,
            tokens,
            open,
            names,
            known: HashMap::new(),
            made: HashMap::new(),
            furthest: 0,
        }
    }

    /// The readings of the whole text as a rule, and how far any reading got.
    pub(crate) fn whole(&mut self, rule: &str) -> (Vec<Rc<Tree>>, usize) {
        let Some(&idx) = self.rules.names.get(rule) else {
            return (vec![], 0);
        };
        let n = self.tokens.len();
        let readings = self.rule(idx, 0);
        let whole = readings.iter().filter(|tree| tree.to == n);
        (whole.cloned().collect(), self.furthest)
    }

    fn rule(&mut self, idx: usize, at: usize) -> Readings {
        if let Some(readings) = self.known.get(&(idx, at)) {
            return readings.clone();
        }
        // A rule that begins with itself finds nothing there.
        self.known.insert((idx, at), Rc::default());
        let rules = self.rules;
        let mut readings: Vec<Rc<Tree>> = vec![];
        for way in &rules.ways[idx] {
            for (parts, to) in self.sequence(&way.items, at) {
                if readings.len() == MAX_READINGS {
                    break;
                }
                let tree = match (&way.label, parts.as_slice()) {
                    (None, [one]) => one.clone(),
                    (None, []) => self.tree(WORDS_ONLY, parts, at, to),
                    (label, _) => self.tree(label.as_deref().unwrap_or("list"), parts, at, to),
                };
                if !readings.iter().any(|known| Rc::ptr_eq(known, &tree)) {
                    readings.push(tree);
                }
            }
        }
        let readings = Rc::new(readings);
        self.known.insert((idx, at), readings.clone());
        readings
    }

    fn tree(&mut self, label: &str, parts: Vec<Rc<Tree>>, from: usize, to: usize) -> Rc<Tree> {
        let addresses = parts.iter().map(Rc::as_ptr).collect();
        let made = self.made.entry((label.to_owned(), addresses, from, to));
        let tree = made.or_insert_with(|| {
            Rc::new(Tree {
                label: label.to_owned(),
                parts,
                from,
                to,
            })
        });
        tree.clone()
    }

    fn sequence(&mut self, items: &[Item], at: usize) -> Vec<(Vec<Rc<Tree>>, usize)> {
        let mut partial = vec![(vec![], at)];
        for item in items {
            let mut next = vec![];
            for (parts, at) in partial {
                for (tree, to) in self.item(item, at) {
                    let mut parts: Vec<Rc<Tree>> = parts.clone();
                    parts.extend(tree.filter(|tree| tree.label != WORDS_ONLY));
                    next.push((parts, to));
                }
            }
            next.truncate(MAX_READINGS * 4);
            partial = next;
            if partial.is_empty() {
                break;
            }
        }
        partial
    }

    /// What an item matches at a place, and where that ends. Literals leave nothing.
    fn item(&mut self, item: &Item, at: usize) -> Vec<(Option<Rc<Tree>>, usize)> {
        match item {
            Item::Words(sequences) => {
                let fits = |words: &&Vec<String>| {
                    let mut words = words.iter().enumerate();
                    words.all(|(i, word)| self.token_is(at + i, word))
                };
                let mut ends: Vec<_> = sequences.iter().filter(fits).map(Vec::len).collect();
                ends.dedup();
                self.furthest = ends.iter().map(|n| at + n).fold(self.furthest, usize::max);
                ends.into_iter().map(|n| (None, at + n)).collect()
            }
            Item::Class(class) => {
                let ends = self.class(class, at);
                self.furthest = ends.iter().copied().fold(self.furthest, usize::max);
                let word = |to| (Some(self.tree(class, vec![], at, to)), to);
                ends.into_iter().map(word).collect()
            }
            Item::Rule(idx) => {
                let readings = self.rule(*idx, at);
                readings.iter().map(|t| (Some(t.clone()), t.to)).collect()
            }
            Item::Optional(item) => {
                let mut found = self.item(item, at);
                let nothing = matches!(**item, Item::Words(_)).then_some(None);
                found.push((
                    nothing.unwrap_or_else(|| Some(self.tree("", vec![], at, at))),
                    at,
                ));
                found
            }
            Item::Many(item) => {
                let mut found = self.many(item, at);
                if matches!(**item, Item::Words(_)) {
                    found.iter_mut().for_each(|(tree, _)| *tree = None);
                }
                found
            }
        }
    }

    fn many(&mut self, item: &Item, at: usize) -> Vec<(Option<Rc<Tree>>, usize)> {
        let mut lists: Vec<(Vec<Rc<Tree>>, usize)> = vec![(vec![], at)];
        let mut idx = 0;
        while idx < lists.len() && lists.len() < MAX_READINGS * 4 {
            let (parts, end) = lists[idx].clone();
            for (tree, to) in self.item(item, end) {
                if to > end {
                    let mut parts = parts.clone();
                    parts.extend(tree);
                    lists.push((parts, to));
                }
            }
            idx += 1;
        }
        let list = |(parts, to)| (Some(self.tree("list", parts, at, to)), to);
        lists.into_iter().map(list).collect()
    }

    fn token_is(&self, at: usize, word: &str) -> bool {
        match (self.tokens.get(at), word) {
            (Some(Token::Comma), ",") | (Some(Token::Stop), ".") => true,
            (Some(Token::Word(said)), _) => said == word,
            _ => false,
        }
    }

    /// Where a word (or several) of a class may end that begins at a place.
    fn class(&self, class: &str, at: usize) -> Vec<usize> {
        match (class, self.tokens.get(at)) {
            ("point", Some(Token::Point(_))) => vec![at + 1],
            ("number", Some(Token::Word(word))) if word.parse::<f64>().is_ok() => vec![at + 1],
            ("name", Some(Token::Word(word))) => {
                let is_name = (self.names)(word)
                    || (self.open && !self.lexicon.knows(word) && word.parse::<f64>().is_err());
                is_name.then_some(at + 1).into_iter().collect()
            }
            _ => self.lexicon.ends(class, self.tokens, at),
        }
    }
}
