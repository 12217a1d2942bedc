//! `not`: a condition does not hold.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Success;
use crate::condition::{Condition, Found, Seen, ensure};
use crate::known::{Known, Wrong};

/// It does not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Not(pub Box<Success>);

impl Condition for Not {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        self.0.fit(known)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let holds = self.0.unmet_in(seen).is_empty();
        ensure(!holds, || "the condition holds".to_owned())
    }

    fn objects(&self) -> Vec<&ObjectId> {
        self.0.objects()
    }

    fn watch_secs(&self) -> f64 {
        self.0.watch_secs()
    }
}

impl fmt::Display for Not {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not({})", self.0)
    }
}
