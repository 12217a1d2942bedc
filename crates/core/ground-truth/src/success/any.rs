//! `any`: at least one of several conditions holds.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Success;
use super::all::{fit_each, longest, texts};
use crate::condition::{Condition, Found, Seen};
use crate::known::{Known, Wrong};

/// At least one of them holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Any(#[schemars(length(min = 1))] pub Vec<Success>);

impl Condition for Any {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        fit_each(&mut self.0, known)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let unmet: Vec<_> = self.0.iter().map(|s| s.unmet_in(seen)).collect();
        match unmet.iter().any(Vec::is_empty) {
            true => Ok(()),
            false => Err(Found::Parts(unmet.into_iter().flatten().collect())),
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

impl fmt::Display for Any {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "any({})", texts(&self.0))
    }
}
