//! Goals: what should be true when a task is done.

use std::fmt;

use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{ObjectId, Side, Zone};

/// Something that should be true when a task is done, judged by the robot's senses.
///
/// A goal that is read from data is [checked](Goal::check).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "goal", remote = "Self")]
#[schemars(remote = "Goal")]
pub enum Goal {
    /// The object is in the hand, and nothing else carries it.
    Holding {
        /// Which.
        object: ObjectId,
    },
    /// The object rests on another and the hand has let go of it.
    On {
        /// Which.
        object: ObjectId,
        /// What it rests on.
        target: ObjectId,
    },
    /// The object stands beside another, on the same thing, and the hand has let go of it.
    Beside {
        /// Which.
        object: ObjectId,
        /// What it stands beside.
        target: ObjectId,
        /// On which side; any if `None`.
        side: Option<Side>,
    },
    /// The object's origin is at a point in World.
    At {
        /// Which.
        object: ObjectId,
        /// Where, m.
        position: [f64; 3],
        /// How far off it may be, m.
        tolerance_m: f64,
        /// Whether it must have been let go of.
        released: bool,
    },
    /// What hangs on a joint (a drawer) is open, or closed, and let go of.
    Slid {
        /// What the joint moves.
        object: ObjectId,
        /// Whether it should be open.
        open: bool,
    },
    /// The arm is in its home configuration.
    Home,
    /// The object stands right beside another, with hardly any space between, and the hand
    /// has let go of it.
    Against {
        /// Which.
        object: ObjectId,
        /// What it stands beside.
        target: ObjectId,
    },
    /// The object rests across two others and the hand has let go of it.
    Across {
        /// Which.
        object: ObjectId,
        /// What it rests on.
        targets: [ObjectId; 2],
    },
    /// The plug of the object is in the hole of another and the hand has let go of it.
    Inserted {
        /// Which.
        object: ObjectId,
        /// What it is in.
        target: ObjectId,
    },
    /// The object stands [upright](crate::Upright) and the hand has let go of it.
    Upright {
        /// Which.
        object: ObjectId,
    },
    /// The object is inside a container, below its rim, and the hand has let go of it.
    In {
        /// Which.
        object: ObjectId,
        /// What it is in.
        target: ObjectId,
    },
    /// The object rests at a place of another and the hand has let go of it.
    Within {
        /// Which.
        object: ObjectId,
        /// On or in what.
        target: ObjectId,
        /// Where there.
        zone: Zone,
    },
    /// The object stands between two others and the hand has let go of it.
    Between {
        /// Which.
        object: ObjectId,
        /// Between what.
        targets: [ObjectId; 2],
    },
    /// The object does not rest on or in another any more, and the hand has let go of it.
    Off {
        /// Which.
        object: ObjectId,
        /// What it should not rest on or in.
        target: ObjectId,
    },
    /// What was in one container is in another: nothing is left in the one, and most of some
    /// small things (or, if there are none, an object) is in the other.
    Poured {
        /// What it was in.
        object: ObjectId,
        /// What it is in.
        target: ObjectId,
        /// Which part of the small things at least.
        at_least: f64,
    },
    /// A button has registered so many presses.
    Pressed {
        /// Which button.
        object: ObjectId,
        /// At least this many since the clock began.
        times: u32,
    },
}

/// Whether a [`Goal`] holds, and if not, why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GoalStatus {
    /// It holds.
    Met,
    /// It does not; one sentence.
    Unmet(String),
}

impl GoalStatus {
    /// Whether it holds.
    pub fn is_met(&self) -> bool {
        matches!(self, Self::Met)
    }
}

impl Serialize for Goal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Goal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let goal = Self::deserialize(deserializer)?;
        goal.check().map_err(D::Error::custom)?;
        Ok(goal)
    }
}

/// Checks that no two names are the same; a place of a thing is a part of it, so that the first
/// may not be related to its own places either.
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
        true => Err("the things must be distinct".to_owned()),
        false => Ok(()),
    }
}

impl Goal {
    /// Checks that nothing is related to itself.
    ///
    /// # Errors
    ///
    /// One sentence about what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let mut named = self.clone();
        let named = named.objects_mut();
        let names: Vec<_> = named.iter().map(|id| id.as_str()).collect();
        check_distinct(&names).map_err(|why| format!("`{self}`: {why}"))
    }

    /// The objects that the goal names.
    pub fn objects_mut(&mut self) -> Vec<&mut ObjectId> {
        match self {
            Self::Holding { object }
            | Self::At { object, .. }
            | Self::Slid { object, .. }
            | Self::Pressed { object, .. }
            | Self::Upright { object } => {
                vec![object]
            }
            Self::On { object, target }
            | Self::Beside { object, target, .. }
            | Self::Against { object, target }
            | Self::In { object, target }
            | Self::Within { object, target, .. }
            | Self::Off { object, target }
            | Self::Poured { object, target, .. }
            | Self::Inserted { object, target } => {
                vec![object, target]
            }
            Self::Across {
                object,
                targets: [a, b],
            }
            | Self::Between {
                object,
                targets: [a, b],
            } => vec![object, a, b],
            Self::Home => vec![],
        }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holding { object } => write!(f, "holding({object})"),
            Self::On { object, target } => write!(f, "on({object}, {target})"),
            Self::Beside {
                object,
                target,
                side: None,
            } => write!(f, "beside({object}, {target})"),
            Self::Beside {
                object,
                target,
                side: Some(side),
            } => write!(f, "{}({object}, {target})", side.predicate()),
            Self::At {
                object,
                position: [x, y, z],
                ..
            } => {
                write!(f, "at({object}, {x:.3}, {y:.3}, {z:.3})")
            }
            Self::Slid { object, open: true } => write!(f, "open({object})"),
            Self::Slid {
                object,
                open: false,
            } => write!(f, "closed({object})"),
            Self::Home => f.write_str("home"),
            Self::Against { object, target } => write!(f, "against({object}, {target})"),
            Self::Across {
                object,
                targets: [a, b],
            } => write!(f, "across({object}, {a}, {b})"),
            Self::Inserted { object, target } => write!(f, "inserted({object}, {target})"),
            Self::In { object, target } => write!(f, "in({object}, {target})"),
            Self::Poured { object, target, .. } => write!(f, "poured({object}, {target})"),
            Self::Within {
                object,
                target,
                zone,
            } => {
                write!(f, "on({object}, {target}.{zone})")
            }
            Self::Between {
                object,
                targets: [a, b],
            } => write!(f, "between({object}, {a}, {b})"),
            Self::Off { object, target } => write!(f, "not on({object}, {target})"),
            Self::Upright { object } => write!(f, "upright({object})"),
            Self::Pressed { object, .. } => write!(f, "pressed({object})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_of_a_thing_with_itself_is_not_read() {
        let pair = |goal: &str, more: &str| {
            format!(r#"{{"goal":"{goal}","object":"a","target":"a"{more}}}"#)
        };
        for text in [
            pair("on", ""),
            pair("in", ""),
            pair("beside", r#","side":null"#),
            pair("beside", r#","side":"left""#),
            pair("against", ""),
            pair("inserted", ""),
            pair("off", ""),
            pair("poured", r#","at_least":0.8"#),
            pair("within", r#","zone":"left""#),
            r#"{"goal":"across","object":"a","targets":["a","b"]}"#.to_owned(),
            r#"{"goal":"between","object":"c","targets":["b","b"]}"#.to_owned(),
        ] {
            let error = serde_json::from_str::<Goal>(&text).expect_err(&text);
            let said = error.to_string();
            assert!(
                said.contains("itself") || said.contains("distinct"),
                "{text}: {said}"
            );
            let other =
                text.replacen(r#""a""#, r#""d""#, 1)
                    .replacen(r#""b","b""#, r#""b","e""#, 1);
            let goal: Goal = serde_json::from_str(&other).expect(&other);
            let written = serde_json::to_string(&goal).expect("plain data");
            assert_eq!(
                serde_json::from_str::<Goal>(&written).expect(&written),
                goal
            );
        }
    }
}
