//! Relations of what was put down to one other thing.

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

/// An order that goals put things in: no thing comes before itself in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A thing that rests before the one that carries it.
    Resting,
    /// A thing that stands under another before that.
    Under,
    /// From left to right.
    Sideways,
    /// From near to far.
    Away,
}

impl Relation {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Against, Self::Under];

    /// Its predicate.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Against => "against",
            Self::Under => "under",
        }
    }

    /// The order that it puts two things in, if it does: none if each can stand so to the other.
    pub const fn order(self) -> Option<Order> {
        match self {
            Self::Against => None,
            Self::Under => Some(Order::Under),
        }
    }

    /// The relation with a predicate.
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
