//! Resolved destinations.

use crate::referent::{Meant, Referent};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Destination {
    /// A relation to objects: `on`, `in`, `to` (whichever fits), or the predicate of a goal.
    At(String, Meant),
    Point(Vec<f64>),
}

impl Destination {
    pub(crate) fn at(relation: impl Into<String>, things: Meant) -> Self {
        Self::At(relation.into(), things)
    }

    /// Creates the destination of "to": on or in the object, whichever fits.
    pub(crate) fn to(thing: Referent) -> Self {
        Self::at("to", Meant::one(thing))
    }
}
