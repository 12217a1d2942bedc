//! Places that things are brought to, resolved.

use regrasp_api::{Relation, Side};

use crate::referent::{Meant, Referent};

/// A place that something is brought to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Destination {
    On(Meant),
    In(Meant),
    To(Meant),
    Related(Relation, Meant),
    /// Beside something, maybe on one side of it.
    Beside(Meant, Option<Side>),
    Between([Referent; 2]),
    Across([Referent; 2]),
    Point(Vec<f64>),
}
