//! Places that things are brought to, resolved.

use crate::referent::{Meant, Referent};

/// A place that something is brought to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Destination {
    /// In a relation to things: `on`, `in`, `to` (whichever fits), or the predicate of a goal.
    At(String, Meant),
    Point(Vec<f64>),
}

impl Destination {
    /// In a relation to things.
    pub(crate) fn at(relation: impl Into<String>, things: Meant) -> Self {
        Self::At(relation.into(), things)
    }

    /// Wherever things go that go to a thing.
    pub(crate) fn to(thing: Referent) -> Self {
        Self::at("to", Meant::one(thing))
    }
}
