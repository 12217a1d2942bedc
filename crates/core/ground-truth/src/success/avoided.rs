//! `avoided`: an object never touched others in the hand.

use std::fmt;

use regrasp_api::ObjectId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::condition::{Condition, Found, Seen, joined};
use crate::contacts::first_touch_secs;
use crate::known::{Known, Wrong};

/// The object never touched any of these while it was in the hand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Avoided {
    /// Which.
    pub object: ObjectId,
    /// What.
    pub targets: Vec<ObjectId>,
}

impl Condition for Avoided {
    fn fit(&mut self, known: &Known<'_>) -> Result<(), Wrong> {
        known.object("object", &self.object)?;
        known.objects("targets", &self.targets)
    }

    fn judge(&self, seen: &Seen<'_>) -> Result<(), Found> {
        self.targets.iter().try_for_each(|target| {
            match first_touch_secs(seen.last, &self.object, target) {
                None => Ok(()),
                Some(at) => Err(format!("it touched {target} at {at:.2} s").into()),
            }
        })
    }

    fn objects(&self) -> Vec<&ObjectId> {
        std::iter::once(&self.object).chain(&self.targets).collect()
    }
}

impl fmt::Display for Avoided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "avoided({}, {})", self.object, joined(&self.targets))
    }
}
