//! `all`: every one of several conditions holds.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Success;
use crate::condition::{Condition, Found, Seen};
use crate::known::{Known, Mistake, Step, Wrong};

/// Every one of them holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct All(#[schemars(length(min = 1))] pub Vec<Success>);

impl Condition for All {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        fit_each(&mut self.0, known)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let unmet: Vec<_> = self.0.iter().flat_map(|s| s.unmet_in(seen)).collect();
        match unmet.is_empty() {
            true => Ok(()),
            false => Err(Found::Parts(unmet)),
        }
    }

    fn objects(&self) -> Vec<&ObjectId> {
        self.0.iter().flat_map(Success::objects).collect()
    }

    fn moved(&self) -> Vec<&ObjectId> {
        self.0.iter().flat_map(Success::moved).collect()
    }

    fn watch_secs(&self) -> f64 {
        longest(&self.0)
    }
}

impl fmt::Display for All {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "all({})", texts(&self.0))
    }
}

/// Fits each of a list that is not empty: an empty one would hold without anything being done.
pub(super) fn fit_each(all: &mut [Success], known: &Known<'_>) -> Result<(), Wrong> {
    if all.is_empty() {
        return Err(Wrong::whole(Mistake::NotAllowed {
            got: "empty".to_owned(),
            allowed: "a list of at least one condition".to_owned(),
        }));
    }
    let mut each = all.iter_mut().enumerate();
    each.try_for_each(|(i, s)| s.fit(known).map_err(|wrong| wrong.inside(Step::Item(i))))
}

pub(super) fn longest(all: &[Success]) -> f64 {
    all.iter().map(Success::watch_secs).fold(0.0, f64::max)
}

pub(super) fn texts(all: &[Success]) -> String {
    let texts: Vec<String> = all.iter().map(ToString::to_string).collect();
    texts.join(", ")
}
