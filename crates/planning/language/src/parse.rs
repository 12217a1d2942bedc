//! All readings of a sequence of words.

use std::collections::HashMap;
use std::rc::Rc;

use crate::lexicon::Lexicon;
use crate::rules::{Item, Rules};
use crate::tokens::Token;
use crate::tree::Tree;

/// Readings of one rule at one place: a text with more is too involved.
const MAX_READINGS: usize = 1_000;

/// Fillers and commas in a row that are skipped.
const MAX_PAUSES: usize = 5;

/// Of what may be said any number of times, so many are read.
const MAX_IN_A_ROW: usize = 40;

/// Steps after which a text is given up: about a tenth of a second, where sentences that people say
/// take a tenth of it at most.
const MAX_WORK: usize = 60_000;
/// Further steps for each token behind the first clause.
const WORK_PER_TOKEN: usize = 2_000;

/// Label of what is only literals: it is not kept.
const WORDS_ONLY: &str = "~";

type Readings = Rc<Vec<Rc<Tree>>>;

/// The trees of some items, and where the last ends.
type Sequence = (Vec<Rc<Tree>>, usize);

/// A label, the parts' addresses, and the words covered.
type Shape = (String, Vec<*const Tree>, usize, usize);

/// How much is forgiven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mode {
    /// Words count as names although nothing is called so, if the lexicon does not know them.
    pub(crate) open: bool,
    /// Pauses and what fills them may stand anywhere, or be left out between sentences.
    pub(crate) loose: bool,
}

impl Mode {
    pub(crate) const STRICT: Self = Self {
        open: false,
        loose: false,
    };
    pub(crate) const LOOSE: Self = Self {
        open: false,
        loose: true,
    };

    /// The same, with words that nothing is called by.
    pub(crate) fn opened(self) -> Self {
        Self { open: true, ..self }
    }
}

/// Reads a text by rules, from left to right, keeping every way that fits.
pub(crate) struct Parser<'a> {
    rules: &'a Rules,
    lexicon: &'a Lexicon,
    tokens: &'a [Token],
    mode: Mode,
    /// Whether each word may name something, where that was asked already.
    names: &'a dyn Fn(&str) -> bool,
    named: HashMap<usize, bool>,
    known: HashMap<(usize, usize), Readings>,
    /// What was found for the items from one on, at a place.
    followed: HashMap<(*const Item, usize), Rc<Vec<Sequence>>>,
    /// Every tree that was made: what is alike is the same, so that comparing takes one step
    /// however deep they are.
    made: HashMap<Shape, Rc<Tree>>,
    /// Steps so far, and how many there may be.
    work: usize,
    max_work: usize,
    /// True if readings were left out because there are too many.
    is_cut: bool,
    /// The furthest place at which something was still looked for.
    furthest: usize,
}

impl<'a> Parser<'a> {
    /// `names` tells whether a word may name something.
    pub(crate) fn new(
        lexicon: &'a Lexicon,
        tokens: &'a [Token],
        names: &'a dyn Fn(&str) -> bool,
        mode: Mode,
    ) -> Self {
        Self {
            rules: &lexicon.rules,
            lexicon,
            tokens,
            mode,
            names,
            named: HashMap::new(),
            known: HashMap::new(),
            followed: HashMap::new(),
            made: HashMap::new(),
            work: 0,
            max_work: MAX_WORK,
            is_cut: false,
            furthest: 0,
        }
    }

    /// The readings of the whole text as a rule, and how far any reading got.
    pub(crate) fn whole(&mut self, rule: &str) -> (Vec<Rc<Tree>>, usize) {
        let Some(&idx) = self.rules.names.get(rule) else {
            return (vec![], 0);
        };
        let readings = self.rule(idx, 0);
        // What was not read in every way may mean something else, too.
        let whole = readings.iter().filter(|_| !self.is_over_limit());
        (
            whole.filter(|tree| self.is_end(tree.to)).cloned().collect(),
            self.furthest,
        )
    }

    /// The readings of a clause that begins at a place.
    pub(crate) fn clause(&mut self, rule: &str, at: usize) -> Vec<Rc<Tree>> {
        self.max_work = MAX_WORK + at * WORK_PER_TOKEN;
        self.at(rule, at)
    }

    /// The readings of a rule that begin at a place.
    pub(crate) fn at(&mut self, rule: &str, at: usize) -> Vec<Rc<Tree>> {
        let idx = self.rules.names.get(rule).copied();
        idx.map_or_else(Vec::new, |idx| self.rule(idx, at).to_vec())
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
            for (parts, to) in self.sequence(&way.items, at).iter() {
                if readings.len() == MAX_READINGS {
                    self.is_cut = true;
                    break;
                }
                let (parts, to) = (parts.clone(), *to);
                let tree = match (&way.label, parts.as_slice()) {
                    (None, [one]) if one.to == to => one.clone(),
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

    /// Every way that items match one behind the other. What follows at a place is looked for
    /// once, however many readings end there.
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
            let tree = tree.filter(|tree| tree.label != WORDS_ONLY);
            for (parts, end) in self.sequence(rest, to).iter() {
                if found.len() == MAX_READINGS * 4 {
                    self.is_cut = true;
                    break;
                }
                let parts = tree.iter().chain(parts).cloned().collect();
                found.push((parts, *end));
                self.work += 1;
            }
        }
        let found = Rc::new(found);
        self.followed.insert(key, found.clone());
        found
    }

    /// A place, and where it goes on behind the pauses there.
    fn starts(&self, at: usize) -> Vec<usize> {
        let mut starts = vec![at];
        let mut behind = at;
        while self.mode.loose && starts.len() <= MAX_PAUSES && self.is_pause(behind) {
            behind += 1;
            starts.push(behind);
        }
        starts
    }

    /// Returns true if a text is too involved to be read in every way.
    pub(crate) fn is_over_limit(&self) -> bool {
        self.is_cut || self.is_tired()
    }

    fn is_tired(&self) -> bool {
        self.work > self.max_work
    }

    /// Returns true if the text may end at a place.
    pub(crate) fn is_end(&self, at: usize) -> bool {
        let n = self.tokens.len();
        at == n || (self.mode.loose && (at..n).all(|at| self.is_pause(at)))
    }

    pub(crate) fn n_tokens(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn furthest(&self) -> usize {
        self.furthest
    }

    pub(crate) fn work(&self) -> usize {
        self.work
    }

    fn is_pause(&self, at: usize) -> bool {
        match self.tokens.get(at) {
            Some(Token::Comma) => true,
            Some(Token::Word(word)) => self.lexicon.is_filler(word),
            _ => false,
        }
    }

    /// What an item matches at a place, and where that ends. Literals leave nothing.
    fn item(&mut self, item: &Item, at: usize) -> Vec<(Option<Rc<Tree>>, usize)> {
        self.work += 1;
        if self.is_tired() {
            return vec![];
        }
        match item {
            Item::Words(sequences) => {
                let mut ends = vec![];
                for start in self.starts(at) {
                    let end = |words: &Vec<String>| match self.mode.loose {
                        true => self.lexicon.loose_end(words, self.tokens, start),
                        false => {
                            let mut said = words.iter().enumerate();
                            let fits = said.all(|(i, word)| self.token_is(start + i, word));
                            fits.then_some(start + words.len())
                        }
                    };
                    ends.extend(sequences.iter().filter_map(end));
                }
                ends.sort_unstable();
                ends.dedup();
                self.furthest = ends.iter().copied().fold(self.furthest, usize::max);
                ends.into_iter().map(|to| (None, to)).collect()
            }
            Item::Class(class) => {
                let mut found = vec![];
                let starts = match class.as_str() {
                    "glue" => vec![at],
                    _ => self.starts(at),
                };
                for start in starts {
                    for to in self.class(class, start) {
                        self.furthest = self.furthest.max(to);
                        found.push((Some(self.tree(class, vec![], start, to)), to));
                    }
                }
                found
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
    fn class(&mut self, class: &str, at: usize) -> Vec<usize> {
        match (class, self.tokens.get(at)) {
            ("point", Some(Token::Point(_))) => vec![at + 1],
            ("number", Some(Token::Word(word))) if word.parse::<f64>().is_ok() => vec![at + 1],
            ("name", Some(Token::Word(word))) => {
                let is_name = self.is_name(at)
                    || (self.mode.open
                        && !self.lexicon.knows(word)
                        && word.parse::<f64>().is_err());
                is_name.then_some(at + 1).into_iter().collect()
            }
            // Two sentences without a pause between them.
            ("glue", token) => (self.mode == Mode::LOOSE && token.is_some())
                .then_some(at)
                .into_iter()
                .collect(),
            _ if self.mode.loose => self.lexicon.loose_ends(class, self.tokens, at),
            _ => self.lexicon.ends(class, self.tokens, at),
        }
    }

    fn is_name(&mut self, at: usize) -> bool {
        let (tokens, names) = (self.tokens, self.names);
        let tell = || tokens.get(at).and_then(Token::word).is_some_and(names);
        *self.named.entry(at).or_insert_with(tell)
    }
}
