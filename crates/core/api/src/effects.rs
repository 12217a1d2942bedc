//! What skills need and bring about, as facts that a planner can search over.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{Fact, JointKind, Relation};

/// What can stand for a parameter of an [`Operator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something that can be moved.
    Movable,
    /// Anything that is seen.
    Thing,
    /// Something that opens on a joint: a drawer, a door, a lid.
    Opening,
    /// The same, on such a joint.
    OpensOn(JointKind),
    /// A number.
    Number,
    /// Something that is set by turning it: a knob, a lever.
    Setting,
    /// Something that registers presses.
    Button,
    /// A point: the arguments `x` and `y`, and `z` if it is given.
    Point,
    /// A point on whatever is there: the arguments `x` and `y`.
    LevelPoint,
    /// A side: `left`, `right`, `in_front` or `behind`.
    Side,
    /// A place of what `target` stands for.
    Zone,
    /// This, always.
    Flag(bool),
    /// This, always, by its name.
    Relation(Relation),
    /// Goals that hold or are still to be brought about, in their notation; none if it is left out.
    Goals,
}

impl Kind {
    /// The arguments that give the numbers of a point, in their order.
    pub fn coordinates(self) -> &'static [&'static str] {
        match self {
            Self::Point => &["x", "y", "z"],
            Self::LevelPoint => &["x", "y"],
            _ => &[],
        }
    }
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
/// has never heard of. It is the one declaration of which call brings a fact about, and of which facts
/// a call leaves behind.
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
    /// Facts that have to hold before, besides what [`HandUse`](crate::HandUse) says about the hand: it is
    /// empty, or holds `object`.
    pub needs: &'static [Literal],
    /// What is so afterwards.
    pub brings: &'static [Literal],
}

/// Values of the parameters of an [`Operator`], by their names: one, or the numbers of a point.
pub type Bound = BTreeMap<String, Vec<String>>;

impl Literal {
    /// The fact that it is with these for the parameters; `None` if one of them is missing.
    pub fn fact(&self, bound: &Bound) -> Option<Fact> {
        let of = self.of.iter().map(|name| bound.get(*name).cloned());
        Some(Fact {
            predicate: self.predicate.to_owned(),
            of: of.collect::<Option<Vec<_>>>()?.concat(),
        })
    }
}

impl Operator {
    /// A parameter that stands for what is moved.
    pub const OBJECT: (&'static str, Kind) = ("object", Kind::Movable);
    /// A parameter that stands for something else.
    pub const TARGET: (&'static str, Kind) = ("target", Kind::Thing);
    /// A parameter that stands for a point.
    pub const POINT: (&'static str, Kind) = ("point", Kind::Point);

    /// A parameter that stands for one thing more.
    pub const ALSO: (&'static str, Kind) = ("also", Kind::Thing);
    /// A parameter that stands for what a call is not to spoil.
    pub const KEEPING: (&'static str, Kind) = ("keeping", Kind::Goals);
    /// A parameter that stands for a place of the target.
    pub const ZONE: (&'static str, Kind) = ("zone", Kind::Zone);

    /// Calls with these parameters bring this about, and need no more of the world than that the hand
    /// is as the skill uses it.
    pub const fn new(
        parameters: &'static [(&'static str, Kind)],
        brings: &'static [Literal],
    ) -> Self {
        Self {
            parameters,
            needs: &[],
            brings,
        }
    }

    /// The same with needs.
    pub const fn needing(mut self, needs: &'static [Literal]) -> Self {
        self.needs = needs;
        self
    }

    /// Whether a call has no arguments but those that its parameters stand for.
    pub fn is_all_of(&self, args: &Value) -> bool {
        let is_for = |(own, kind): &(&str, Kind), name: &str| {
            *own == name || kind.coordinates().contains(&name)
        };
        let is_own = |name: &str| self.parameters.iter().any(|own| is_for(own, name));
        let mut given = args.as_object().into_iter().flatten();
        given.all(|(name, value)| value.is_null() || is_own(name))
    }

    /// Values of its parameters in a call: the arguments, and what is in the hand for `object`.
    /// `None` if the call lacks one: it is of another kind.
    pub fn bound(&self, args: &Value, held: Option<&str>) -> Option<Bound> {
        let number = |key: &str| Some(args.get(key)?.as_f64()?.to_string());
        let of = self.parameters.iter().map(|(name, kind)| {
            let arg = args.get(*name);
            let values = match kind {
                Kind::Point | Kind::LevelPoint => {
                    let [x, y] = [number("x")?, number("y")?];
                    let z = number("z").filter(|_| *kind == Kind::Point);
                    [x, y].into_iter().chain(z).collect()
                }
                Kind::Number => vec![number(name)?],
                Kind::Goals => {
                    let stated = arg.and_then(Value::as_array).into_iter().flatten();
                    stated
                        .filter_map(Value::as_str)
                        .map(str::to_owned)
                        .collect()
                }
                Kind::Flag(flag) if arg?.as_bool()? == *flag => vec![],
                Kind::Relation(relation) if arg?.as_str()? == relation.name() => vec![],
                Kind::Flag(_) | Kind::Relation(_) => return None,
                _ => {
                    let text = arg.and_then(Value::as_str);
                    vec![text.or(held.filter(|_| *name == "object"))?.to_owned()]
                }
            };
            Some(((*name).to_owned(), values))
        });
        of.collect()
    }

    /// The values of its parameters with which it brings a fact about, or ends it.
    pub fn unified(&self, fact: &Fact, holds: bool) -> Option<Bound> {
        let literals = self.brings.iter().filter(|l| l.holds == holds);
        let mut alike = literals.filter(|literal| literal.predicate == fact.predicate);
        alike.find_map(|literal| {
            let mut values = fact.of.as_slice();
            let mut bound = Bound::new();
            for name in literal.of {
                let (_, kind) = self.parameters.iter().find(|(own, _)| own == name)?;
                let n = match kind {
                    Kind::Point => values.len().clamp(2, 3),
                    Kind::LevelPoint => 2,
                    _ => 1,
                };
                let (own, rest) = values.split_at_checked(n)?;
                bound.insert((*name).to_owned(), own.to_vec());
                values = rest;
            }
            values.is_empty().then_some(bound)
        })
    }
}
