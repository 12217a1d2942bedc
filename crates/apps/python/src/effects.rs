//! Operators that a Python skill declares: preconditions and effects.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use regrasp::api::{Fact, Kind, Literal, Operator};
use serde::Deserialize;

/// Operator as `regrasp.bridge` passes it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(crate) struct Declared {
    /// Names of the parameters, and the words for their kinds.
    parameters: Vec<(String, String)>,
    needs: Vec<String>,
    brings: Vec<String>,
}

/// Operators by declaration. They are leaked, because a specification holds `'static` operators; a
/// process declares few.
static KNOWN: Mutex<BTreeMap<Vec<Declared>, &'static [Operator]>> = Mutex::new(BTreeMap::new());

/// Operators of a skill.
///
/// # Errors
///
/// The invalid declaration, and how to correct it.
pub(crate) fn operators(declared: &[Declared]) -> Result<&'static [Operator], String> {
    let mut known = KNOWN.lock();
    if let Some(operators) = known.get(declared) {
        return Ok(operators);
    }
    let read: Result<Vec<_>, _> = declared.iter().map(operator).collect();
    let operators: &'static [Operator] = read?.leak();
    known.insert(declared.to_vec(), operators);
    Ok(operators)
}

fn operator(declared: &Declared) -> Result<Operator, String> {
    let mut parameters = vec![];
    for (name, word) in &declared.parameters {
        parameters.push((constant(name), kind(word)?));
    }
    let literals = |texts: &[String]| -> Result<&'static [Literal], String> {
        let read: Result<Vec<_>, _> = texts.iter().map(|t| literal(t, &parameters)).collect();
        Ok(read?.leak())
    };
    Ok(Operator {
        needs: literals(&declared.needs)?,
        brings: literals(&declared.brings)?,
        parameters: parameters.leak(),
    })
}

fn constant(text: &str) -> &'static str {
    String::leak(text.to_owned())
}

fn kind(word: &str) -> Result<Kind, String> {
    Ok(match word {
        "movable" => Kind::Movable,
        "thing" => Kind::Thing,
        "opening" => Kind::Opening,
        "setting" => Kind::Setting,
        "button" => Kind::Button,
        "point" => Kind::Point,
        other => {
            return Err(format!(
                "`{other}` is not a kind of parameter (expected movable, thing, opening, setting, \
                 button or point)"
            ));
        }
    })
}

/// Parses a literal such as `on(object, target)` or `not clear(object)`.
fn literal(text: &str, parameters: &[(&'static str, Kind)]) -> Result<Literal, String> {
    let (holds, fact) = match text.trim().strip_prefix("not ") {
        Some(rest) => (false, rest),
        None => (true, text),
    };
    let fact = Fact::of_parameters(fact)?;
    let parameter = |name: &String| {
        let found = parameters.iter().find(|(known, _)| known == name);
        found.map(|(known, _)| *known).ok_or_else(|| {
            let known: Vec<_> = parameters.iter().map(|(known, _)| *known).collect();
            let known = known.join(", ");
            format!("`{text}` names `{name}`, which is not a parameter (parameters: {known})")
        })
    };
    let of: Result<Vec<_>, _> = fact.of.iter().map(parameter).collect();
    Ok(Literal {
        predicate: constant(&fact.predicate),
        of: of?.leak(),
        holds,
    })
}
