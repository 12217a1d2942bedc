//! Intents: single requests with object ids.

use std::fmt;

use regrasp_api::{Fact, Goal, ObjectId};
use serde::{Deserialize, Serialize};

/// A single request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Intent {
    /// Achieve a goal.
    Achieve(Goal),
    /// Turn an object on its joint.
    Turn {
        /// The object.
        object: ObjectId,
        /// Angle, degrees; a positive one turns the object on.
        degrees: f64,
    },
    /// Push or pull an object along its support.
    Shift {
        /// The object.
        object: ObjectId,
        /// True to pull, false to push.
        pull: bool,
        /// Destination.
        to: Course,
    },
}

/// Destination of a push or a pull.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Course {
    /// Towards another object, until just before it.
    Towards {
        /// The other object.
        target: ObjectId,
    },
    /// A point in World, m.
    Point([f64; 2]),
}

impl From<Goal> for Intent {
    fn from(goal: Goal) -> Self {
        Self::Achieve(goal)
    }
}

impl Intent {
    /// Returns the goal of [`Self::Achieve`].
    pub fn goal(&self) -> Option<&Goal> {
        match self {
            Self::Achieve(goal) => Some(goal),
            _ => None,
        }
    }

    /// Id of the moved object.
    pub fn object(&self) -> Option<&str> {
        let object = match self {
            Self::Achieve(goal) => goal.objects().into_iter().next(),
            Self::Turn { object, .. } | Self::Shift { object, .. } => Some(object),
        };
        object.map(ObjectId::as_str)
    }

    /// Ids of the other objects.
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

    /// Returns the fact that holds afterwards.
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

    /// Returns the fact with its polarity, as [`Goal::literal`].
    pub fn literal(&self) -> (Fact, bool) {
        match self {
            Self::Achieve(goal) => goal.literal(),
            other => (other.fact(), true),
        }
    }

    /// Returns true if a later intent undoes this one, which is then only an intermediate step: the
    /// same object goes elsewhere, the hand is needed for something else, or the arm leaves its
    /// home.
    pub fn is_undone_by(&self, later: &Self) -> bool {
        match self {
            Self::Achieve(Goal::Home) => true,
            // Poured contents stay where they are when the container moves.
            Self::Achieve(Goal::Poured { .. }) => false,
            _ if later.object() == self.object() => true,
            _ => self.goal().is_some_and(Goal::keeps_hold) && later.object().is_some(),
        }
    }
}

/// Formats the fact.
impl fmt::Display for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Turn { object, degrees } => write!(f, "turned({object}, {degrees:.0})"),
            Self::Achieve(goal) => goal.fmt(f),
            other => other.fact().rounded().fmt(f),
        }
    }
}
