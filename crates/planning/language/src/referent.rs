//! Meanings of phrases.

use std::fmt;

use nalgebra::Vector2;
use regrasp_api::{ObjectId, PerceivedObject, Zone};

use crate::tokens::joined;

/// An object, or a zone of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Referent {
    Object(ObjectId),
    Zone(ObjectId, Zone),
}

impl Referent {
    pub(crate) fn id(&self) -> &ObjectId {
        match self {
            Self::Object(id) | Self::Zone(id, _) => id,
        }
    }

    pub(crate) fn of(object: &PerceivedObject) -> Self {
        Self::Object(object.id.clone())
    }

    /// Id of the object, also for one of its zones.
    pub(crate) fn name(&self) -> String {
        self.id().to_string()
    }

    pub(crate) fn zone(&self) -> Option<&Zone> {
        match self {
            Self::Object(_) => None,
            Self::Zone(_, zone) => Some(zone),
        }
    }
}

impl fmt::Display for Referent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Object(id) => id.fmt(f),
            Self::Zone(id, zone) => write!(f, "{id}.{zone}"),
        }
    }
}

/// Quantifier of a phrase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum How {
    /// Exactly one.
    #[default]
    The,
    /// Each object that fits.
    All,
    /// Any `n` of the objects that fit.
    Any(usize),
}

/// Meaning of a phrase.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Meant {
    pub(crate) things: Vec<Referent>,
    pub(crate) how: How,
    /// Noun of the phrase, for which "one" can stand later.
    pub(crate) noun: Vec<String>,
    pub(crate) colors: Vec<String>,
    /// True if the phrase means all objects that are not mentioned.
    pub(crate) is_rest: bool,
    /// True for an indefinite phrase such as "a cube", which means none of the objects moved before.
    pub(crate) is_new: bool,
    /// True for "each cube", which means the objects one by one.
    pub(crate) is_each: bool,
    /// True for "another cube", which means one that is not at the place yet.
    pub(crate) is_more: bool,
    /// True for "exactly two cubes", which means no more.
    pub(crate) is_exact: bool,
}

impl Meant {
    pub(crate) fn one(thing: Referent) -> Self {
        Self {
            things: vec![thing],
            ..Self::default()
        }
    }

    /// Creates the meaning of a phrase for all of these objects.
    pub(crate) fn all(things: Vec<Referent>) -> Self {
        Self {
            things,
            how: How::All,
            ..Self::default()
        }
    }

    /// Creates the meaning of a noun that names no known object.
    pub(crate) fn called(noun: Vec<String>) -> Self {
        Self {
            noun,
            ..Self::default()
        }
    }

    pub(crate) fn with(self, things: Vec<Referent>) -> Self {
        Self { things, ..self }
    }

    pub(crate) fn so_many(self, how: How) -> Self {
        Self { how, ..self }
    }

    /// Returns true if any choice of the objects is meant.
    pub(crate) fn is_any(&self) -> bool {
        matches!(self.how, How::Any(_))
    }

    /// Returns true if something holds for any of the objects, if any of them is meant, or for all.
    pub(crate) fn fits(&self, is_so: impl Fn(&Referent) -> bool) -> bool {
        match self.is_any() {
            true => self.things.iter().any(is_so),
            false => self.things.iter().all(is_so),
        }
    }

    pub(crate) fn single(&self) -> Option<&Referent> {
        match self.things.as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }
}

/// Place where objects go.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Destination {
    /// A relation to objects: `on`, `in`, `to` (whichever fits), or the predicate of a goal.
    At(String, Meant),
    /// A point in World, and the length from which it was computed, m.
    Point(Vec<f64>, Option<f64>),
}

impl Destination {
    pub(crate) fn at(relation: impl Into<String>, things: Meant) -> Self {
        Self::At(relation.into(), things)
    }

    pub(crate) fn point(xy: Vector2<f64>) -> Self {
        Self::Point(vec![xy.x, xy.y], None)
    }

    /// Creates the destination of "to": on or in the object, whichever fits.
    pub(crate) fn to(thing: Referent) -> Self {
        Self::at("to", Meant::one(thing))
    }
}

/// Reason why a reading fails.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ReadingError {
    /// No perceived object has this name.
    Unseen {
        name: String,
        /// True if the name is that of the first object to be moved.
        moved: bool,
    },
    /// Objects with this name exist, but none fits the description.
    None(String),
    /// Several objects fit a phrase that means one.
    Several {
        phrase: String,
        candidates: Vec<Referent>,
    },
    /// The words are clear, but impossible in this scene.
    Impossible(String),
    /// The words are clear, but fit several goals.
    Unclear(String),
    /// The text can be parsed, but makes no sense.
    Nonsense(String),
}

pub(crate) type Resolved<T> = Result<T, ReadingError>;

impl ReadingError {
    /// Error of moving a fixed object.
    pub(crate) fn fixed(thing: &impl fmt::Display) -> Self {
        Self::Impossible(format!("{thing} is fixed and cannot be moved"))
    }

    /// Error of bringing an object to itself.
    pub(crate) fn itself(thing: &impl fmt::Display) -> Self {
        let why = format!("{thing} cannot be brought to itself: name another object");
        Self::Impossible(why)
    }

    /// Rank of an error as an explanation, the best first: of questions, the one with the fewest
    /// candidates.
    pub(crate) fn rank(&self) -> (u8, usize) {
        let rank = match self {
            Self::Several { candidates, .. } => return (0, candidates.len()),
            Self::Impossible(_) => 1,
            Self::Unclear(_) => 2,
            // A missing object explains more than one that does not fit its description, and a
            // missing target more than a missing moved object.
            Self::Unseen { moved, .. } => 3 + u8::from(*moved),
            Self::None(_) => 5,
            Self::Nonsense(_) => 6,
        };
        (rank, 0)
    }

    /// Returns the only candidate that fits, if the phrase was ambiguous.
    pub(crate) fn settled(self, fits: impl Fn(&Referent) -> bool) -> Result<Meant, Self> {
        if let Self::Several { candidates, .. } = &self {
            let fitting: Vec<_> = candidates.iter().filter(|t| fits(t)).collect();
            if let [one] = fitting[..] {
                return Ok(Meant::one(one.clone()));
            }
        }
        Err(self)
    }
}

pub(crate) fn join<T: PartialEq>(mut a: Vec<T>, b: Vec<T>) -> Vec<T> {
    for thing in b {
        if !a.contains(&thing) {
            a.push(thing);
        }
    }
    a
}

pub(crate) fn those(things: &[Referent], fits: impl Fn(&Referent) -> bool) -> Vec<Referent> {
    things.iter().filter(|thing| fits(thing)).cloned().collect()
}

pub(crate) fn list(things: &[Referent]) -> String {
    joined(things, ", ")
}
