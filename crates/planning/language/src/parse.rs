//! Parses a sequence of words in all possible ways.

use std::collections::HashMap;
use std::rc::Rc;

use crate::lexicon::Lexicon;
use crate::rules::{Item, Make};
use crate::tokens::{Token, begins_with};
use crate::tree::{Label, Tree};

/// Largest number of readings of one rule at one position. A text with more is too complex.
const MAX_READINGS: usize = 1_000;

/// Largest number of repetitions of an item.
const MAX_IN_A_ROW: usize = 40;

/// Number of steps after which a text is given up: about 0.1 s. People's sentences take at most a
/// tenth of it.
const MAX_WORK: usize = 60_000;
/// Number of steps that each token before a clause adds to [`MAX_WORK`].
const WORK_PER_TOKEN: usize = 2_000;

/// Trees with their end positions. Words without a meaning may follow a tree before its end.
type Readings = Rc<Vec<(Rc<Tree>, usize)>>;

/// Trees of some items, and the end of the last.
type Sequence = (Vec<Rc<Tree>>, usize);

/// Label, addresses of the parts, first token, and end.
type Shape = (Label, Vec<*const Tree>, usize, usize);

/// Parser that reads from left to right and keeps every reading.
pub(crate) struct Parser<'a> {
    lexicon: &'a Lexicon,
    pub(crate) tokens: &'a [Token],
    /// True for each token that may name an object.
    named: Vec<bool>,
    known: HashMap<(usize, usize), Readings>,
    /// Cached matches of a sequence of items at a position.
    followed: HashMap<(*const Item, usize), Rc<Vec<Sequence>>>,
    /// All trees that were made. Equal trees are shared, so that comparing takes one step whatever
    /// their depth.
    made: HashMap<Shape, Rc<Tree>>,
    pub(crate) work: usize,
    max_work: usize,
    /// True if there were too many readings to keep.
    is_cut: bool,
    /// Furthest position at which something was still expected.
    pub(crate) furthest: usize,
}

impl<'a> Parser<'a> {
    /// Creates a parser. `names` returns true if a word may name an object. Unknown words count as
    /// names if `is_open`.
    pub(crate) fn new(
        lexicon: &'a Lexicon,
        tokens: &'a [Token],
        names: &dyn Fn(&str) -> bool,
        is_open: bool,
    ) -> Self {
        let is_unknown = |word: &str| !lexicon.knows(word) && word.parse::<f64>().is_err();
        let is_name = |word: &str| names(word) || (is_open && is_unknown(word));
        let named = |at: usize| tokens.get(at).and_then(Token::word).is_some_and(is_name);
        // In "a cube", "a" is no part of a name, even if there is an object `cube_a`.
        let is_article = |at: usize| {
            let mut classes = ["a", "the"].iter();
            classes.any(|class| lexicon.begins(class, tokens, at)) && named(at + 1)
        };
        let named = (0..tokens.len()).map(|at| named(at) && !is_article(at));
        Self {
            lexicon,
            tokens,
            named: named.collect(),
            known: HashMap::new(),
            followed: HashMap::new(),
            made: HashMap::new(),
            work: 0,
            max_work: MAX_WORK,
            is_cut: false,
            furthest: 0,
        }
    }

    /// Returns the readings of the whole text as a rule.
    pub(crate) fn whole(&mut self, rule: &str) -> Vec<Rc<Tree>> {
        let readings = self.at(rule, 0).into_iter();
        // A text that was not read in every way may have another meaning, so it counts as unread.
        let is_whole = |to: usize| to == self.tokens.len() && !self.is_over_limit();
        let whole = readings.filter(|(_, to)| is_whole(*to));
        whole.map(|(tree, _)| tree).collect()
    }

    /// Returns the readings of a clause at a position, with their end positions.
    pub(crate) fn clause(&mut self, rule: &str, at: usize) -> Vec<(Rc<Tree>, usize)> {
        self.max_work = MAX_WORK + at * WORK_PER_TOKEN;
        self.at(rule, at)
    }

    /// Returns the readings of a rule at a position.
    fn at(&mut self, rule: &str, at: usize) -> Vec<(Rc<Tree>, usize)> {
        let idx = self.lexicon.rules.names.get(rule).copied();
        idx.map_or_else(Vec::new, |idx| self.rule(idx, at).to_vec())
    }

    fn rule(&mut self, idx: usize, at: usize) -> Readings {
        if let Some(readings) = self.known.get(&(idx, at)) {
            return readings.clone();
        }
        // A left-recursive rule finds nothing at this position.
        self.known.insert((idx, at), Rc::default());
        let mut readings: Vec<(Rc<Tree>, usize)> = vec![];
        for alternative in &self.lexicon.rules.alternatives[idx] {
            for (parts, to) in self.sequence(&alternative.items, at).iter() {
                if readings.len() == MAX_READINGS {
                    self.is_cut = true;
                    break;
                }
                let tree = self.make(&alternative.make, parts, at, *to);
                let is_it = |(known, end): &(_, usize)| Rc::ptr_eq(known, &tree) && end == to;
                if !readings.iter().any(is_it) {
                    readings.push((tree, *to));
                }
            }
        }
        let readings = Rc::new(readings);
        self.known.insert((idx, at), readings.clone());
        readings
    }

    fn make(&mut self, make: &Make, parts: &[Rc<Tree>], from: usize, to: usize) -> Rc<Tree> {
        match make {
            Make::Nothing => self.tree(Label::Nothing, vec![], from, to),
            Make::Item(i) => parts[*i].clone(),
            Make::Word(word) => self.tree(Label::Word(word.clone()), vec![], from, to),
            Make::All(of) => {
                let made = of.iter().map(|of| self.make(of, parts, from, to));
                let made: Vec<_> = made.collect();
                let flat = made.into_iter().flat_map(|tree| match tree.label {
                    Label::List => tree.parts.clone(),
                    Label::Nothing => vec![],
                    _ => vec![tree],
                });
                self.tree(Label::List, flat.collect(), from, to)
            }
            Make::Node(signature, of) => {
                let made = of.iter().map(|of| self.make(of, parts, from, to));
                let made = made.collect();
                self.tree(Label::Node(signature), made, from, to)
            }
        }
    }

    fn tree(&mut self, label: Label, parts: Vec<Rc<Tree>>, from: usize, to: usize) -> Rc<Tree> {
        let addresses = parts.iter().map(Rc::as_ptr).collect();
        let made = self.made.entry((label.clone(), addresses, from, to));
        let tree = made.or_insert_with(|| {
            Rc::new(Tree {
                label,
                parts,
                from,
                to,
            })
        });
        tree.clone()
    }

    /// Returns every match of a sequence of items. The rest after an item is matched once per
    /// position, however many readings end there.
    fn sequence(&mut self, items: &'a [Item], at: usize) -> Rc<Vec<Sequence>> {
        let Some((item, rest)) = items.split_first() else {
            return Rc::new(vec![(vec![], at)]);
        };
        let key = (std::ptr::from_ref(item), at);
        if let Some(found) = self.followed.get(&key) {
            return found.clone();
        }
        let mut found: Vec<Sequence> = vec![];
        for (tree, to) in self.item(item, at) {
            for (parts, end) in self.sequence(rest, to).iter() {
                if found.len() == MAX_READINGS * 4 {
                    self.is_cut = true;
                    break;
                }
                let parts = std::iter::once(&tree).chain(parts).cloned().collect();
                found.push((parts, *end));
                self.work += 1;
            }
        }
        let found = Rc::new(found);
        self.followed.insert(key, found.clone());
        found
    }

    /// Returns true if a text is too complex to be read in every way.
    pub(crate) fn is_over_limit(&self) -> bool {
        self.is_cut || self.work > self.max_work
    }

    /// Returns the matches of an item at a position, with their end positions.
    fn item(&mut self, item: &Item, at: usize) -> Vec<(Rc<Tree>, usize)> {
        self.work += 1;
        if self.work > self.max_work {
            return vec![];
        }
        match item {
            Item::Words(sequences) => {
                let fits = |words: &&Vec<String>| begins_with(self.tokens, at, words);
                let ends = sequences.iter().filter(fits).map(|words| at + words.len());
                let ends = ends.collect();
                self.ending(Label::Nothing, at, ends)
            }
            Item::Class(class) => {
                let ends = self.class(class, at);
                self.ending(Label::Class(class.clone()), at, ends)
            }
            Item::Rule(idx) => self.rule(*idx, at).to_vec(),
            Item::Optional(item) => {
                let mut found = self.item(item, at);
                found.push((self.tree(Label::Nothing, vec![], at, at), at));
                found
            }
            Item::Many(item) => self.many(item, at),
        }
    }

    /// Makes leaves from a position to each end.
    fn ending(&mut self, label: Label, at: usize, mut ends: Vec<usize>) -> Vec<(Rc<Tree>, usize)> {
        ends.sort_unstable();
        ends.dedup();
        self.furthest = ends.iter().copied().fold(self.furthest, usize::max);
        let leaf = |to| (self.tree(label.clone(), vec![], at, to), to);
        ends.into_iter().map(leaf).collect()
    }

    fn many(&mut self, item: &Item, at: usize) -> Vec<(Rc<Tree>, usize)> {
        let mut lists: Vec<(Vec<Rc<Tree>>, usize)> = vec![(vec![], at)];
        let mut idx = 0;
        while idx < lists.len() {
            if lists.len() >= MAX_READINGS * 4 {
                self.is_cut = true;
                break;
            }
            let (parts, end) = lists[idx].clone();
            for (tree, to) in self.item(item, end) {
                self.is_cut |= parts.len() == MAX_IN_A_ROW;
                if to > end && parts.len() < MAX_IN_A_ROW {
                    let mut parts = parts.clone();
                    parts.push(tree);
                    lists.push((parts, to));
                }
            }
            idx += 1;
        }
        let list = |(parts, to)| (self.tree(Label::List, parts, at, to), to);
        lists.into_iter().map(list).collect()
    }

    /// Returns the end positions of words of a class at a position.
    fn class(&self, class: &str, at: usize) -> Vec<usize> {
        let is_of_class = match (class, self.tokens.get(at)) {
            ("point", token) => matches!(token, Some(Token::Point(_))),
            ("number", Some(Token::Word(word))) => word.parse::<f64>().is_ok(),
            ("name", Some(_)) => self.named[at],
            _ => return self.lexicon.ends(class, self.tokens, at),
        };
        is_of_class.then_some(at + 1).into_iter().collect()
    }
}
