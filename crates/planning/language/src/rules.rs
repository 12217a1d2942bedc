//! Rules as text: what a file of a grammar says, ready for the parser.
//!
//! ```text
//! name                       a nonterminal, at the beginning of a line
//!   "word" CLASS other => label    one way to say it, indented, and what it is
//! ```
//!
//! An item is a literal in quotes, several of them as `["a"|"b c"]`, a class of the lexicon in
//! capitals, or a nonterminal; behind it may stand `?` (or nothing) or `*` (any number). What is
//! kept of a match are the nonterminals and the classes, in order; something optional that is
//! not there is kept as nothing. A way without a label is its only part. A name that begins with
//! `@` is short for each of its ways in turn, without a node of its own.

use std::collections::BTreeMap;

/// One thing that has to come next.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// One of some sequences of words.
    Words(Vec<Vec<String>>),
    /// A word of a class.
    Class(String),
    Rule(usize),
    Optional(Box<Item>),
    Many(Box<Item>),
}

/// One way to say something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Way {
    pub(crate) items: Vec<Item>,
    pub(crate) label: Option<String>,
}

/// All rules, by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rules {
    pub(crate) names: BTreeMap<String, usize>,
    pub(crate) ways: Vec<Vec<Way>>,
}

impl Rules {
    /// Reads rules; an error names the line.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let mut rules = Self::default();
        let lines = spelt_out(text);
        let lines = || lines.iter().map(|(number, line)| (*number, line.as_str()));
        for (_, line) in lines().filter(|(_, line)| is_name(line)) {
            let n = rules.names.len();
            rules.names.insert(line.trim().to_owned(), n);
        }
        rules.ways = vec![vec![]; rules.names.len()];
        let mut current = None;
        for (number, line) in lines().filter(|(_, line)| !line.trim().is_empty()) {
            if is_name(line) {
                current = rules.names.get(line.trim()).copied();
                continue;
            }
            let way = rules
                .way(line)
                .map_err(|what| format!("line {number}: {what}"))?;
            let idx = current.ok_or_else(|| format!("line {number}: no rule has a name yet"))?;
            rules.ways[idx].push(way);
        }
        Ok(rules)
    }

    /// Every word that stands in a rule.
    pub(crate) fn literals(&self) -> Vec<String> {
        fn collect(item: &Item, words: &mut Vec<String>) {
            match item {
                Item::Words(sequences) => words.extend(sequences.iter().flatten().cloned()),
                Item::Optional(item) | Item::Many(item) => collect(item, words),
                Item::Class(_) | Item::Rule(_) => {}
            }
        }
        let mut words = vec![];
        let items = self.ways.iter().flatten().flat_map(|way| &way.items);
        items.for_each(|item| collect(item, &mut words));
        words
    }

    /// Every class that stands in a rule.
    #[cfg(test)]
    pub(crate) fn classes(&self) -> Vec<String> {
        fn collect(item: &Item, classes: &mut Vec<String>) {
            match item {
                Item::Class(class) => classes.push(class.clone()),
                Item::Optional(item) | Item::Many(item) => collect(item, classes),
                Item::Words(_) | Item::Rule(_) => {}
            }
        }
        let mut classes = vec![];
        let items = self.ways.iter().flatten().flat_map(|way| &way.items);
        items.for_each(|item| collect(item, &mut classes));
        classes
    }

    fn way(&self, line: &str) -> Result<Way, String> {
        let (items, label) = match line.split_once("=>") {
            Some((items, label)) => (items, Some(label.trim().to_owned())),
            None => (line, None),
        };
        let items = words(items);
        let items = items.iter().map(|word| self.item(word));
        Ok(Way {
            items: items.collect::<Result<_, _>>()?,
            label,
        })
    }

    fn item(&self, word: &str) -> Result<Item, String> {
        if let Some(rest) = word.strip_suffix('?') {
            return Ok(Item::Optional(Box::new(self.item(rest)?)));
        }
        if let Some(rest) = word.strip_suffix('*') {
            return Ok(Item::Many(Box::new(self.item(rest)?)));
        }
        let sequence = |words: &str| {
            let words = words.replace('"', "");
            words.split_whitespace().map(str::to_owned).collect()
        };
        if let Some(literal) = word.strip_prefix('"').and_then(|w| w.strip_suffix('"')) {
            return Ok(Item::Words(vec![sequence(literal)]));
        }
        if let Some(list) = word.strip_prefix('[').and_then(|w| w.strip_suffix(']')) {
            return Ok(Item::Words(list.split('|').map(sequence).collect()));
        }
        if word.chars().all(|c| c.is_uppercase() || c == '_') {
            return Ok(Item::Class(word.to_lowercase()));
        }
        let found = self.names.get(word).copied().map(Item::Rule);
        found.ok_or_else(|| format!("`{word}` is no rule, class or \"literal\""))
    }
}

/// The lines with their numbers; one that uses a `@name` once for each way to say that.
fn spelt_out(text: &str) -> Vec<(usize, String)> {
    let mut macros: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut current = None;
    let mut out = vec![];
    for (i, line) in text.lines().enumerate() {
        let line = without_comment(line);
        if line.starts_with('@') {
            current = Some(line.trim());
            continue;
        }
        if is_name(line) {
            current = None;
        }
        match current {
            Some(name) if !line.trim().is_empty() => {
                macros.entry(name).or_default().push(line.trim());
            }
            _ => out.push((i + 1, line.to_owned())),
        }
    }
    for (name, ways) in &macros {
        let spelt = |(number, line): (usize, String)| match line.contains(name) {
            true => ways
                .iter()
                .map(|way| (number, line.replace(name, way)))
                .collect(),
            false => vec![(number, line)],
        };
        out = out.into_iter().flat_map(spelt).collect();
    }
    out
}

fn without_comment(line: &str) -> &str {
    line.split_once('#').map_or(line, |(before, _)| before)
}

fn is_name(line: &str) -> bool {
    line.starts_with(|c: char| c.is_alphabetic())
}

/// Splits at blanks that are neither in quotes nor in brackets.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut quoted, mut listed) = (false, false);
    for c in text.chars() {
        quoted ^= c == '"';
        listed = (listed || c == '[') && c != ']';
        if c.is_whitespace() && !quoted && !listed {
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
