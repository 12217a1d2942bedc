//! Description of a skill for planners and people, with the preconditions and effects of its calls.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{Fact, HandUse, JointKind, Reason, Relation, Resource};

/// Schema keyword of a string argument that names an object:
/// `#[schemars(extend("x-names-object" = true))]`. A planner that asks a model checks such names
/// before anything moves.
pub const NAMES_OBJECT: &str = "x-names-object";

/// Schema keyword of an argument that plans rarely need, such as a limit of force:
/// `#[schemars(extend("x-rarely" = true))]`. It is hidden from models.
pub const RARELY: &str = "x-rarely";

/// Name of the argument that tells a skill the plan's next call: the arguments of that call, and
/// its name as `skill`. The engine adds it, so planners can ignore it.
pub const NEXT_CALL: &str = "then";

/// Description of a skill for planners.
#[derive(Clone, Debug, Serialize)]
pub struct SkillSpec {
    /// Name of the skill.
    pub name: String,
    /// Purpose of the skill, and when to use it.
    pub description: String,
    /// JSON schema of the arguments.
    pub args_schema: Value,
    /// Parts of the robot that are reserved while the skill runs.
    pub claims: Vec<Resource>,
    /// Requirement on the hand, and the hand's state after success.
    pub hand: HandUse,
    /// Failure reasons of other steps whose cause the skill can remove.
    #[serde(alias = "mends")]
    pub remedies: Vec<Reason>,
    /// Preconditions and effects of calls of the skill.
    #[serde(skip)]
    pub operators: &'static [Operator],
    /// Returns true if the skill can use this next call (its arguments, and its name as `skill`) as
    /// its [`NEXT_CALL`] argument.
    #[serde(skip)]
    pub looks_ahead: fn(&Value) -> bool,
}

impl SkillSpec {
    /// Returns the arguments of a call for these parameter values of one of its operators.
    pub fn args(&self, operator: &Operator, bound: &Bound) -> Value {
        let mut args = Map::new();
        for (name, kind) in operator.parameters {
            let values = bound.get(*name).map(Vec::as_slice).unwrap_or_default();
            let coordinates = kind.coordinates();
            if !coordinates.is_empty() {
                let numbers = values.iter().map(|text| text.parse::<f64>().ok().into());
                let names = coordinates.iter().map(|name| (*name).to_owned());
                args.extend(names.zip(numbers));
            } else if !self.args_schema["properties"][*name].is_null()
                && (*kind != Kind::Goals || !values.is_empty())
            {
                let value = match kind {
                    Kind::Flag(flag) => (*flag).into(),
                    Kind::Relation(relation) => relation.name().into(),
                    Kind::Goals => values.into(),
                    Kind::Number => values
                        .first()
                        .and_then(|text| text.parse::<f64>().ok())
                        .into(),
                    _ => values.join(", ").into(),
                };
                args.insert((*name).to_owned(), value);
            }
        }
        Value::Object(args)
    }

    /// Returns the facts that hold or no longer hold after a call with this object in the hand. The
    /// last operator that matches applies, which is the most specific.
    pub fn effects(&self, args: &Value, held: Option<&str>) -> Vec<(Fact, bool)> {
        let mut operators = self.operators.iter().rev();
        let fitting = operators.find_map(|o| Some((o, o.bound(args, held)?)));
        let brings = fitting.iter().flat_map(|(operator, bound)| {
            let literals = operator.brings.iter();
            let own = literals.filter_map(|l| Some((l.fact(bound)?, l.holds)));
            let met = bound.get(Operator::MEETING.0).into_iter().flatten();
            own.chain(met.filter_map(|goal| Some((goal.parse().ok()?, true))))
        });
        brings.collect()
    }
}

/// Kind of a parameter of an [`Operator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Movable object.
    Movable,
    /// Any perceived object.
    Thing,
    /// Object that opens on a joint: a drawer, a door, a lid.
    Opening,
    /// Object that opens on a joint of this kind.
    OpensOn(JointKind),
    /// Number.
    Number,
    /// Object that is set by turning it: a knob, a lever.
    Setting,
    /// Object that registers presses.
    Button,
    /// Point: the arguments `x` and `y`, and `z` if it is given.
    Point,
    /// Point on the surface below the object: the arguments `x` and `y`.
    LevelPoint,
    /// Side: `left`, `right`, `in_front` or `behind`.
    Side,
    /// Place of the object that `target` stands for.
    Zone,
    /// Constant boolean.
    Flag(bool),
    /// Constant relation, passed by its name.
    Relation(Relation),
    /// Goals that hold or are still to be achieved, in the notation of facts; empty if left out.
    Goals,
}

impl Kind {
    /// Returns the argument names of a point's coordinates, in order; empty for other kinds.
    pub fn coordinates(self) -> &'static [&'static str] {
        match self {
            Self::Point => &["x", "y", "z"],
            Self::LevelPoint => &["x", "y"],
            _ => &[],
        }
    }
}

/// Precondition or effect in terms of the parameters of an [`Operator`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal {
    /// Predicate.
    pub predicate: &'static str,
    /// Parameters that the predicate is about.
    pub of: &'static [&'static str],
    /// True if the fact holds, false if it does not.
    pub holds: bool,
}

impl Literal {
    /// Creates a literal for a fact that holds.
    pub const fn so(predicate: &'static str, of: &'static [&'static str]) -> Self {
        Self {
            predicate,
            of,
            holds: true,
        }
    }

    /// Creates a literal for a fact that does not hold.
    pub const fn not(predicate: &'static str, of: &'static [&'static str]) -> Self {
        Self {
            predicate,
            of,
            holds: false,
        }
    }
}

/// Preconditions and effects of a skill's calls, so that a planner can use a skill that it does not
/// know. This is the only declaration of which call achieves a fact and which facts hold after a
/// call.
///
/// A parameter with the name of an argument is passed to the skill. Other parameters only name what
/// the action is about, such as the object in the hand. Every planner derives these facts from
/// perception: `hand_empty`, `holding(object)`, `clear(object)` (nothing rests on it, and it is not
/// shut in), `room(target)` (there is space for another object), `open(drawer)`. An object is in
/// one place at a time: the effect of a skill with [`HandUse::Releases`](crate::HandUse::Releases)
/// replaces the object's previous location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    /// Names and kinds of the parameters.
    pub parameters: &'static [(&'static str, Kind)],
    /// Preconditions besides those of [`HandUse`](crate::HandUse): an empty hand, or a held
    /// `object`.
    pub needs: &'static [Literal],
    /// Effects.
    pub brings: &'static [Literal],
}

/// Values of the parameters of an [`Operator`], by name; several for a point or for goals.
pub type Bound = BTreeMap<String, Vec<String>>;

impl Literal {
    /// Returns the fact for these parameter values; `None` if one is missing.
    pub fn fact(&self, bound: &Bound) -> Option<Fact> {
        let of = self.of.iter().map(|name| bound.get(*name).cloned());
        Some(Fact {
            predicate: self.predicate.to_owned(),
            of: of.collect::<Option<Vec<_>>>()?.concat(),
        })
    }
}

impl Operator {
    /// Parameter for the object that is moved.
    pub const OBJECT: (&'static str, Kind) = ("object", Kind::Movable);
    /// Parameter for another object.
    pub const TARGET: (&'static str, Kind) = ("target", Kind::Thing);
    /// Parameter for a point.
    pub const POINT: (&'static str, Kind) = ("point", Kind::Point);

    /// Parameter for a further object.
    pub const ALSO: (&'static str, Kind) = ("also", Kind::Thing);
    /// Parameter for goals that a call must not violate.
    pub const KEEPING: (&'static str, Kind) = ("keeping", Kind::Goals);
    /// Parameter for further goals of the object, which also have to hold at its new place.
    pub const MEETING: (&'static str, Kind) = ("meeting", Kind::Goals);
    /// Parameter for a place of the target.
    pub const ZONE: (&'static str, Kind) = ("zone", Kind::Zone);

    /// Creates an operator with these effects and no preconditions besides those of the skill's
    /// [`HandUse`](crate::HandUse).
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

    /// Adds preconditions.
    pub const fn needing(mut self, needs: &'static [Literal]) -> Self {
        self.needs = needs;
        self
    }

    /// Returns true if each argument of a call belongs to a parameter. Null arguments are ignored.
    pub fn is_all_of(&self, args: &Value) -> bool {
        let is_for = |(own, kind): &(&str, Kind), name: &str| {
            *own == name || kind.coordinates().contains(&name)
        };
        let is_own = |name: &str| self.parameters.iter().any(|own| is_for(own, name));
        let mut given = args.as_object().into_iter().flatten();
        given.all(|(name, value)| value.is_null() || is_own(name))
    }

    /// Returns the parameter values of a call; `object` defaults to the held object. `None` if a
    /// value is missing or a constant differs.
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

    /// Returns parameter values for which a fact becomes true (`holds`) or false; `None` if the
    /// operator has no such effect.
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
