//! What skills need and bring about, as facts that a planner can search over.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::Fact;

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
