//! `visited`: an object was set on others, in order.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, ensure, joined};
use crate::contacts::first_touch_secs;
use crate::known::{Known, Wrong};

/// The object was set on each of these at some time, for the first time in this order: it
/// touched them in the hand, as it was set down or taken up again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Visited {
    /// Which.
    pub object: ObjectId,
    /// What, in order.
    pub targets: Vec<ObjectId>,
}

impl Condition for Visited {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        known.objects("targets", &self.targets)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        let mut before = f64::NEG_INFINITY;
        for target in &self.targets {
            let at = first_touch_secs(seen.last, &self.object, target);
            let at = at.ok_or_else(|| format!("it was never set on {target}"))?;
            ensure(at > before, || {
                format!("it was set on {target} at {at:.2} s, before what comes first")
            })?;
            before = at;
        }
        Ok(())
    }

    fn objects(&self) -> Vec<&ObjectId> {
        std::iter::once(&self.object).chain(&self.targets).collect()
    }

    fn moved(&self) -> Vec<&ObjectId> {
        vec![&self.object]
    }
}

impl fmt::Display for Visited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "visited({}, {})", self.object, joined(&self.targets))
    }
}
