//! Reads grammar rules from text, checks them, and prepares them for the parser.
//!
//! ```text
//! name: Sort                      a nonterminal, at the beginning of a line, and what it makes
//!   "word" CLASS other => Make(other, CLASS)    one way to say it, indented, and what it makes
//! ```
//!
//! An item is a literal in quotes, alternatives as `["a"|"b c"]`, a class of the lexicon in
//! capitals, or a nonterminal. `?` after it makes it optional, `*` repeats it any number of times.
//! An alternative makes a constructor of `ast.rs`. Its arguments are items by name (the second item
//! of a name as `name.2`), lists as `CAT(a, b)`, words in quotes, nothing as `-`, or constructors.
//! An alternative without a constructor makes its only nonterminal or class, or nothing.
//!
//! Unknown constructors and wrong arguments are errors with a line number.

use std::collections::BTreeMap;

use crate::ast::signatures;
use crate::tokens::split;
use crate::tree::{Kind, Many, Signature};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// One of several word sequences.
    Words(Vec<Vec<String>>),
    Class(String),
    Rule(usize),
    Optional(Box<Item>),
    Many(Box<Item>),
}

/// Result of an alternative, made of its items.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Make {
    /// Nothing, for words without a meaning.
    Nothing,
    Item(usize),
    /// A word that does not occur in the text.
    Word(String),
    All(Vec<Make>),
    Node(&'static Signature, Vec<Make>),
}

impl Make {
    fn uses(&self, item: usize) -> bool {
        match self {
            Self::Item(idx) => *idx == item,
            Self::All(of) | Self::Node(_, of) => of.iter().any(|make| make.uses(item)),
            Self::Nothing | Self::Word(_) => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Alternative {
    pub(crate) items: Vec<Item>,
    pub(crate) make: Make,
}

/// All rules, by number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rules {
    pub(crate) names: BTreeMap<String, usize>,
    pub(crate) alternatives: Vec<Vec<Alternative>>,
    /// Sort that each rule makes, if any.
    sorts: Vec<Option<String>>,
}

impl Rules {
    /// Reads and checks rules. An error names the line.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let mut rules = Self::default();
        let plain = |line| str::split(line, '#').next().unwrap_or_default();
        let lines = || (1..).zip(text.lines().map(plain));
        for (_, line) in lines().filter(|(_, line)| is_name(line)) {
            let (name, sort) = named(line);
            rules.names.insert(name.to_owned(), rules.sorts.len());
            rules.sorts.push(sort.map(str::to_owned));
        }
        rules.alternatives = vec![vec![]; rules.names.len()];
        let mut current = None;
        let mut wrong = vec![];
        for (number, line) in lines().filter(|(_, line)| !line.trim().is_empty()) {
            if is_name(line) {
                current = rules.names.get(named(line).0).copied();
                continue;
            }
            let no_rule = || "an alternative stands before the first rule".to_owned();
            let rule = current.ok_or_else(no_rule);
            match rule.and_then(|idx| Ok((idx, rules.alternative(idx, line)?))) {
                Ok((idx, choice)) => rules.alternatives[idx].push(choice),
                Err(what) => wrong.push(format!("line {number}: {what}")),
            }
        }
        match wrong.is_empty() {
            true => Ok(rules),
            false => Err(wrong.join("\n")),
        }
    }

    /// Words that occur in rules.
    pub(crate) fn literals(&self) -> impl Iterator<Item = String> {
        let sequences = self.items().filter_map(|item| match item {
            Item::Words(sequences) => Some(sequences),
            _ => None,
        });
        sequences.flatten().flatten().cloned()
    }

    /// Items of all rules, without `?` and `*`.
    pub(crate) fn items(&self) -> impl Iterator<Item = &Item> {
        let alternatives = self.alternatives.iter().flatten();
        alternatives.flat_map(|choice| &choice.items).map(bare)
    }

    fn alternative(&self, rule: usize, text: &str) -> Result<Alternative, String> {
        let (items, make) = text.split_once("=>").unwrap_or((text, ""));
        let words = words(items);
        let items = words.iter().map(|word| self.item(word));
        let items: Vec<Item> = items.collect::<Result<_, _>>()?;
        let names = words.iter().map(|word| word.trim_end_matches(['?', '*']));
        let names: Vec<&str> = names.collect();
        let make = match make.trim() {
            "" => only(&items)?,
            make => made(make, &names)?,
        };
        let own = self.kind(&items, &make).map(|kind| kind.sort);
        let sort = self.sorts[rule].as_deref();
        if own != sort {
            let (own, sort) = (quoted(own), quoted(sort));
            return Err(format!("makes {own} in a rule for {sort}"));
        }
        self.check_make(&items, &make)?;
        // A restriction of a noun is never dropped.
        let is_dropped = |i: &usize| {
            let kind = self.kind(&items, &Make::Item(*i));
            kind.is_some_and(|kind| kind.sort == "Modifier") && !make.uses(*i)
        };
        match (0..items.len()).find(is_dropped) {
            Some(i) => Err(format!("`{}` is not used", names[i])),
            None => Ok(Alternative { items, make }),
        }
    }

    fn item(&self, word: &str) -> Result<Item, String> {
        let sequence = |words: &str| {
            let words = words.replace('"', "");
            words.split_whitespace().map(str::to_owned).collect()
        };
        Ok(if let Some(rest) = word.strip_suffix('?') {
            Item::Optional(Box::new(self.item(rest)?))
        } else if let Some(rest) = word.strip_suffix('*') {
            Item::Many(Box::new(self.item(rest)?))
        } else if let Some(literal) = inside(word, '"', '"') {
            Item::Words(vec![sequence(literal)])
        } else if let Some(list) = inside(word, '[', ']') {
            Item::Words(list.split('|').map(sequence).collect())
        } else if word.chars().all(|c| c.is_uppercase() || c == '_') {
            Item::Class(word.to_lowercase())
        } else {
            let found = self.names.get(word).copied().map(Item::Rule);
            found.ok_or_else(|| format!("`{word}` is not a rule, class or \"literal\""))?
        })
    }

    /// Sort and multiplicity of a result.
    fn kind<'k>(&'k self, items: &[Item], make: &Make) -> Option<Kind<'k>> {
        let (sort, many) = match make {
            Make::Nothing => (None, Many::One),
            Make::Word(_) => (Some("Word"), Many::One),
            Make::Node(signature, _) => (Some(signature.sort), Many::One),
            Make::All(of) => {
                let kinds = of.iter().map(|of| self.kind(items, of));
                let mut sorts = kinds.map(|kind| kind.map(|kind| kind.sort));
                let first = sorts.next().flatten();
                (first.filter(|_| sorts.all(|sort| sort == first)), Many::Any)
            }
            Make::Item(i) => {
                let item = &items[*i];
                let sort = match bare(item) {
                    Item::Rule(idx) => self.sorts[*idx].as_deref(),
                    Item::Class(_) => Some("Word"),
                    _ => None,
                };
                let many = match item {
                    Item::Optional(_) => Many::Optional,
                    Item::Many(_) => Many::Any,
                    _ => Many::One,
                };
                (sort, many)
            }
        };
        sort.map(|sort| Kind { sort, many })
    }

    fn check_make(&self, items: &[Item], make: &Make) -> Result<(), String> {
        let Make::Node(Signature { name, fields, .. }, made) = make else {
            return Ok(());
        };
        if made.len() != fields.len() {
            let (n, own) = (fields.len(), made.len());
            return Err(format!("`{name}` takes {n} argument(s), but gets {own}"));
        }
        let mut given = (1..).zip(fields.iter().zip(made));
        given.try_for_each(|(i, (field, own))| {
            let fits = match (own, self.kind(items, own)) {
                (Make::Nothing, _) => field.many != Many::One,
                // A single item is valid where it is optional or repeated.
                (_, Some(Kind { sort, many })) => {
                    sort == field.sort && (many == field.many || many == Many::One)
                }
                (_, None) => false,
            };
            match fits {
                true => self.check_make(items, own),
                false => {
                    let count = match field.many {
                        Many::One => "one",
                        Many::Optional => "at most one",
                        Many::Any => "any number of",
                    };
                    let sort = field.sort;
                    Err(format!("argument {i} of `{name}` must be {count} `{sort}`"))
                }
            }
        })
    }
}

fn inside(text: &str, open: char, close: char) -> Option<&str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

fn quoted(sort: Option<&str>) -> String {
    sort.map_or_else(|| "nothing".into(), |sort| format!("`{sort}`"))
}

/// Returns an item without `?` and `*`.
fn bare(item: &Item) -> &Item {
    match item {
        Item::Optional(item) | Item::Many(item) => bare(item),
        item => item,
    }
}

/// Returns the only item with a meaning.
fn only(items: &[Item]) -> Result<Make, String> {
    let words = items.iter().enumerate();
    let mut parts = words.filter(|(_, item)| matches!(item, Item::Rule(_) | Item::Class(_)));
    match (parts.next(), parts.next()) {
        (None, _) => Ok(Make::Nothing),
        (Some((i, _)), None) => Ok(Make::Item(i)),
        _ => Err("several items have a meaning; append `=>` and the result".into()),
    }
}

/// Parses a result such as `Put(np, On(np.2))`.
fn made(text: &str, names: &[&str]) -> Result<Make, String> {
    let text = text.trim();
    if text == "-" {
        return Ok(Make::Nothing);
    }
    if let Some(word) = inside(text, '"', '"') {
        return Ok(Make::Word(word.to_owned()));
    }
    let (name, inside) = match text.split_once('(') {
        Some((name, inside)) => (name, inside.strip_suffix(')').ok_or("`(` is not closed")?),
        None => (text, ""),
    };
    let parts = || -> Result<Vec<Make>, String> {
        let parts = split(inside, ",").into_iter();
        let parts = parts.filter(|part| !part.trim().is_empty());
        parts.map(|part| made(part, names)).collect()
    };
    if name == "CAT" {
        return Ok(Make::All(parts()?));
    }
    if let Some(signature) = signatures().iter().find(|s| s.name == name) {
        return Ok(Make::Node(signature, parts()?));
    }
    let (name, nth) = text.split_once('.').unwrap_or((text, "1"));
    let nth: usize = nth.parse().map_err(|_| format!("`{text}` has no number"))?;
    let own = names.iter().enumerate().filter(|(_, own)| **own == name);
    let found = own.map(|(i, _)| Make::Item(i)).nth(nth.saturating_sub(1));
    found.ok_or_else(|| format!("`{text}` is neither a constructor nor a word of the rule"))
}

/// Returns the name of a rule and its sort.
fn named(line: &str) -> (&str, Option<&str>) {
    let (name, sort) = line.split_once(':').unzip();
    (name.unwrap_or(line.trim()), sort.map(str::trim))
}

fn is_name(line: &str) -> bool {
    line.starts_with(|c: char| c.is_alphabetic())
}

/// Splits at blanks outside of quotes and brackets.
fn words(text: &str) -> Vec<&str> {
    let (mut quoted, mut listed) = (false, false);
    let words = text.split(|c: char| {
        quoted ^= c == '"';
        listed = (listed || c == '[') && c != ']';
        c.is_whitespace() && !quoted && !listed
    });
    words.filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use regrasp_testkit::rows;

    use super::*;

    #[test]
    fn every_constructor_has_a_name_of_its_own() {
        let names = signatures().iter().map(|own| own.name);
        let n = names.collect::<std::collections::BTreeSet<_>>().len();
        assert_eq!(n, signatures().len());
    }

    #[test]
    fn a_wrong_constructor_is_an_error_where_the_grammar_is_loaded() {
        let np = "np: NounPhrase\n  NAME => Pronoun(NAME)\n";
        assert!(Rules::read(&format!("{np}clause: Clause\n  TAKE np => Pick(np)")).is_ok());
        for [choice, why] in rows::<2>(
            "
            TAKE np => Grab(np)     | `Grab(np)` is neither a constructor
            TAKE np => Pick(np, np) | `Pick` takes 1 argument(s), but gets 2
            TAKE np => Pick(TAKE)   | argument 1 of `Pick` must be one
            TAKE np? => Pick(np)    | argument 1 of `Pick` must be one
            TAKE np => Pick(np.2)   | nor a word of the rule
            TAKE np                 | append `=>` and the result
            TAKE np => Color(TAKE)  | makes `Modifier` in a rule for `Clause`
            take np => Pick(np)     | `take` is not a rule",
        ) {
            let rules = format!("{np}clause: Clause\n  {choice}");
            let error = Rules::read(&rules).expect_err(&rules);
            assert!(error.contains(&why), "{error}");
        }
    }
}
