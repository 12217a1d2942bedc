//! Relations between a released object and one other object.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A relation in which something that the hand let go of stands to one other thing.
///
/// This is the table of them: their predicates, the goals that they are, notation and data follow from
/// a row. Beside its row, a relation has a judge (in `regrasp-relations`), places at which it holds and
/// the call that brings it about (in `regrasp-skills`), and words (in `regrasp-language`).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Right beside it, with hardly any space between.
    Against,
    /// Below a part of it that hangs over, on something else.
    Under,
}

/// Order of objects that goals imply. No object may precede itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A resting object precedes its support.
    Resting,
    /// An object under another precedes it.
    Under,
    /// From left to right.
    Sideways,
    /// From near to far.
    Away,
}

impl Relation {
    /// All relations.
    pub const ALL: [Self; 2] = [Self::Against, Self::Under];

    /// Returns the predicate.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Against => "against",
            Self::Under => "under",
        }
    }

    /// Returns the order of the two objects; `None` for a symmetric relation.
    pub const fn order(self) -> Option<Order> {
        match self {
            Self::Against => None,
            Self::Under => Some(Order::Under),
        }
    }

    /// Returns the relation with a predicate.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|relation| relation.name() == name)
    }
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
