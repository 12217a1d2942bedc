//! `spilled`: of many small things few are in no container.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contains::{count, holds};
use crate::TrueObject;
use crate::condition::{Condition, Found, Seen, ensure};
use crate::known::{Known, Wrong, part};

/// Of many small things at most a part is in no container at all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spilled {
    /// The group.
    pub what: ObjectId,
    /// Which part of all of them, from 0 to 1.
    #[schemars(range(min = 0, max = 1))]
    pub at_most: f64,
}

impl Condition for Spilled {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.group("what", &self.what)?;
        part("at_most", self.at_most)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let anywhere = |bead: &TrueObject| seen.last.objects.iter().any(|o| holds(o, bead));
        let [n, all] = count(seen.last, &self.what, |bead| !anywhere(bead))?;
        ensure(n as f64 <= self.at_most * all as f64, || {
            format!("{n} of {all} are in no container")
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        Vec::new()
    }
}

impl fmt::Display for Spilled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = 100.0 * self.at_most;
        write!(f, "spilled({}, at most {percent:.0} %)", self.what)
    }
}
