//! Facts: a predicate and its arguments.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Relation, Side};

/// Fact such as `on(red_cube, plate)`, with ids for objects. Facts are checked when they are read:
/// the arguments have to fit a built-in predicate, and no object is related to itself.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "Unchecked")]
pub struct Fact {
    /// Predicate, such as `on`.
    pub predicate: String,
    /// Arguments: ids of objects, or numbers.
    pub of: Vec<String>,
}

/// [`Fact`] as it is read, before its check.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Fact")]
struct Unchecked {
    /// Predicate, such as `on`.
    predicate: String,
    /// Arguments: ids of objects, or numbers.
    of: Vec<String>,
}

impl TryFrom<Unchecked> for Fact {
    type Error = String;

    fn try_from(Unchecked { predicate, of }: Unchecked) -> Result<Self, String> {
        let fact = Self { predicate, of };
        fact.check()?;
        Ok(fact)
    }
}

impl Fact {
    /// Creates a fact without checking its arguments.
    pub fn new(predicate: impl Into<String>, of: &[&str]) -> Self {
        Self {
            predicate: predicate.into(),
            of: of.iter().map(|&id| id.to_owned()).collect(),
        }
    }

    /// Parses a fact about the parameters of an [`Operator`](crate::Operator), where one parameter
    /// may stand for a point: `at(object, point)`.
    ///
    /// # Errors
    ///
    /// One sentence about the fault in the notation.
    pub fn of_parameters(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (predicate, of) = match text.split_once('(') {
            None => (text, vec![]),
            Some((predicate, rest)) => {
                let inside = rest.strip_suffix(')').ok_or_else(|| {
                    foreign(text).unwrap_or_else(|| match rest.rsplit_once(')') {
                        None => format!("`{text}`: the parenthesis is not closed"),
                        Some((_, more)) => {
                            format!("`{text}`: unexpected `{}` after the fact", more.trim())
                        }
                    })
                })?;
                let of = inside.split(',').map(|id| id.trim().to_owned());
                (predicate.trim(), of.collect())
            }
        };
        let predicate = predicate.to_ascii_lowercase();
        let is_name = predicate.starts_with(|c: char| c.is_ascii_lowercase())
            && !["and", "or", "not"].contains(&predicate.as_str())
            && predicate
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let has_arguments = !of
            .iter()
            .any(|id: &String| id.is_empty() || id.contains(['(', ')']));
        if is_name && has_arguments {
            return Ok(Self { predicate, of });
        }
        Err(foreign(text).unwrap_or_else(|| match is_name {
            true if text.matches('(').count() > 1 => {
                format!("`{text}`: facts are joined by `and`, `or` and `then`")
            }
            true => format!("`{text}`: expected ids or numbers, separated by commas"),
            false => format!("`{text}` is not a fact; expected for example `on(red_cube, plate)`"),
        }))
    }

    /// Returns the fact with its numbers rounded to three decimals (lengths to the millimetre).
    pub fn rounded(mut self) -> Self {
        for text in &mut self.of {
            if let Ok(number) = text.parse::<f64>() {
                *text = format!("{number:.3}");
            }
        }
        self
    }

    /// Checks number and kind of the arguments of a built-in predicate, and that no object is
    /// related to itself.
    ///
    /// # Errors
    ///
    /// One sentence about the fault.
    pub fn check(&self) -> Result<(), String> {
        let is_number = |text: &String| text.parse::<f64>().is_ok();
        let n = self.of.len();
        let (n_objects, coordinates) = match arguments(&self.predicate) {
            Some(_) if self.predicate == "at" && n == 2 && self.of[1] == "here" => (2, &[0][..]),
            Some(arguments) => arguments,
            None => return self.check_distinct(&self.of),
        };
        let fits = coordinates.iter().any(|more| n == n_objects + more);
        let (objects, numbers) = self.of.split_at(n_objects.min(n));
        if !fits || objects.iter().any(is_number) || !numbers.iter().all(is_number) {
            let numbers = match coordinates {
                [0] => "",
                [0, 1] => ", and optionally an opening in metres or degrees",
                [0, ..] => ", and optionally 3 coordinates in metres",
                _ => ", and 2 or 3 coordinates in metres",
            };
            let object = if n_objects == 1 { "object" } else { "objects" };
            let between = if n_objects > 1 {
                ", separated by commas"
            } else {
                ""
            };
            return Err(format!(
                "`{self}`: `{}` takes {n_objects} {object}{between}{numbers}",
                self.predicate
            ));
        }
        self.check_distinct(objects)
    }

    fn check_distinct(&self, objects: &[String]) -> Result<(), String> {
        let names: Vec<_> = objects.iter().map(String::as_str).collect();
        check_distinct(&names).map_err(|why| format!("`{self}`: {why}"))
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.of.is_empty() {
            true => f.write_str(&self.predicate),
            false => write!(f, "{}({})", self.predicate, self.of.join(", ")),
        }
    }
}

/// Checks that the names are distinct. A place of an object is part of it, so the first object may
/// not be related to its own places either.
pub(crate) fn check_distinct(names: &[&str]) -> Result<(), String> {
    let Some((first, others)) = names.split_first() else {
        return Ok(());
    };
    let whole = |name: &str| match name.parse::<f64>() {
        Ok(_) => None,
        Err(_) => name.split('.').next().map(str::to_owned),
    };
    if whole(first).is_some() && others.iter().any(|name| whole(name) == whole(first)) {
        return Err(format!("{first} cannot be in a relation to itself"));
    }
    let twice = |(i, name): (usize, &&str)| whole(name).is_some() && others[..i].contains(name);
    match others.iter().enumerate().any(twice) {
        true => Err("the objects must be distinct".to_owned()),
        false => Ok(()),
    }
}

fn arguments(predicate: &str) -> Option<(usize, &'static [usize])> {
    Some(match predicate {
        "home" | "hand_empty" => (0, &[0]),
        "open" => (1, &[0, 1]),
        "closed" | "upright" | "pressed" => (1, &[0]),
        "holding" => (1, &[0, 3]),
        "at" => (1, &[2, 3]),
        "on" | "in" | "beside" | "poured" | "inserted" | "swapped" => (2, &[0]),
        "across" | "between" => (3, &[0]),
        name if Relation::named(name).is_some() => (2, &[0]),
        name if Side::ALL.iter().any(|side| side.predicate() == name) => (2, &[0]),
        _ => return None,
    })
}

impl FromStr for Fact {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fact = Self::of_parameters(text)?;
        fact.check()?;
        Ok(fact)
    }
}

/// Error message for logic signs, quantifiers or PDDL, with what to write instead.
fn foreign(text: &str) -> Option<String> {
    if text.contains(['&', '|', '\u{2227}', '\u{2228}', '!', '~', '\u{ac}']) {
        let signs = "logic symbols are not supported: write `and`, `or` and `not`";
        return Some(format!("`{text}`: {signs}"));
    }
    let first = text.split(|c: char| !c.is_alphanumeric()).next()?;
    if text.starts_with(['\u{2200}', '\u{2203}'])
        || matches!(
            first.to_ascii_lowercase().as_str(),
            "forall" | "exists" | "imply" | "when"
        )
    {
        let words = "quantifiers are not supported: write for example `on(all red cubes, plate)`";
        return Some(format!("`{text}`: {words}"));
    }
    // The innermost PDDL list has its name inside the parentheses, and no commas.
    let end = text.find(')').unwrap_or(text.len());
    let (before, inner) = text[..end].rsplit_once('(').unwrap_or(("", &text[..end]));
    let items: Vec<_> = inner.split_whitespace().collect();
    let [name, of @ ..] = items.as_slice() else {
        return None;
    };
    let is_list = before.is_empty() || before.ends_with([' ', '\n', '(']);
    let is_bare = end == text.len() && arguments(name).is_none();
    (is_list && !is_bare && !of.is_empty() && !inner.contains(',')).then(|| {
        let fact = format!("{name}({})", of.join(", "));
        format!("`{text}`: this is PDDL: write for example `{fact}`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(data: &str) -> Vec<[&str; 2]> {
        serde_json::from_str(data).expect("rows of two texts")
    }

    #[test]
    fn a_fact_is_printed_as_it_is_read() {
        for text in ["on(red_cube, plate)", "home", "at(a, 0.1, -0.2)"] {
            assert_eq!(text.parse::<Fact>().map(|f| f.to_string()), Ok(text.into()));
        }
        let fact = "On(red_cube, plate)".parse::<Fact>();
        assert_eq!(fact, Ok(Fact::new("on", &["red_cube", "plate"])));
    }

    #[test]
    fn a_point_may_be_one_parameter_but_not_one_thing() {
        let text = "at(object, point)";
        let fact = Fact::of_parameters(text).map(|f| f.to_string());
        assert_eq!(fact, Ok(text.into()));
        assert!(text.parse::<Fact>().is_err());
    }

    #[test]
    fn what_is_no_fact_says_why() {
        for [text, why] in rows(include_str!("../tests/data/no_facts.json")) {
            let error = text.parse::<Fact>().expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn a_wrong_fact_comes_in_by_no_door() {
        for [text, why] in rows(include_str!("../tests/data/wrong_facts.json")) {
            let error = text.parse::<Fact>().expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
            let (predicate, of) = text.split_once('(').unwrap_or((text, ""));
            let of = of.trim_end_matches(')').split(", ");
            let of: Vec<_> = of.filter(|id| !id.is_empty()).collect();
            let data = serde_json::json!({ "predicate": predicate, "of": of });
            let error = serde_json::from_value::<Fact>(data).expect_err(text);
            assert!(error.to_string().contains(why), "{text}: {error}");
        }
    }
}
