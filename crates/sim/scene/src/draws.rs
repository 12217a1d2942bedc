//! Random values of a task. A text that begins with `=` is arithmetic over drawn numbers or the
//! name of a drawn word; `{by: name, word: …, word: …}` selects the value at the drawn word.

use exmex::Express;

use crate::fields::{Field, Sign};
use crate::placement::lerp;
use crate::yaml::{Entry, Node, Value};
use crate::{Problem, Result};

/// The key of a mapping that selects a value by a drawn word.
const BY: &str = "by";

#[derive(Clone, Debug)]
pub(crate) struct Draw {
    name: String,
    from: From,
}

#[derive(Clone, Debug)]
enum From {
    Range([f64; 2]),
    /// Words with equal probability.
    Words(Vec<String>),
}

pub(crate) type Drawn = (String, Drew);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Drew {
    Number(f64),
    Word(String),
}

impl Draw {
    pub(crate) fn at(&self, u: f64) -> Drawn {
        let value = match &self.from {
            From::Range(range) => Drew::Number(lerp(*range, u)),
            From::Words(words) => {
                let idx = (u * words.len() as f64) as usize;
                Drew::Word(words.get(idx).or(words.last()).cloned().unwrap_or_default())
            }
        };
        (self.name.clone(), value)
    }

    /// Returns the value for seed 0: the middle of a range, or the first word.
    pub(crate) fn baseline(&self) -> Drawn {
        self.at(match self.from {
            From::Range(_) => 0.5,
            From::Words(_) => 0.0,
        })
    }

    pub(crate) fn is_random(&self) -> bool {
        match &self.from {
            From::Range([low, high]) => low < high,
            From::Words(words) => words.len() > 1,
        }
    }
}

/// Returns baselines in which every word of every draw occurs at least once.
pub(crate) fn baselines(draws: &[Draw]) -> Vec<Vec<Drawn>> {
    let first: Vec<Drawn> = draws.iter().map(Draw::baseline).collect();
    let mut all = vec![first.clone()];
    for (draw, idx) in draws.iter().zip(0..) {
        let From::Words(words) = &draw.from else {
            continue;
        };
        for word in words.iter().skip(1) {
            let mut other: Vec<Drawn> = first.clone();
            if let Some(drawn) = other.get_mut::<usize>(idx) {
                drawn.1 = Drew::Word(word.clone());
            }
            all.push(other);
        }
    }
    all
}

/// Length above which a formula is probably a mistake, characters.
const MAX_CHARS: usize = 200;

/// Reads `draw: {name: [lowest, highest], name: [word, word]}`.
pub(crate) fn parse(field: &Field<'_>) -> Result<Vec<Draw>> {
    let range = |entry: Field<'_>| {
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_word = |c: char| is_letter(c) || c.is_ascii_digit();
        if !(entry.key.starts_with(is_letter) && entry.key.chars().all(is_word)) {
            let allowed = "a name of letters, digits and `_` that does not start with a digit";
            return Err(field.not_allowed(format!("`{}`", entry.key), allowed));
        }
        Ok(Draw {
            name: entry.key.to_owned(),
            from: from(&entry)?,
        })
    };
    field.entries()?.map(range).collect()
}

fn from(entry: &Field<'_>) -> Result<From> {
    let is_text = |item: Field<'_>| matches!(item.node.value, Value::Text(_));
    if !entry.items()?.any(is_text) {
        return Ok(From::Range(entry.range(Sign::Any)?));
    }
    let words: Vec<String> = entry.words()?.into_iter().map(|word| word.value).collect();
    let twice = (1..words.len()).find(|&i| words[..i].contains(&words[i]));
    match twice.map(|i| &words[i]).or(words.iter().find(|w| *w == BY)) {
        Some(word) => {
            let allowed = format!("distinct words other than `{BY}`");
            Err(entry.not_allowed(format!("`{word}`"), allowed))
        }
        None => Ok(From::Words(words)),
    }
}

/// Returns the tree with every formula and every choice replaced by its value.
pub(crate) fn put_in(field: Field<'_>, drawn: &[Drawn]) -> Result<Node> {
    let Field { file, key, node } = field;
    let value = match &node.value {
        Value::Text(text) => match text.strip_prefix('=') {
            Some(name) if let Some(word) = word_of(name, drawn) => match word.parse() {
                Ok(number) => Value::Number(number),
                Err(_) => Value::Text(word.to_owned()),
            },
            Some(formula) => Value::Number(value_of(key, formula, drawn).map_err(|p| {
                // `value_of` says what is wrong, but does not know the file and the line.
                p.at(file, node.line)
            })?),
            None => Value::Text(text.clone()),
        },
        Value::List(items) => {
            let item = |node| put_in(Field { node, ..field }, drawn);
            Value::List(items.iter().map(item).collect::<Result<_, _>>()?)
        }
        Value::Map(entries) => {
            if let Some(by) = entries.iter().find(|entry| entry.key == BY) {
                let chosen = chosen(entries, by, drawn).map_err(|p| p.at(file, by.line))?;
                return put_in(Field::new(file, key, chosen), drawn);
            }
            let entry = |entry: &Entry| {
                Ok(Entry {
                    key: entry.key.clone(),
                    line: entry.line,
                    node: put_in(Field::new(file, &entry.key, &entry.node), drawn)?,
                })
            };
            Value::Map(entries.iter().map(entry).collect::<Result<_, _>>()?)
        }
        other => other.clone(),
    };
    Ok(Node {
        line: node.line,
        value,
    })
}

fn word_of<'a>(name: &str, drawn: &'a [Drawn]) -> Option<&'a str> {
    drawn.iter().find_map(|(known, value)| match value {
        Drew::Word(word) if known == name => Some(word.as_str()),
        _ => None,
    })
}

/// Returns the value that a choice has for the drawn word.
fn chosen<'a>(entries: &'a [Entry], by: &Entry, drawn: &[Drawn]) -> Result<&'a Node, Problem> {
    let not_allowed = |got: String, allowed: &str| Problem::not_allowed(BY, got, allowed);
    let Value::Text(name) = &by.node.value else {
        return Err(not_allowed(by.node.value.describe(), "a name from `draw`"));
    };
    let known = || drawn.iter().map(|(name, _)| name.as_str());
    match drawn.iter().find(|(known, _)| known == name) {
        None => Err(Problem::unknown_word("drawn value", name, known())),
        Some((_, Drew::Number(_))) => {
            let allowed = "a name for which `draw` has a list of words";
            Err(not_allowed(format!("`{name}`, a number"), allowed))
        }
        Some((_, Drew::Word(word))) => {
            let entry = entries.iter().find(|entry| &entry.key == word);
            let missing = || Problem::missing_key(word, &format!("a choice by `{name}`"));
            entry.map(|entry| &entry.node).ok_or_else(missing)
        }
    }
}

fn value_of(key: &str, formula: &str, drawn: &[Drawn]) -> Result<f64, Problem> {
    let wrong = |allowed: String| Problem::not_allowed(key, format_args!("`={formula}`"), allowed);
    if formula.chars().count() > MAX_CHARS {
        return Err(wrong(format!("at most {MAX_CHARS} characters long")));
    }
    let parsed = exmex::parse::<f64>(formula)
        .map_err(|error| wrong(format!("arithmetic with names from `draw` ({error})")))?;
    let find = |name: &String| {
        let number = |(known, value): &Drawn| match value {
            Drew::Number(x) if known == name => Some(*x),
            Drew::Word(word) if known == name => word.parse().ok(),
            _ => None,
        };
        drawn.iter().find_map(number).ok_or_else(|| {
            let is_number = |(_, value): &&Drawn| matches!(value, Drew::Number(_));
            let numbers = drawn.iter().filter(is_number);
            let known = numbers.map(|(known, _)| known.as_str());
            Problem::unknown_word("drawn number", name, known)
        })
    };
    let values = parsed.var_names().iter().map(find);
    let values: Vec<f64> = values.collect::<Result<_, _>>()?;
    match parsed.eval(&values) {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) => Err(wrong(format!("a finite number, not {value}"))),
        Err(error) => Err(wrong(format!("computable ({error})"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn() -> Vec<Drawn> {
        let number = |name: &str, x| (name.to_owned(), Drew::Number(x));
        vec![number("half", 0.1), number("u", -0.5)]
    }

    #[test]
    fn formulas_are_arithmetic_over_the_drawn_values() {
        for (formula, value) in [
            ("half", 0.1),
            ("2 * half + 0.003", 0.203),
            ("0.5*(half - 0.02)*u", -0.02),
            ("-half", -0.1),
        ] {
            let found = value_of("key", formula, &drawn()).unwrap();
            assert!((found - value).abs() < 1e-12, "{formula} is {found}");
        }
    }

    #[test]
    fn wrong_formulas_are_reported() {
        for (formula, expected) in [
            ("halv", "did you mean `half`"),
            ("half +", "`key` is `=half +`, but must be arithmetic"),
            ("half / 0", "finite"),
            ("", "arithmetic"),
        ] {
            let problem = value_of("key", formula, &drawn()).unwrap_err().to_string();
            assert!(problem.contains(expected), "{formula}: {problem}");
        }
    }

    fn tree(text: &str) -> Node {
        crate::yaml::parse("f", text).unwrap()
    }

    fn filled(text: &str, drawn: &[Drawn]) -> Result<Node> {
        put_in(Field::new("f", "key", &tree(text)), drawn)
    }

    fn draws(text: &str) -> Result<Vec<Draw>> {
        parse(&Field::new("f", "draw", &tree(text)))
    }

    #[test]
    fn a_word_chooses_what_stands_for_it_and_every_word_is_tried() {
        let draws = draws("{form: [box, ball, rod], half: [0.1, 0.3]}").unwrap();
        let text = "{kind: {by: form, box: a, ball: b, rod: c}, size: =2*half}";
        let found = |drawn: &[Drawn]| match filled(text, drawn).unwrap().value {
            Value::Map(entries) => format!("{:?}", entries[0].node.value),
            _ => unreachable!("it is a mapping"),
        };
        let all: Vec<_> = baselines(&draws).iter().map(|d| found(d)).collect();
        assert_eq!(all, ["Text(\"a\")", "Text(\"b\")", "Text(\"c\")"]);
        assert_eq!(draws[0].at(0.99).1, Drew::Word("rod".to_owned()));
        assert_eq!(draws[0].at(1.0).1, Drew::Word("rod".to_owned()));
        assert_eq!(draws[1].baseline().1, Drew::Number(0.2));
    }

    #[test]
    fn wrong_choices_are_reported() {
        let all = draws("{form: [box, ball], half: [0.1, 0.3]}").unwrap();
        let drawn = &baselines(&all)[1];
        for (text, expected) in [
            ("{by: from, box: 1, ball: 2}", "did you mean `form`"),
            ("{by: half, box: 1}", "list of words"),
            ("{by: form, box: 1, bal: 2}", "ball"),
            ("{by: [form], box: 1}", "a name from `draw`"),
            ("=2*form", "drawn number"),
        ] {
            let error = filled(text, drawn).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        for text in ["{form: [a, a]}", "{form: [by, a]}", "{form: [a, 1]}"] {
            assert!(draws(text).is_err(), "{text}");
        }
    }
}
