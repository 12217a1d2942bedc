//! Values that a task draws, and the formulas that use them: a text that begins with `=`
//! is arithmetic over their names, and its result stands in its place.

use exmex::Express;

use crate::fields::{Field, Sign};
use crate::yaml::{Entry, Node, Value};
use crate::{Problem, SceneError};

/// A name and the range from which its value is drawn.
pub(crate) type DrawRange = (String, [f64; 2]);
/// A name and its value.
pub(crate) type Drawn = (String, f64);

/// Longer formulas belong elsewhere.
const MAX_CHARS: usize = 200;

/// Reads `draw: {name: [lowest, highest]}`.
pub(crate) fn parse(field: &Field<'_>) -> Result<Vec<DrawRange>, SceneError> {
    let range = |entry: Field<'_>| {
        let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let is_word = |c: char| is_letter(c) || c.is_ascii_digit();
        if !(entry.key.starts_with(is_letter) && entry.key.chars().all(is_word)) {
            let allowed = "named by letters, digits and `_`, a letter first";
            return Err(field.not_allowed(format!("`{}`", entry.key), allowed));
        }
        Ok((entry.key.to_owned(), entry.range(Sign::Any)?))
    };
    field.entries()?.map(range).collect()
}

/// The tree with every formula replaced by its value.
pub(crate) fn put_in(file: &str, node: &Node, drawn: &[Drawn]) -> Result<Node, SceneError> {
    let value = match &node.value {
        Value::Text(text) => match text.strip_prefix('=') {
            Some(formula) => Value::Number(value_of(formula, drawn).map_err(|p| {
                // The line is all that a message needs besides.
                p.at(file, node.line)
            })?),
            None => Value::Text(text.clone()),
        },
        Value::List(items) => {
            let items = items.iter().map(|item| put_in(file, item, drawn));
            Value::List(items.collect::<Result<_, _>>()?)
        }
        Value::Map(entries) => {
            let entry = |entry: &Entry| {
                Ok(Entry {
                    key: entry.key.clone(),
                    line: entry.line,
                    node: put_in(file, &entry.node, drawn)?,
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

fn value_of(formula: &str, drawn: &[Drawn]) -> Result<f64, Problem> {
    let wrong = |allowed: String| Problem::NotAllowed {
        key: "a formula".to_owned(),
        got: format!("`={formula}`"),
        allowed,
    };
    if formula.chars().count() > MAX_CHARS {
        return Err(wrong(format!("at most {MAX_CHARS} characters long")));
    }
    let parsed = exmex::parse::<f64>(formula)
        .map_err(|error| wrong(format!("arithmetic over names that `draw` lists ({error})")))?;
    let find = |name: &String| {
        let found = drawn.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| *value).ok_or_else(|| {
            let known = drawn.iter().map(|(known, _)| known.as_str());
            Problem::unknown_word("drawn value", name, known)
        })
    };
    let values: Vec<f64> = parsed
        .var_names()
        .iter()
        .map(find)
        .collect::<Result<_, _>>()?;
    match parsed.eval(&values) {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) => Err(wrong(format!("a finite number, not {value}"))),
        Err(error) => Err(wrong(format!("something that can be computed ({error})"))),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    fn drawn() -> Vec<Drawn> {
        vec![("half".to_owned(), 0.1), ("u".to_owned(), -0.5)]
    }

    #[test]
    fn formulas_are_arithmetic_over_the_drawn_values() {
        for (formula, value) in [
            ("half", 0.1),
            ("2 * half + 0.003", 0.203),
            ("0.5*(half - 0.02)*u", -0.02),
            ("-half", -0.1),
        ] {
            let found = value_of(formula, &drawn()).unwrap();
            assert!((found - value).abs() < 1e-12, "{formula} is {found}");
        }
    }

    #[test]
    fn wrong_formulas_are_told() {
        for (formula, told) in [
            ("halv", "did you mean `half`"),
            ("half +", "arithmetic"),
            ("half / 0", "finite"),
            ("", "arithmetic"),
        ] {
            let problem = value_of(formula, &drawn()).unwrap_err().to_string();
            assert!(problem.contains(told), "{formula}: {problem}");
        }
    }
}
