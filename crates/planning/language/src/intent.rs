//! Intents: one thing that is asked for, with objects by their ids.

use std::fmt;

use regrasp_api::{Fact, Goal, ObjectId};
use serde::{Deserialize, Serialize};

/// One thing that is asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Bring something about.
    Achieve(Goal),
    /// Turn something on its joint.
    Turn {
        /// What.
        object: ObjectId,
        /// By how much, degrees; on is positive.
        degrees: f64,
    },
    /// Push or pull something along what it stands on.
    Shift {
        /// What.
        object: ObjectId,
        /// True if it is pulled.
        pull: bool,
        /// Where to.
        to: Course,
    },
}

/// Destination of a push or a pull.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// Towards another object, until just before it.
    Towards {
        /// Which.
        target: ObjectId,
    },
    /// To a point in World, m.
    Point([f64; 2]),
}

impl From<Goal> for Intent {
    fn from(goal: Goal) -> Self {
        Self::Achieve(goal)
    }
}

impl Intent {
    /// The goal, if it is one.
    pub fn goal(&self) -> Option<&Goal> {
        match self {
            Self::Achieve(goal) => Some(goal),
            _ => None,
        }
    }

    /// Id of what is moved.
    pub fn object(&self) -> Option<&str> {
        let object = match self {
            Self::Achieve(goal) => goal.objects().into_iter().next(),
            Self::Turn { object, .. } | Self::Shift { object, .. } => Some(object),
        };
        object.map(ObjectId::as_str)
    }

    /// The things that it names besides what is moved.
    pub fn targets(&self) -> Vec<&str> {
        let targets = match self {
            Self::Achieve(goal) => goal.objects().into_iter().skip(1).collect(),
            Self::Shift {
                to: Course::Towards { target },
                ..
            } => vec![target],
            _ => vec![],
        };
        targets.into_iter().map(ObjectId::as_str).collect()
    }

    /// The fact that it brings about.
    pub fn fact(&self) -> Fact {
        let of = |object: &ObjectId, other: &str| [object.to_string(), other.to_owned()].to_vec();
        let (predicate, of) = match self {
            Self::Achieve(goal) => return goal.fact(),
            Self::Turn { object, degrees } => ("turned", of(object, &degrees.to_string())),
            Self::Shift { object, to, .. } => match to {
                Course::Point(xy) => return Goal::put_at(object.clone(), *xy, None).fact(),
                Course::Towards { target } => ("beside", of(object, target.as_str())),
            },
        };
        let predicate = predicate.to_owned();
        Fact { predicate, of }
    }

    /// The fact that is so then, or is not, as [`Goal::literal`].
    pub fn literal(&self) -> (Fact, bool) {
        match self {
            Self::Achieve(goal) => goal.literal(),
            other => (other.fact(), true),
        }
    }

    /// Returns true if a later one undoes what this one brings about, so that it is a step on the way and no
    /// goal: the same object goes elsewhere, the hand is needed for something else, the arm leaves its
    /// home.
    pub fn is_undone_by(&self, later: &Self) -> bool {
        match self {
            Self::Achieve(Goal::Home) => true,
            // What was poured stays, wherever the container goes.
            Self::Achieve(Goal::Poured { .. }) => false,
            _ if later.object() == self.object() => true,
            _ => self.goal().is_some_and(Goal::keeps_hold) && later.object().is_some(),
        }
    }
}

/// As the fact that it is.
impl fmt::Display for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn { object, degrees } => write!(f, "turned({object}, {degrees:.0})"),
            Self::Achieve(goal) => goal.fmt(f),
            other => other.fact().rounded().fmt(f),
        }
    }
}
