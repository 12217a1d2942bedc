//! What phrases mean.

use std::fmt;

use regrasp_api::{ObjectId, PerceivedObject, Zone};

/// A thing, or a place of one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Referent {
    /// A thing.
    Object(ObjectId),
    /// A place of a thing.
    Zone(ObjectId, Zone),
}

impl Referent {
    /// The thing.
    pub(crate) fn id(&self) -> &ObjectId {
        match self {
            Self::Object(id) | Self::Zone(id, _) => id,
        }
    }

    pub(crate) fn of(object: &PerceivedObject) -> Self {
        Self::Object(object.id.clone())
    }

    /// The id of the thing, as commands have it.
    pub(crate) fn name(&self) -> String {
        self.id().to_string()
    }

    /// The place, if one is meant.
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

/// How many of some things are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum How {
    /// The one.
    #[default]
    The,
    /// Each of them.
    All,
    /// So many of them, whichever.
    Any(usize),
}

/// What a phrase means.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Meant {
    pub(crate) things: Vec<Referent>,
    pub(crate) how: How,
    /// The words for what it is, which "one" takes up.
    pub(crate) noun: Vec<String>,
    /// The colours that were said of it.
    pub(crate) colors: Vec<String>,
    /// True if it stands for everything that is not mentioned.
    pub(crate) is_rest: bool,
}

impl Meant {
    pub(crate) fn one(thing: Referent) -> Self {
        Self {
            things: vec![thing],
            ..Self::default()
        }
    }

    /// Each of some things.
    pub(crate) fn all(things: Vec<Referent>) -> Self {
        Self {
            things,
            how: How::All,
            ..Self::default()
        }
    }

    /// Nothing that is known, by the words for it.
    pub(crate) fn called(noun: Vec<String>) -> Self {
        Self {
            noun,
            ..Self::default()
        }
    }

    /// Other things, meant in the same way.
    pub(crate) fn with(self, things: Vec<Referent>) -> Self {
        Self { things, ..self }
    }

    /// The same things, so many of them.
    pub(crate) fn so_many(self, how: How) -> Self {
        Self { how, ..self }
    }

    /// Returns true if only some of its things are meant, whichever.
    pub(crate) fn is_any(&self) -> bool {
        matches!(self.how, How::Any(_))
    }

    pub(crate) fn single(&self) -> Option<&Referent> {
        match self.things.as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }
}

/// Why a reading comes to nothing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ReadingError {
    /// Nothing that is seen is called so.
    Unseen {
        phrase: String,
        name: String,
        /// True if it is what should be moved first.
        moved: bool,
    },
    /// Things are called so, but none of them is as the phrase says.
    None { phrase: String, why: String },
    /// Several are meant by a phrase that means one.
    Several {
        phrase: String,
        candidates: Vec<Referent>,
    },
    /// Something would have to be brought to itself.
    Itself(Referent),
    /// The words are clear, and things are not so that it could be done.
    Impossible(String),
    /// The words are clear, but not which of several goals is meant.
    Unclear { question: String },
    /// It can be read, and makes no sense.
    Nonsense(String),
}

/// What was read, or why it comes to nothing.
pub(crate) type Resolved<T> = Result<T, ReadingError>;

impl ReadingError {
    /// The trouble of moving what is fixed.
    pub(crate) fn fixed(thing: &impl std::fmt::Display) -> Self {
        Self::Impossible(format!("{thing} is fixed and cannot be moved"))
    }

    /// The best explanation of why no reading worked comes first.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::Several { .. } => 0,
            Self::Itself(_) | Self::Impossible(_) => 1,
            Self::Unclear { .. } => 2,
            Self::None { .. } => 3,
            Self::Nonsense(_) => 4,
            // Of what is not seen, what nothing is done with tells more.
            Self::Unseen { moved, .. } => 5 + u8::from(*moved),
        }
    }

    /// The only candidate that fits, if several things were meant.
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

pub(crate) fn join(mut a: Vec<Referent>, b: Vec<Referent>) -> Vec<Referent> {
    for thing in b {
        if !a.contains(&thing) {
            a.push(thing);
        }
    }
    a
}

/// Those of some things that fit.
pub(crate) fn those(things: &[Referent], fits: impl Fn(&Referent) -> bool) -> Vec<Referent> {
    things.iter().filter(|thing| fits(thing)).cloned().collect()
}

pub(crate) fn list(things: &[Referent]) -> String {
    let names: Vec<_> = things.iter().map(Referent::to_string).collect();
    names.join(", ")
}
