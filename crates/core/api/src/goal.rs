//! Goals: facts that should hold when a task is done.

use std::fmt;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::fact::check_distinct;
use crate::{Fact, ObjectId, Percept, Relation, Side, Zone};

/// Fact that should hold when a task is done, judged by the robot's sensors.
///
/// A goal that is read from data is [checked](Goal::check).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "goal", remote = "Self")]
#[schemars(remote = "Goal")]
pub enum Goal {
    /// The object is in the hand, and nothing else carries it.
    Holding {
        /// Object in the hand.
        object: ObjectId,
    },
    /// The object is in the hand, its origin at a point in World.
    HeldAt {
        /// Object in the hand.
        object: ObjectId,
        /// Position of its origin in World, m.
        position: [f64; 3],
    },
    /// The object rests on another and the hand has let go of it.
    On {
        /// Object on top.
        object: ObjectId,
        /// Object below it.
        target: ObjectId,
    },
    /// The object stands beside another, on the same support, and the hand has let go of it.
    Beside {
        /// Object that is placed.
        object: ObjectId,
        /// Object next to it.
        target: ObjectId,
        /// Side of the target; any if `None`.
        side: Option<Side>,
    },
    /// The object's origin is at a point in World.
    At {
        /// Object that is placed.
        object: ObjectId,
        /// Position of its origin in World, m.
        position: Point,
        /// Largest distance from the position, m.
        tolerance_m: f64,
        /// True if the hand must have let go of the object.
        released: bool,
    },
    /// A joint, such as that of a drawer, is open or closed, and the hand has let go of it.
    Slid {
        /// Object that the joint moves.
        object: ObjectId,
        /// True for open, false for closed.
        open: bool,
    },
    /// A drawer or a door is open by an amount, and the hand has let go of it.
    OpenBy {
        /// Object that the joint moves.
        object: ObjectId,
        /// Opening, m, or degrees for a hinge.
        opening: f64,
        /// Tolerance of the opening, m or rad; [that of the joint](crate::ObjectJoint::tolerance) if
        /// `None`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(skip)]
        tolerance: Option<f64>,
    },
    /// The arm is in its home configuration.
    Home,
    /// The object rests across two others and the hand has let go of it.
    Across {
        /// Object on top.
        object: ObjectId,
        /// Objects below it.
        targets: [ObjectId; 2],
    },
    /// The plug of the object is in the hole of another and the hand has let go of it.
    Inserted {
        /// Object with the plug.
        object: ObjectId,
        /// Object with the hole.
        target: ObjectId,
    },
    /// The object stands [upright](crate::Upright) and the hand has let go of it.
    Upright {
        /// Object that stands upright.
        object: ObjectId,
    },
    /// The object is inside a container, below its rim, and the hand has let go of it.
    In {
        /// Object inside.
        object: ObjectId,
        /// Container.
        target: ObjectId,
    },
    /// The object rests at a place of another and the hand has let go of it.
    Within {
        /// Object that is placed.
        object: ObjectId,
        /// Object with the place.
        target: ObjectId,
        /// Place on or in the target.
        zone: Zone,
    },
    /// The object stands between two others and the hand has let go of it: its centre between their
    /// facing ends, with the line of their centres through it or nearly.
    Between {
        /// Object in the middle.
        object: ObjectId,
        /// The two objects on either side.
        targets: [ObjectId; 2],
    },
    /// The object no longer rests on or in another, and the hand has let go of it.
    Off {
        /// Object that was removed.
        object: ObjectId,
        /// Former support or container.
        target: ObjectId,
    },
    /// The contents of one container are in another: nothing is left in the first, and most of the
    /// small objects (or, if there are none, an object) are in the other.
    Poured {
        /// Container that is emptied.
        object: ObjectId,
        /// Container that is filled.
        target: ObjectId,
        /// Least fraction of the small objects that has to arrive.
        at_least: f64,
    },
    /// A button has registered a number of presses.
    Pressed {
        /// Button.
        object: ObjectId,
        /// Least number of presses since the clock started.
        times: u32,
    },
    /// An effect that a skill declares and only that skill can verify.
    Declared {
        /// Fact that should hold.
        fact: Fact,
    },
    /// The object stands in a relation to another, such as under it, and the hand has let go of it.
    #[serde(skip)]
    #[schemars(untagged, !skip)]
    Related {
        /// Relation.
        #[schemars(rename = "goal")]
        relation: Relation,
        /// Object that is placed.
        object: ObjectId,
        /// Object that it relates to.
        target: ObjectId,
    },
}

/// Point in World, m: `[x, y]` on the surface there, or `[x, y, z]`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<f64>", into = "Vec<f64>")]
#[schemars(with = "Vec<f64>", extend("minItems" = 2, "maxItems" = 3))]
pub struct Point {
    /// Coordinates x (forward) and y (left), m.
    pub xy: [f64; 2],
    /// Height of the object's origin, m; `None` if the object rests on the surface there.
    pub z: Option<f64>,
}

impl TryFrom<Vec<f64>> for Point {
    type Error = String;

    fn try_from(numbers: Vec<f64>) -> Result<Self, String> {
        match numbers[..] {
            [x, y] => Ok(Self {
                xy: [x, y],
                z: None,
            }),
            [x, y, z] => Ok([x, y, z].into()),
            _ => Err("a point has 2 or 3 coordinates in metres".to_owned()),
        }
    }
}

impl From<Point> for Vec<f64> {
    fn from(Point { xy, z }: Point) -> Self {
        xy.into_iter().chain(z).collect()
    }
}

impl From<[f64; 3]> for Point {
    fn from([x, y, z]: [f64; 3]) -> Self {
        Self {
            xy: [x, y],
            z: Some(z),
        }
    }
}

/// Status of a [`Goal`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GoalStatus {
    /// The goal holds.
    Met,
    /// The goal does not hold, with one sentence of explanation.
    Unmet(String),
}

impl GoalStatus {
    /// Returns true if the goal holds.
    pub fn is_met(&self) -> bool {
        matches!(self, Self::Met)
    }
}

impl Serialize for Goal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Related {
                relation,
                object,
                target,
            } => {
                let (object, target) = (object.clone(), target.clone());
                let goal = *relation;
                Pair {
                    goal,
                    object,
                    target,
                }
                .serialize(serializer)
            }
            goal => Self::serialize(goal, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Goal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let data = Value::deserialize(deserializer)?;
        let relation = data["goal"].as_str().and_then(Relation::named);
        let goal = match relation {
            Some(relation) => Pair::deserialize(data).map(|pair| Self::Related {
                relation,
                object: pair.object,
                target: pair.target,
            }),
            None => Self::deserialize(data),
        };
        let goal = goal.map_err(D::Error::custom)?;
        goal.check().map_err(D::Error::custom)?;
        Ok(goal)
    }
}

/// Serialised form of [`Goal::Related`].
#[derive(Serialize, Deserialize)]
struct Pair {
    goal: Relation,
    object: ObjectId,
    target: ObjectId,
}

macro_rules! named {
    ($goal:expr) => {
        match $goal {
            Self::Holding { object }
            | Self::HeldAt { object, .. }
            | Self::At { object, .. }
            | Self::Slid { object, .. }
            | Self::OpenBy { object, .. }
            | Self::Pressed { object, .. }
            | Self::Upright { object } => vec![object],
            Self::On { object, target }
            | Self::Beside { object, target, .. }
            | Self::Related { object, target, .. }
            | Self::In { object, target }
            | Self::Within { object, target, .. }
            | Self::Off { object, target }
            | Self::Poured { object, target, .. }
            | Self::Inserted { object, target } => vec![object, target],
            Self::Across {
                object,
                targets: [a, b],
            }
            | Self::Between {
                object,
                targets: [a, b],
            } => vec![object, a, b],
            Self::Home | Self::Declared { .. } => vec![],
        }
    };
}

/// Tolerance of a placement, m: the one with which the skill verifies it.
const PUT_TOLERANCE_M: f64 = 0.015;

impl Goal {
    /// Fraction of the contents that has to arrive unless a task says otherwise.
    pub const ENOUGH_POURED: f64 = 0.8;

    /// Creates the goal that an object is put down at a point.
    pub fn put_at(object: ObjectId, xy: [f64; 2], z: Option<f64>) -> Self {
        Self::At {
            object,
            position: Point { xy, z },
            tolerance_m: PUT_TOLERANCE_M,
            released: true,
        }
    }

    /// Limits the tolerance of the goal's point to half of `length_m`, the length of the move from
    /// which the point was computed, so that a short move does not count as done before it is made.
    #[must_use]
    pub fn computed_from(mut self, length_m: f64) -> Self {
        if let Self::At { tolerance_m, .. } = &mut self {
            *tolerance_m = tolerance_m.min(0.5 * length_m);
        }
        self
    }

    /// Creates the goal that a joint is open by an amount, m or degrees, within the joint's
    /// [tolerance](crate::ObjectJoint::tolerance).
    pub fn open_by(object: ObjectId, opening: f64) -> Self {
        Self::OpenBy {
            object,
            opening,
            tolerance: None,
        }
    }

    /// Creates the goal that an object is put out of the way. Only the skill that does so can
    /// verify it.
    pub fn aside(object: ObjectId) -> Self {
        let fact = Fact::new("aside", &[object.as_str()]);
        Self::Declared { fact }
    }

    /// Creates the goal that enough of one object's content is poured into another.
    pub fn poured(object: ObjectId, target: ObjectId) -> Self {
        Self::Poured {
            object,
            target,
            at_least: Self::ENOUGH_POURED,
        }
    }

    /// Checks that the objects of the goal are distinct.
    ///
    /// # Errors
    ///
    /// One sentence about the fault.
    pub fn check(&self) -> Result<(), String> {
        let names: Vec<_> = self.objects().into_iter().map(ObjectId::as_str).collect();
        check_distinct(&names).map_err(|why| format!("`{self}`: {why}"))
    }

    /// Returns the objects that the goal names, the moved one first; none for [`Goal::Declared`].
    pub fn objects(&self) -> Vec<&ObjectId> {
        named!(self)
    }

    /// Returns mutable references to the objects that the goal names, the moved one first.
    pub fn objects_mut(&mut self) -> Vec<&mut ObjectId> {
        named!(self)
    }

    /// Returns the goal as a fact. The arguments are the objects, then any numbers; a place of the
    /// target is written as `target.place`.
    pub fn fact(&self) -> Fact {
        let mut of: Vec<String> = self
            .objects()
            .into_iter()
            .map(ObjectId::to_string)
            .collect();
        let predicate = match self {
            Self::Holding { .. } => "holding",
            Self::HeldAt { position, .. } => {
                of.extend(position.iter().map(f64::to_string));
                "holding"
            }
            Self::Within { zone, .. } => {
                of[1] = format!("{}.{zone}", of[1]);
                "on"
            }
            Self::On { .. } => "on",
            Self::In { .. } => "in",
            Self::Off { .. } => "not on",
            Self::At { position, .. } => {
                of.extend(Vec::from(*position).iter().map(f64::to_string));
                "at"
            }
            Self::Beside { side: None, .. } => "beside",
            Self::Beside {
                side: Some(side), ..
            } => {
                return Fact {
                    predicate: side.predicate(),
                    of,
                };
            }
            Self::Slid { open: true, .. } => "open",
            Self::OpenBy { opening, .. } => {
                of.push(opening.to_string());
                "open"
            }
            Self::Slid { open: false, .. } => "closed",
            Self::Home => "home",
            Self::Related { relation, .. } => relation.name(),
            Self::Across { .. } => "across",
            Self::Inserted { .. } => "inserted",
            Self::Upright { .. } => "upright",
            Self::Between { .. } => "between",
            Self::Poured { .. } => "poured",
            Self::Pressed { .. } => "pressed",
            Self::Declared { fact } => return fact.clone(),
        };
        Fact {
            predicate: predicate.to_owned(),
            of,
        }
    }

    /// Returns the goal as a fact that holds or does not hold, in the form that skills
    /// [declare](crate::Operator): `in` becomes `on`, `closed` becomes not `open`, and a side or
    /// place becomes a further argument.
    pub fn literal(&self) -> (Fact, bool) {
        let mut fact = self.fact();
        let other = match self {
            Self::Beside {
                side: Some(side), ..
            } => {
                fact.of.push(side.name());
                ("beside", true)
            }
            Self::Within { target, zone, .. } => {
                fact.of[1] = target.to_string();
                fact.of.push(zone.to_string());
                ("on", true)
            }
            Self::In { .. } => ("on", true),
            Self::Off { .. } => ("on", false),
            Self::Slid { open, .. } => ("open", *open),
            _ => return (fact, true),
        };
        fact.predicate = other.0.to_owned();
        (fact, other.1)
    }

    /// Returns the goal with `in` replaced by `on` if the target is not hollow.
    pub fn on_if_flat(self, percept: &Percept) -> Self {
        match self {
            Self::In { object, target } if !is_hollow(percept, &target) => {
                Self::On { object, target }
            }
            goal => goal,
        }
    }

    /// Returns the goal with `on` and `in` exchanged if the shapes require it: an apple goes in a
    /// bowl, but a bowl goes on a plate, whose hollow is too shallow for it.
    pub fn in_or_on_by_shape(self, percept: &Percept) -> Self {
        match self {
            Self::On { object, target } | Self::In { object, target } => {
                match is_taken_in(percept, &object, &target) {
                    true => Self::In { object, target },
                    false => Self::On { object, target },
                }
            }
            goal => goal,
        }
    }

    /// Returns true if the goal constrains the pose of an object.
    pub fn constrains_pose(&self) -> bool {
        !matches!(
            self,
            Self::Poured { .. }
                | Self::Slid { .. }
                | Self::OpenBy { .. }
                | Self::Pressed { .. }
                | Self::Home
                | Self::Declared { .. }
        )
    }

    /// Returns true if the object is in the hand when the goal holds.
    pub fn keeps_hold(&self) -> bool {
        matches!(
            self,
            Self::Holding { .. } | Self::HeldAt { .. } | Self::Poured { .. }
        )
    }
}

fn is_hollow(percept: &Percept, id: &ObjectId) -> bool {
    let object = percept.object(id);
    object.is_some_and(|o| o.shape.cavity().is_some())
}

/// Returns true if the target has a hollow that takes the object in: at least half as deep as the
/// object's smallest dimension. Any hollow will do if the object is not perceived.
fn is_taken_in(percept: &Percept, object: &ObjectId, target: &ObjectId) -> bool {
    const HELD: f64 = 0.5;
    let cavity = percept.object(target).and_then(|o| o.shape.cavity());
    cavity.is_some_and(|cavity| {
        let object = percept.object(object);
        let least_m = object.map_or(0.0, |o| o.shape.aabb(&crate::Pose::identity()).size().min());
        cavity.rim_z - cavity.floor_z >= HELD * least_m
    })
}

impl From<Fact> for Goal {
    fn from(fact: Fact) -> Self {
        let id = |i: usize| fact.of.get(i).map(ObjectId::new);
        let number = |i: usize| fact.of.get(i).and_then(|text| text.parse::<f64>().ok());
        let numbers = [1, 2, 3].map(number);
        let is_side = |side: &Side| match fact.of.get(2) {
            Some(name) => fact.predicate == "beside" && side.name() == *name,
            None => side.predicate() == fact.predicate,
        };
        let side = Side::ALL.into_iter().find(is_side);
        let relation = Relation::named(&fact.predicate);
        let place = fact.of.get(1).and_then(|place| place.split_once('.'));
        let goal = match (fact.predicate.as_str(), id(0), id(1), id(2)) {
            ("home", None, ..) => Some(Self::Home),
            ("holding", Some(object), None, _) => Some(Self::Holding { object }),
            ("open" | "closed", Some(object), None, _) => {
                let open = fact.predicate == "open";
                Some(Self::Slid { object, open })
            }
            ("open", Some(object), ..) => numbers[0].map(|opening| Self::open_by(object, opening)),
            ("upright", Some(object), None, _) => Some(Self::Upright { object }),
            ("pressed", Some(object), None, _) => Some(Self::Pressed { object, times: 1 }),
            ("holding", Some(object), ..) => match numbers {
                [Some(x), Some(y), Some(z)] => Some(Self::HeldAt {
                    object,
                    position: [x, y, z],
                }),
                _ => None,
            },
            ("at", Some(object), ..) => match numbers {
                [Some(x), Some(y), z] => Some(Self::put_at(object, [x, y], z)),
                _ => None,
            },
            ("on" | "in", Some(object), Some(target), None) => Some(match place {
                Some((target, zone)) => Self::Within {
                    object,
                    target: target.into(),
                    zone: Zone::new(zone),
                },
                None if fact.predicate == "on" => Self::On { object, target },
                None => Self::In { object, target },
            }),
            ("on", Some(object), Some(target), Some(zone)) => Some(Self::Within {
                object,
                target,
                zone: Zone::new(zone.as_str()),
            }),
            (_, Some(object), Some(target), None) if relation.is_some() => {
                relation.map(|relation| Self::Related {
                    relation,
                    object,
                    target,
                })
            }
            ("not on", Some(object), Some(target), None) => Some(Self::Off { object, target }),
            ("inserted", Some(object), Some(target), None) => {
                Some(Self::Inserted { object, target })
            }
            ("poured", Some(object), Some(target), None) => Some(Self::poured(object, target)),
            (name, Some(object), Some(target), other)
                if side.is_some() || name == "beside" && other.is_none() =>
            {
                Some(Self::Beside {
                    object,
                    target,
                    side,
                })
            }
            (name @ ("across" | "between"), Some(object), Some(a), Some(b)) => {
                let targets = [a, b];
                Some(match name {
                    "across" => Self::Across { object, targets },
                    _ => Self::Between { object, targets },
                })
            }
            _ => None,
        };
        goal.unwrap_or(Self::Declared { fact })
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declared { fact } => fact.fmt(f),
            goal => goal.fact().rounded().fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_of_an_object_with_itself_is_rejected() {
        for text in include_str!("../tests/data/goals_of_itself.jsonl").lines() {
            let error = serde_json::from_str::<Goal>(text).expect_err(text);
            let why = error.to_string();
            let is_explained = why.contains("itself") || why.contains("distinct");
            assert!(is_explained, "{text}: {why}");
            let other = text.replacen(r#""a""#, r#""d""#, 1);
            let other = other.replacen(r#""b","b""#, r#""b","e""#, 1);
            let goal: Goal = serde_json::from_str(&other).expect(&other);
            let written = serde_json::to_string(&goal).expect("plain data");
            let read: Goal = serde_json::from_str(&written).expect(&written);
            assert_eq!(read, goal);
        }
    }

    #[test]
    fn a_goal_is_the_fact_that_it_is_written_as() {
        for text in include_str!("../tests/data/facts.txt").lines() {
            let fact: Fact = text.parse().expect(text);
            let goal = Goal::from(fact.clone());
            assert_eq!(goal.fact(), fact, "{goal:?}");
            let is_known = !matches!(goal, Goal::Declared { .. });
            assert_eq!(is_known, text != "shiny(a)", "{goal:?}");
            let (literal, holds) = goal.literal();
            let literal = Goal::from(literal);
            assert_eq!(literal.objects(), goal.objects(), "{literal:?}");
            assert_eq!(holds, text != "closed(a)");
        }
    }
}
