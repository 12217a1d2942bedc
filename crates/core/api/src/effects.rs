//! What skills need and bring about, as facts that a planner can search over.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Goal, ObjectId, Percept};

/// Something that is so: `on(red_cube, plate)`. Ids stand for things.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct Fact {
    /// What is so, such as `on`.
    pub predicate: String,
    /// Of what.
    pub of: Vec<String>,
}

impl Fact {
    /// A fact.
    pub fn new(predicate: impl Into<String>, of: &[&str]) -> Self {
        Self {
            predicate: predicate.into(),
            of: of.iter().map(|&id| id.to_owned()).collect(),
        }
    }

    /// The goal by which the senses judge it, with the same definition that skills verify by;
    /// `None` for a fact that only the skill which brings it about can judge.
    pub fn goal(&self, percept: &Percept) -> Option<Goal> {
        let id = |i: usize| self.of.get(i).map(ObjectId::new);
        let number = |i: usize| self.of.get(i).and_then(|s| s.parse::<f64>().ok());
        let object = id(0);
        Some(match (self.predicate.as_str(), object, id(1)) {
            ("holding", Some(object), None) => Goal::Holding { object },
            ("on" | "in", Some(object), Some(target)) => {
                let container = percept.object(&target);
                match container.is_some_and(|o| o.shape.cavity().is_some()) {
                    true => Goal::In { object, target },
                    false => Goal::On { object, target },
                }
            }
            ("at", Some(object), Some(_)) => Goal::At {
                position: [
                    number(1)?,
                    number(2)?,
                    number(3).or_else(|| percept.object(&object).map(|o| o.position().z))?,
                ],
                tolerance_m: AT_M,
                released: true,
                object,
            },
            ("beside", Some(object), Some(target)) => Goal::Beside {
                object,
                target,
                side: None,
            },
            ("open" | "closed", Some(object), None) => Goal::Slid {
                open: self.predicate == "open",
                object,
            },
            ("upright", Some(object), None) => Goal::Upright { object },
            ("inserted", Some(object), Some(target)) => Goal::Inserted { object, target },
            ("pressed", Some(object), None) => Goal::Pressed { object, times: 1 },
            ("home", None, None) => Goal::Home,
            _ => return None,
        })
    }
}

/// How far from its point something is that is `at` it, m: the tolerance of `place_at`, and as
/// much again for settling and noise.
const AT_M: f64 = 0.03;

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.of.is_empty() {
            true => f.write_str(&self.predicate),
            false => write!(f, "{}({})", self.predicate, self.of.join(", ")),
        }
    }
}

impl FromStr for Fact {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_name = |name: &str| {
            let mut chars = name.chars();
            chars.next().is_some_and(|c| c.is_ascii_lowercase())
                && chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        let text = text.trim();
        let (predicate, of) = match text.split_once('(') {
            None => (text, vec![]),
            Some((predicate, rest)) => {
                let Some(inside) = rest.strip_suffix(')') else {
                    return Err(format!("`{text}`: the parenthesis is not closed"));
                };
                let of = inside.split(',').map(|id| id.trim().to_owned());
                (predicate.trim(), of.collect())
            }
        };
        if !is_name(predicate) {
            return Err(format!("`{text}` is no fact such as `on(red_cube, plate)`"));
        }
        if of
            .iter()
            .any(|id: &String| id.is_empty() || id.contains(['(', ')']))
        {
            return Err(format!("`{text}`: between the commas stand ids or numbers"));
        }
        Ok(Self {
            predicate: predicate.to_owned(),
            of,
        })
    }
}

/// What can stand for a parameter of an [`Operator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something that can be moved.
    Movable,
    /// Anything that is seen.
    Thing,
    /// Something that opens on a joint: a drawer, a door, a lid.
    Opening,
    /// Something that is set by turning it: a knob, a lever.
    Setting,
    /// Something that registers presses.
    Button,
    /// A point on a surface: the arguments `x` and `y`.
    Point,
}

/// Something that has to be so, or that becomes so, of the parameters of an [`Operator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal {
    /// What.
    pub predicate: &'static str,
    /// Of which parameters.
    pub of: &'static [&'static str],
    /// Whether it is so, or is not.
    pub holds: bool,
}

impl Literal {
    /// It is so.
    pub const fn so(predicate: &'static str, of: &'static [&'static str]) -> Self {
        Self {
            predicate,
            of,
            holds: true,
        }
    }

    /// It is not so.
    pub const fn not(predicate: &'static str, of: &'static [&'static str]) -> Self {
        Self {
            predicate,
            of,
            holds: false,
        }
    }
}

/// What a call of a skill needs and brings about: enough for a planner to use a skill that it
/// has never heard of. It speaks of calls with no other arguments than its parameters.
///
/// A parameter that the skill has an argument for of the same name is passed to it; the others
/// only tell what the action is about, such as what is in the hand. These facts every planner
/// works out by itself, from what is seen: `hand_empty`, `holding(object)`, `clear(object)`
/// (nothing rests on it, and it is not shut in), `room(target)` (something can be put there),
/// `open(drawer)`. An object is in one place at a time: what a skill with
/// [`HandUse::Releases`](crate::HandUse::Releases) brings about is where the object is then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// Names and kinds of what it is about.
    pub parameters: &'static [(&'static str, Kind)],
    /// What has to be so before.
    pub needs: &'static [Literal],
    /// What is so afterwards.
    pub brings: &'static [Literal],
}

impl Literal {
    /// The fact that it is with these for the parameters; `None` if one of them is missing.
    pub fn fact(&self, bound: &BTreeMap<String, Vec<String>>) -> Option<Fact> {
        let of = self.of.iter().map(|name| bound.get(*name).cloned());
        Some(Fact {
            predicate: self.predicate.to_owned(),
            of: of.collect::<Option<Vec<_>>>()?.concat(),
        })
    }
}

impl Operator {
    /// Whether a call has no arguments but those that its parameters stand for.
    pub fn is_all_of(&self, args: &Value) -> bool {
        let has_point = self.parameters.iter().any(|(_, kind)| *kind == Kind::Point);
        let is_own = |name: &str| {
            let is_coordinate = has_point && matches!(name, "x" | "y");
            is_coordinate || self.parameters.iter().any(|(own, _)| *own == name)
        };
        let mut given = args.as_object().into_iter().flatten();
        given.all(|(name, value)| value.is_null() || is_own(name))
    }

    /// Values of its parameters in a call: the arguments, and what is in the hand for `object`.
    /// Each is one id, but a point, which is two numbers, in metres.
    pub fn bound(&self, args: &Value, held: Option<&str>) -> BTreeMap<String, Vec<String>> {
        let number = |key: &str| Some(format!("{:.3}", args.get(key)?.as_f64()?));
        let of = self.parameters.iter().filter_map(|(name, kind)| {
            let values = match kind {
                Kind::Point => vec![number("x")?, number("y")?],
                _ => {
                    let text = args.get(*name).and_then(Value::as_str);
                    vec![text.or(held.filter(|_| *name == "object"))?.to_owned()]
                }
            };
            Some(((*name).to_owned(), values))
        });
        of.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fact_is_printed_as_it_is_read() {
        for text in ["on(red_cube, plate)", "home", "at(a, 0.1, -0.2)"] {
            assert_eq!(text.parse::<Fact>().map(|f| f.to_string()), Ok(text.into()));
        }
    }

    #[test]
    fn what_is_no_fact_says_why() {
        for (text, why) in [
            ("on(a, b", "not closed"),
            ("on(a,, b)", "between the commas"),
            ("put a on b", "is no fact"),
            ("", "is no fact"),
        ] {
            let error = text.parse::<Fact>().expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
