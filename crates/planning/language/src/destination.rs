//! Places that things are brought to, resolved.

use regrasp_api::{Relation, Side};

use crate::thing::{Meant, Thing};

/// A place that something is brought to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Destination {
    On(Meant),
    In(Meant),
    To(Meant),
    Beside(Meant),
    Related(Relation, Meant),
    Side(Meant, Side),
    Between([Thing; 2]),
    Across([Thing; 2]),
    Point(Vec<f64>),
}
